package dev.heddle.collectives.nccl.schedule;

import com.google.common.primitives.Ints;
import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.Collective;
import dev.heddle.collective.Layout;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.StepKind;
import java.util.stream.IntStream;

/**
 * All_reduce as CollNetDirect: every rank hands each head of its node the head's chunks, which the head adds up and hands
 * to the network; what comes back the head hands to every rank of its node.
 */
public final class CollNetDirectSteps {
  private final SwitchTeams teams;
  private final NetworkLines lines;
  private final int channels;
  private final int heads;
  private final int chunks;
  private final int rank;
  private final int[] others;
  private final RankSteps.Builder steps;

  private CollNetDirectSteps(SwitchTeams teams, NetworkLines lines, Layout layout, int channels, int rank) {
    this.teams = teams;
    this.lines = lines;
    this.channels = channels;
    this.rank = rank;
    heads = teams.heads();
    chunks = layout.chunksPerBlock() / channels / heads;
    others = teams.others(rank);
    steps = new RankSteps.Builder(layout, rank);
  }

  /**
   * Schedules an all_reduce.
   *
   * @param teams with the heads
   * @param lines one of every head on every channel, which follow the ranks and begin with channel {@code 2 * channels}
   * @param collective an all_reduce
   * @param channels side by side
   * @param chunks of each head on each channel, at least 1
   */
  public static Schedule schedule(
      SwitchTeams teams, NetworkLines lines, Collective collective, int channels, int chunks) {
    Layout layout = NvlsSteps.layout(collective, Math.multiplyExact(channels, Math.multiplyExact(chunks, teams.heads())))
        .withAggregators(lines.participants());
    return Schedule.planned("CollNetDirect", layout, participant -> participant < teams.ranks()
        ? new CollNetDirectSteps(teams, lines, layout, channels, participant).steps()
        : lines.allReduce(layout, participant));
  }

  private RankSteps steps() {
    int team = teams.team(rank);
    int[] owners = IntStream.range(0, heads).map(head -> teams.head(team, head)).toArray();
    int own = Ints.indexOf(owners, rank);
    for (int channel = 0; channel < channels; channel++) {
      for (int other : others) {
        int head = Ints.indexOf(owners, other);
        if (head >= 0) {
          scatterAndGather(channel, channel * heads + head, other);
        }
      }
      if (own >= 0) {
        int line = channel * heads + own;
        head(channel, line, lines.above(line, team));
      }
    }
    return steps.build();
  }

  private void scatterAndGather(int channel, int line, int owner) {
    int out = steps.threadBlock(channel, owner, RankSteps.NONE);
    int in = steps.threadBlock(channels + channel, RankSteps.NONE, owner);
    for (int chunk = 0; chunk < chunks; chunk++) {
      steps.send(out, ChunkRange.input(line * chunks + chunk, 1));
      steps.receive(in, ChunkRange.output(line * chunks + chunk, 1));
    }
  }

  private void head(int channel, int line, int above) {
    int[] last = new int[chunks];
    boolean begun = false;
    for (int other : others) {
      int block = steps.threadBlock(channel, RankSteps.NONE, other);
      for (int chunk = 0; chunk < chunks; chunk++) {
        int slot = line * chunks + chunk;
        ChunkRange sum = ChunkRange.scratch(slot, 1);
        int step = steps.step(
            block, StepKind.RECEIVE_REDUCE_COPY, begun ? sum : ChunkRange.input(slot, 1), sum);
        last[chunk] = begun ? steps.after(step, last[chunk]) : step;
      }
      begun = true;
    }
    int up = steps.threadBlock(lines.channel(line), above, RankSteps.NONE);
    int down = steps.threadBlock(lines.channel(line), RankSteps.NONE, above);
    for (int chunk = 0; chunk < chunks; chunk++) {
      int slot = line * chunks + chunk;
      int sent = steps.send(up, begun ? ChunkRange.scratch(slot, 1) : ChunkRange.input(slot, 1));
      steps.after(sent, begun ? last[chunk] : RankSteps.NONE);
      last[chunk] = steps.receive(down, ChunkRange.output(slot, 1));
    }
    for (int other : others) {
      int block = steps.threadBlock(channels + channel, other, RankSteps.NONE);
      for (int chunk = 0; chunk < chunks; chunk++) {
        steps.after(steps.send(block, ChunkRange.output(line * chunks + chunk, 1)), last[chunk]);
      }
    }
  }
}
