package dev.heddle.workload.megatron.parallel;

/** Activations that the backward pass recomputes. */
public enum Recompute {
  /** None. */
  NONE,
  /** The modules that are named, by default attention's scores and context [Korthikanti et al. §5]. */
  SELECTIVE,
  /** All activations of a layer except its input. */
  FULL
}
