package dev.heddle.workload.megatron.program;

/** Exchange of keys and values among context-parallel ranks, with the kernels and operators that it needs. */
sealed interface KeyExchange permits ContextRing, ContextGather {
  /** Adds what goes before a pass of attention. */
  void begin(StageOps ops, boolean backward);

  /** Adds what follows a pass of attention; the waits for exchanges come last. */
  void end(StageOps ops, boolean backward);
}
