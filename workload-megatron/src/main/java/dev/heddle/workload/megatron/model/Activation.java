package dev.heddle.workload.megatron.model;

/** The activation function between the two linear layers of a feed-forward block. */
public enum Activation {
  /** Gaussian error linear unit: one projection up. */
  GELU(1),
  /** Sigmoid-weighted gate: two projections up, multiplied [Shazeer, GLU Variants Improve Transformer]. */
  SWIGLU(2),
  /** The same with a gate whose sigmoid is scaled, both projections clamped before they are multiplied [gpt-oss]. */
  CLAMPED_SWIGLU(2),
  /** Squared rectifier: one projection up [So et al., Primer]. */
  SQUARED_RELU(1);

  private final int projections;

  Activation(int projections) {
    this.projections = projections;
  }

  /** The number of projections to the inner size. */
  public int projections() {
    return projections;
  }
}
