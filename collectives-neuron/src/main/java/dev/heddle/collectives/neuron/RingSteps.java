package dev.heddle.collectives.neuron;

import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collective.MemoryAccess;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.StepKind;
import java.util.List;

/**
 * One rank's steps of the Ring algorithm: on every cycle, from the rank upstream to the one downstream [Neuron, Ring].
 */
final class RingSteps {
  private final Chunks chunks;
  private final int rank;
  private final RankStepsBuilder steps;

  RingSteps(Chunks chunks, int rank) {
    this.chunks = chunks;
    this.rank = rank;
    steps = new RankStepsBuilder(chunks.layout(), rank);
  }

  /** The steps over orders of ranks, one per channel. */
  RankSteps over(List<ImmutableIntArray> orders, Phases phases) {
    for (int channel = 0; channel < orders.size(); channel++) {
      add(channel, orders.get(channel), phases);
    }
    return steps.build();
  }

  private void add(int channel, ImmutableIntArray order, Phases phases) {
    int n = order.length();
    int position = order.indexOf(rank);
    int block = steps.threadBlock(channel, at(order, position + 1), at(order, position - 1));
    if (phases.reduces()) {
      steps.access(steps.send(block, chunks.input(at(order, position - 1), channel)), MemoryAccess.COPY);
      for (int step = 1; step < n - 1; step++) {
        steps.access(
            steps.step(
                block, StepKind.RECEIVE_REDUCE_SEND, chunks.input(at(order, position - 1 - step), channel), null),
            MemoryAccess.SUM);
      }
      steps.memoryAccess(
          steps.step(
              block, StepKind.RECEIVE_REDUCE_COPY, chunks.input(rank, channel), chunks.result(rank, channel)),
          2, 1);
    }
    if (phases.gathers()) {
      steps.access(steps.send(block, chunks.output(rank, channel)), MemoryAccess.COPY);
      for (int step = 1; step < n - 1; step++) {
        steps.access(
            steps.step(
                block, StepKind.RECEIVE_COPY_SEND, null, chunks.output(at(order, position - step), channel)),
            MemoryAccess.COPY);
      }
      steps.memoryAccess(steps.receive(block, chunks.output(at(order, position + 1), channel)), 0, 0);
    }
  }

  private static int at(ImmutableIntArray order, int position) {
    return order.get(Math.floorMod(position, order.length()));
  }
}
