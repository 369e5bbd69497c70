package dev.heddle.workload.megatron.parallel;

/** Activations that the backward pass recomputes. */
public enum Recompute {
  /** None. */
  NONE,
  /** Attention's scores and context [Korthikanti et al. §5]. */
  SELECTIVE,
  /** All activations except each layer's input. */
  FULL
}
