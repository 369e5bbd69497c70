package dev.heddle.collectives.nccl.schedule;

import static dev.heddle.collective.ChunkRange.input;
import static dev.heddle.collective.ChunkRange.output;

import dev.heddle.collective.Buffer;
import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Layout;
import dev.heddle.collective.MemoryAccess;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.StepKind;
import java.util.Arrays;

/**
 * Parallel aggregated trees. The block of each rank travels along a binomial tree rooted at that rank; the trees are
 * rotated copies of one, so that in each phase every rank sends to one rank and receives from one, with the blocks of
 * several trees in one message [NCCL 2.23 release notes; Bruck et al., Efficient algorithms for all-to-all
 * communications, 1997]. An all_gather proceeds from the farthest distance to the nearest, so that far messages are
 * small; a reduce_scatter runs the phases backwards and adds.
 */
public final class PatSteps {
  private final Layout layout;
  private final int channels;
  private final int together;
  private final int rank;
  private final int ranks;
  private final RankStepsBuilder steps;

  private PatSteps(Layout layout, int channels, int together, int rank) {
    this.layout = layout;
    this.channels = channels;
    this.together = together;
    this.rank = rank;
    ranks = layout.ranks();
    steps = new RankStepsBuilder(layout, rank);
  }

  /**
   * Schedules a collective of at least two ranks.
   *
   * @param collective an all_gather or a reduce_scatter
   * @param channels number of parallel channels, each with its part of every block
   * @param together blocks of a phase that one slice holds, at least 1
   */
  public static Schedule schedule(Collective collective, int channels, int together) {
    Layout plain = Layout.of(collective, channels);
    Layout layout = collective.op() == CollectiveOp.REDUCE_SCATTER ? plain.withScratch(sums(plain)) : plain;
    return Schedule.planned("PAT", layout, rank -> new PatSteps(layout, channels, together, rank).steps());
  }

  private static long[] sums(Layout layout) {
    long[] bytes = new long[layout.slots(0, Buffer.INPUT)];
    for (int slot = 0; slot < bytes.length; slot++) {
      bytes[slot] = layout.bytes(0, input(slot, 1));
    }
    return bytes;
  }

  private RankSteps steps() {
    for (int channel = 0; channel < channels; channel++) {
      if (layout.collective().op() == CollectiveOp.ALL_GATHER) {
        allGather(channel);
      } else {
        reduceScatter(channel);
      }
    }
    return steps.build();
  }

  private static int farthest(int ranks) {
    return Integer.highestOneBit(ranks - 1);
  }

  private int slot(int offset, int channel) {
    return Math.floorMod(rank + offset, ranks) * channels + channel;
  }

  // Adds the steps of an all_gather. After the phase of distance d, the rank holds the blocks of the ranks at multiples
  // of d before it.
  private void allGather(int channel) {
    int copy = steps.copy(
        steps.threadBlock(channel, RankSteps.NONE, RankSteps.NONE), input(channel, 1), output(slot(0, channel), 1));
    int[] held = new int[ranks];
    Arrays.fill(held, RankSteps.NONE);
    held[0] = copy;
    for (int distance = farthest(ranks); distance >= 1; distance /= 2) {
      int sender = steps.threadBlock(channel, (rank + distance) % ranks, RankSteps.NONE);
      int receiver = steps.threadBlock(channel, RankSteps.NONE, Math.floorMod(rank - distance, ranks));
      for (int offset = 0; offset + distance < ranks; offset += 2 * distance) {
        steps.after(sent(steps.send(sender, output(slot(-offset, channel), 1)), offset, distance), held[offset]);
        held[offset + distance] =
            received(steps.receive(receiver, output(slot(-offset - distance, channel), 1)), offset, distance);
      }
    }
  }

  // Adds the steps of a reduce_scatter: the same trees from the leaves to the roots, with half the distance covered by
  // each phase.
  private void reduceScatter(int channel) {
    int[] summed = new int[ranks];
    Arrays.fill(summed, RankSteps.NONE);
    for (int distance = 1; distance <= farthest(ranks); distance *= 2) {
      int sender = steps.threadBlock(channel, Math.floorMod(rank - distance, ranks), RankSteps.NONE);
      int receiver = steps.threadBlock(channel, RankSteps.NONE, (rank + distance) % ranks);
      for (int offset = 0; offset + distance < ranks; offset += 2 * distance) {
        int sent = sent(steps.send(sender, partial(offset + distance, channel, summed)), offset, distance);
        steps.after(sent, summed[offset + distance]);
        boolean done = offset == 0 && distance == farthest(ranks);
        ChunkRange target = done ? output(channel, 1) : ChunkRange.scratch(slot(-offset, channel), 1);
        int step = steps.step(
            receiver, StepKind.RECEIVE_REDUCE_COPY, partial(offset, channel, summed), target);
        summed[offset] = steps.after(received(step, offset, distance), summed[offset]);
      }
    }
  }

  private int sent(int step, int offset, int distance) {
    return isFirst(offset, distance) ? step : steps.coalesced(steps.access(step, MemoryAccess.COPY));
  }

  private int received(int step, int offset, int distance) {
    return isFirst(offset, distance) ? step : steps.coalesced(steps.memoryAccess(step, 1, 1));
  }

  // Whether a block of a phase is the first of a slice.
  private boolean isFirst(int offset, int distance) {
    return offset / (2 * distance) % together == 0;
  }

  private ChunkRange partial(int offset, int channel, int[] summed) {
    int slot = slot(-offset, channel);
    return summed[offset] == RankSteps.NONE ? input(slot, 1) : ChunkRange.scratch(slot, 1);
  }
}
