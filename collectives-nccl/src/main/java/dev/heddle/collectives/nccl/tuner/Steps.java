package dev.heddle.collectives.nccl.tuner;

import dev.heddle.collective.CollectiveOp;

/** The number of steps of a ring. */
final class Steps {
  private Steps() {}

  /** The number of sequential steps of an operation. */
  static int of(CollectiveOp op, int ranks) {
    return switch (op) {
      case ALL_REDUCE -> 2 * (ranks - 1);
      case ALL_GATHER, REDUCE_SCATTER -> ranks - 1;
      default -> ranks;
    };
  }

  /** The number of these steps between nodes. */
  static int between(CollectiveOp op, int nodes) {
    return switch (op) {
      case ALL_REDUCE -> 2 * (nodes - 1);
      case ALL_GATHER, REDUCE_SCATTER -> nodes - 1;
      default -> nodes;
    };
  }
}
