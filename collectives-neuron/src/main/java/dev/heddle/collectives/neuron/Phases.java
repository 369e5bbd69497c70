package dev.heddle.collectives.neuron;

import dev.heddle.collective.CollectiveOp;

/**
 * The phases of a collective: reduce_scatter, all_gather, or one after the other [Neuron, AllReduce].
 *
 * @param reduces whether chunks are added up at their owners
 * @param gathers whether owners' chunks go to all
 */
record Phases(boolean reduces, boolean gathers) {
  static Phases of(CollectiveOp op) {
    return new Phases(op.reduces(), op != CollectiveOp.REDUCE_SCATTER);
  }

  int count() {
    return (reduces ? 1 : 0) + (gathers ? 1 : 0);
  }
}
