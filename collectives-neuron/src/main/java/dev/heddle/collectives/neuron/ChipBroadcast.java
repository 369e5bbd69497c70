package dev.heddle.collectives.neuron;

import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collective.MemoryAccess;
import dev.heddle.collective.RankSteps;
import java.util.function.IntFunction;

/**
 * Steps by which each rank of a chip sends the chunks that it has gathered to the chip's others. A transfer reads a
 * chunk once and writes it to two of them: the document counts duplication among the features that its algorithms use
 * [Neuron, Overview].
 */
final class ChipBroadcast {
  private static final int NONE = RankSteps.NONE;

  private final StageSteps steps;
  private final Placement placement;
  private final Chunks chunks;
  private final int rank;
  private final int channel;

  ChipBroadcast(StageSteps steps, Placement placement, Chunks chunks, int rank, int channel) {
    this.steps = steps;
    this.placement = placement;
    this.chunks = chunks;
    this.rank = rank;
    this.channel = channel;
  }

  /** The start of the step that sends a chunk to another rank. */
  private interface Begin {
    void of(int sent, int owner, boolean first);
  }

  /**
   * Adds the steps: one transfer to each other rank, of all chunks.
   *
   * @param gathered owners of the chunks that a rank of the chip has gathered
   * @param there the step after which this rank has all of them
   */
  void broadcastAll(IntFunction<ImmutableIntArray> gathered, int there) {
    add(gathered, (sent, owner, first) -> {
      if (first) {
        steps.after(sent, there);
      } else {
        steps.coalesced(sent);
      }
    });
  }

  /**
   * Adds the steps: a transfer for each chunk, as soon as this rank has it.
   *
   * @param gathered owners of the chunks that a rank of the chip has gathered, in the order in which it does
   * @param there for each owner, the step after which this rank has its chunk, or none
   */
  void asArrived(IntFunction<ImmutableIntArray> gathered, int[] there) {
    add(gathered, (sent, owner, first) -> steps.after(steps.asynchronous(sent), there[owner]));
  }

  private void add(IntFunction<ImmutableIntArray> gathered, Begin begin) {
    for (int distance = 1; distance < placement.ranksPerChip(); distance++) {
      int from = neighbour(-distance);
      int sending = steps.threadBlock(channel, neighbour(distance), NONE);
      int receiving = steps.threadBlock(channel, NONE, from);
      MemoryAccess access = distance % 2 == 0 ? MemoryAccess.DUPLICATE : MemoryAccess.COPY;
      boolean first = true;
      for (int owner : gathered.apply(rank).asList()) {
        begin.of(steps.access(steps.send(sending, chunks.output(owner, 0)), access), owner, first);
        first = false;
      }
      for (int owner : gathered.apply(from).asList()) {
        steps.memoryAccess(steps.receive(receiving, chunks.output(owner, 0)), 0, 0);
      }
    }
  }

  private int neighbour(int distance) {
    return placement.rank(
        placement.chip(rank), Math.floorMod(placement.index(rank) + distance, placement.ranksPerChip()));
  }
}
