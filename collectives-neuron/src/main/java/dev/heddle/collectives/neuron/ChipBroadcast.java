package dev.heddle.collectives.neuron;

import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collective.MemoryAccess;
import dev.heddle.collective.RankSteps;
import java.util.List;
import java.util.function.IntFunction;

/**
 * Steps by which each rank of a chip gives the chunks that it has gathered to the chip's others. A transfer writes to two of
 * them what it reads once: the document counts duplication among what its algorithms use [Neuron, Overview].
 */
final class ChipBroadcast {
  private static final int NONE = RankSteps.NONE;

  private ChipBroadcast() {}

  /**
   * Adds the steps: a transfer for each batch of chunks to each other rank of the chip.
   *
   * @param channel of the messages
   * @param gathered owners of the chunks that a rank of the chip has gathered, batch by batch
   * @param there for each batch, the step after which this rank has it, or none
   */
  static void add(
      RankSteps.Builder steps, Chip chip, int channel, IntFunction<List<ImmutableIntArray>> gathered, int... there) {
    for (int distance = 1; distance < chip.ranks(); distance++) {
      int to = chip.rank(distance);
      int from = chip.rank(-distance);
      int sending = steps.threadBlock(channel, to, NONE);
      int receiving = steps.threadBlock(channel, NONE, from);
      MemoryAccess access = distance % 2 == 0 ? MemoryAccess.DUPLICATE : MemoryAccess.COPY;
      List<ImmutableIntArray> batches = gathered.apply(chip.rank(0));
      for (int batch = 0; batch < batches.size(); batch++) {
        boolean first = true;
        for (int owner : batches.get(batch).asList()) {
          int sent = steps.access(steps.send(sending, chip.chunks().output(owner, 0)), access);
          if (first) {
            steps.after(sent, there[batch]);
          } else {
            steps.continuing(sent);
          }
          first = false;
        }
      }
      for (ImmutableIntArray batch : gathered.apply(from)) {
        for (int owner : batch.asList()) {
          steps.touches(steps.receive(receiving, chip.chunks().output(owner, 0)), 0, 0);
        }
      }
    }
  }

  /**
   * A rank among those of its chip.
   *
   * @param placement where ranks lie
   * @param chunks what they have
   * @param self the rank
   */
  record Chip(Placement placement, Chunks chunks, int self) {
    int ranks() {
      return placement.ranksPerChip();
    }

    int rank(int distance) {
      return placement.rank(placement.chip(self), Math.floorMod(placement.index(self) + distance, ranks()));
    }
  }
}
