package dev.heddle.workload.megatron.parallel;

import dev.heddle.workload.megatron.model.Experts;
import dev.heddle.workload.megatron.model.ModelShape;
import java.util.stream.IntStream;

/** A module whose forward pass selective recomputation repeats [Megatron-Core, recompute_modules]. */
public enum RecomputedModule {
  /** Attention's scores and context [Korthikanti et al. §5]. */
  CORE_ATTN,
  /** Both normalisations of a layer, whose results are not kept. */
  LAYERNORM,
  /** The products of latent attention that make heads of the latent vectors. */
  MLA_UP_PROJ,
  /** The dense feed-forward block. */
  MLP,
  /** The layer of experts: router, exchange of tokens, experts, shared experts. */
  MOE,
  /** The activation function of the experts. */
  MOE_ACT,
  /** The experts that every token goes to. */
  SHARED_EXPERTS;

  /** Whether a model has the module. */
  public boolean in(ModelShape model) {
    return switch (this) {
      case CORE_ATTN, LAYERNORM -> true;
      case MLA_UP_PROJ -> model.latent().isPresent();
      case MLP -> IntStream.range(0, model.layers()).anyMatch(layer -> model.kind(layer).dense());
      case MOE, MOE_ACT -> model.experts().isPresent();
      case SHARED_EXPERTS -> model.experts().map(Experts::sharedFfn).orElse(0) > 0;
    };
  }
}
