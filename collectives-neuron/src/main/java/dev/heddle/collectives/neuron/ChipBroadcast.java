package dev.heddle.collectives.neuron;

import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collective.MemoryAccess;
import dev.heddle.collective.RankSteps;
import java.util.function.IntFunction;

/** Steps by which each rank of a chip gives the chunks that it has gathered to the chip's others, one copy for each. */
final class ChipBroadcast {
  private static final int NONE = RankSteps.NONE;

  private ChipBroadcast() {}

  /**
   * Adds the steps.
   *
   * @param channel of the messages
   * @param gathered owners of the chunks that a rank of the chip has gathered
   * @param last the step after which all that this rank has gathered is there, or none
   */
  static void add(
      RankSteps.Builder steps, Chip chip, int channel, IntFunction<ImmutableIntArray> gathered, int last) {
    for (int distance = 1; distance < chip.ranks(); distance++) {
      int to = chip.rank(distance);
      int from = chip.rank(-distance);
      int sending = steps.threadBlock(channel, to, NONE);
      int receiving = steps.threadBlock(channel, NONE, from);
      boolean first = true;
      for (int owner : gathered.apply(chip.rank(0)).asList()) {
        int sent = steps.access(steps.send(sending, chip.chunks().output(owner, 0)), MemoryAccess.COPY);
        if (first) {
          steps.after(sent, last);
        } else {
          steps.continuing(sent);
        }
        first = false;
      }
      for (int owner : gathered.apply(from).asList()) {
        steps.touches(steps.receive(receiving, chip.chunks().output(owner, 0)), 0, 0);
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
