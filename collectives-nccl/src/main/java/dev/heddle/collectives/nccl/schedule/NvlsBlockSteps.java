package dev.heddle.collectives.nccl.schedule;

import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Layout;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.StepKind;
import java.util.Arrays;

/**
 * All_gather and reduce_scatter by the NVSwitches of one node, all of whose ranks are heads: a rank hands its block to the
 * switches, which multicast it; or all hand over every block, and the switches hand each rank the sum of its own.
 */
public final class NvlsBlockSteps {
  private final Layout layout;
  private final int ranks;
  private final int channels;
  private final int chunks;
  private final RankSteps.Builder steps;

  private NvlsBlockSteps(Layout layout, int channels, int participant) {
    this.layout = layout;
    this.channels = channels;
    ranks = layout.ranks();
    chunks = layout.chunksPerBlock() / channels;
    steps = new RankSteps.Builder(layout, participant);
  }

  /**
   * Schedules an all_gather or a reduce_scatter of at least two ranks.
   *
   * @param channels side by side
   * @param chunks of each block on each channel, at least 1
   */
  public static Schedule schedule(Collective collective, int channels, int chunks) {
    Layout plain = Layout.of(collective, Math.multiplyExact(channels, chunks));
    long[] blocks = new long[Math.multiplyExact(plain.chunksPerBlock(), collective.ranks())];
    boolean gathers = collective.op() == CollectiveOp.ALL_GATHER;
    Arrays.setAll(blocks, slot ->
        plain.bytes(0, gathers ? ChunkRange.output(slot, 1) : ChunkRange.input(slot, 1)));
    Layout layout = plain.withScratch(blocks).withAggregators(1);
    return Schedule.planned(
        "NVLS", layout, participant -> new NvlsBlockSteps(layout, channels, participant).steps(participant));
  }

  private RankSteps steps(int participant) {
    boolean gathers = layout.collective().op() == CollectiveOp.ALL_GATHER;
    for (int channel = 0; channel < channels; channel++) {
      if (participant == ranks) {
        aggregator(channel, gathers);
      } else {
        rank(channel, gathers);
      }
    }
    return steps.build();
  }

  private int own(int channel, int chunk) {
    return channel * chunks + chunk;
  }

  private int slot(int owner, int channel, int chunk) {
    return owner * layout.chunksPerBlock() + own(channel, chunk);
  }

  private void rank(int channel, boolean gathers) {
    int out = steps.threadBlock(channel, ranks, RankSteps.NONE);
    int in = steps.threadBlock(channel, RankSteps.NONE, ranks);
    for (int chunk = 0; chunk < chunks; chunk++) {
      for (int owner = 0; owner < ranks; owner++) {
        if (gathers) {
          steps.receive(in, ChunkRange.output(slot(owner, channel, chunk), 1));
        } else {
          steps.send(out, ChunkRange.input(slot(owner, channel, chunk), 1));
        }
      }
      if (gathers) {
        steps.send(out, ChunkRange.input(own(channel, chunk), 1));
      } else {
        steps.receive(in, ChunkRange.output(own(channel, chunk), 1));
      }
    }
  }

  private void aggregator(int channel, boolean gathers) {
    int[] held = new int[ranks * chunks];
    for (int from = 0; from < ranks; from++) {
      int in = steps.threadBlock(channel, RankSteps.NONE, from);
      for (int chunk = 0; chunk < chunks; chunk++) {
        for (int owner = gathers ? from : 0; owner < (gathers ? from + 1 : ranks); owner++) {
          ChunkRange sum = ChunkRange.scratch(slot(owner, channel, chunk), 1);
          int at = owner * chunks + chunk;
          held[at] = gathers || from == 0
              ? steps.receive(in, sum)
              : steps.after(steps.step(in, StepKind.RECEIVE_REDUCE_COPY, sum, sum), held[at]);
        }
      }
    }
    for (int to = 0; to < ranks; to++) {
      int out = steps.threadBlock(channel, to, RankSteps.NONE);
      for (int chunk = 0; chunk < chunks; chunk++) {
        for (int owner = gathers ? 0 : to; owner < (gathers ? ranks : to + 1); owner++) {
          steps.after(
              steps.send(out, ChunkRange.scratch(slot(owner, channel, chunk), 1)), held[owner * chunks + chunk]);
        }
      }
    }
  }
}
