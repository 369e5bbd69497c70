package dev.heddle.workload.megatron.parallel;

/** Which activations are worked out again in the backward pass instead of being kept. */
public enum Recompute {
  /** None. */
  NONE,
  /** Those of attention's scores and context [Korthikanti et al. §5]. */
  SELECTIVE,
  /** All but each layer's input. */
  FULL
}
