package dev.heddle.collectives.nccl.schedule;

import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Layout;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.StepKind;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * All_gather and reduce_scatter by NVSwitches, all ranks being heads. To gather, a rank hands the blocks of its rail, its
 * own and those of the heads of its number on other nodes, to the switches of its node, which multicast them; between
 * nodes the network's switches multicast each rail's blocks. To scatter, all hand every block to the switches, which hand
 * each rank the sums of its rail's; the network adds these over the nodes and hands each rank its own.
 */
public final class NvlsBlockSteps {
  private final NvlsDomains teams;
  private final SharpTrees lines;
  private final Layout layout;
  private final boolean gathers;
  private final int channels;
  private final int chunks;
  private final RankStepsBuilder steps;

  private NvlsBlockSteps(NvlsDomains teams, SharpTrees lines, Layout layout, int channels, int participant) {
    this.teams = teams;
    this.lines = lines;
    this.layout = layout;
    this.channels = channels;
    gathers = layout.collective().op() == CollectiveOp.ALL_GATHER;
    chunks = layout.chunksPerBlock() / channels;
    steps = new RankStepsBuilder(layout, participant);
  }

  /**
   * Schedules an all_gather or a reduce_scatter of at least two ranks.
   *
   * @param teams with as many heads as members
   * @param lines one of every head on every channel, which follow the teams and begin with channel {@code 2 * channels};
   *     none of one team
   * @param channels side by side
   * @param chunks of each block on each channel, at least 1
   */
  public static Schedule schedule(
      NvlsDomains teams, SharpTrees lines, Collective collective, int channels, int chunks) {
    Layout layout = layout(collective, Math.multiplyExact(channels, chunks))
        .withAggregators(teams.teams() + lines.participants());
    return Schedule.planned("NVLS", layout, participant -> {
      NvlsBlockSteps block = new NvlsBlockSteps(teams, lines, layout, channels, participant);
      return participant < teams.ranks() ? block.rank(participant)
          : participant < teams.ranks() + teams.teams() ? block.aggregator(participant - teams.ranks())
          : lines.blocks(layout, participant, channels);
    });
  }

  /** A layout with scratch for the blocks of all ranks. */
  static Layout layout(Collective collective, int chunksPerBlock) {
    Layout plain = Layout.of(collective, chunksPerBlock);
    long[] blocks = new long[Math.multiplyExact(chunksPerBlock, collective.ranks())];
    boolean gathers = collective.op() == CollectiveOp.ALL_GATHER;
    Arrays.setAll(blocks, slot -> plain.bytes(0, gathers ? ChunkRange.output(slot, 1) : ChunkRange.input(slot, 1)));
    return plain.withScratch(blocks);
  }

  private int slot(int owner, int channel, int chunk) {
    return owner * layout.chunksPerBlock() + channel * chunks + chunk;
  }

  private ChunkRange scratch(int owner, int channel, int chunk) {
    return ChunkRange.scratch(slot(owner, channel, chunk), 1);
  }

  // The ranks of a rail by team; to gather, that of the team whose switches get the blocks comes first: it is at hand.
  private int[] rail(int head, int team) {
    int[] ranks = teams.rail(head);
    IntStream others =
        IntStream.range(0, ranks.length).filter(each -> !gathers || each != team).map(each -> ranks[each]);
    return (gathers ? IntStream.concat(IntStream.of(ranks[team]), others) : others).toArray();
  }

  private RankSteps rank(int rank) {
    int team = teams.team(rank);
    int head = teams.headOf(rank);
    for (int channel = 0; channel < channels; channel++) {
      int out = steps.threadBlock(channel, teams.ranks() + team, RankSteps.NONE);
      int in = steps.threadBlock(channel, RankSteps.NONE, teams.ranks() + team);
      int line = channel * teams.heads() + head;
      int up = RankSteps.NONE;
      int down = RankSteps.NONE;
      if (!lines.isEmpty()) {
        up = steps.threadBlock(lines.channel(line), lines.above(line, team), RankSteps.NONE);
        down = steps.threadBlock(lines.channel(line), RankSteps.NONE, lines.above(line, team));
      }
      Blocks blocks = new Blocks(out, in, up, down);
      for (int chunk = 0; chunk < chunks; chunk++) {
        if (gathers) {
          gather(rank, rail(head, team), new int[] {channel, chunk}, blocks);
        } else {
          scatter(rail(head, team), new int[] {channel, chunk}, blocks);
        }
      }
    }
    return steps.build();
  }

  /** A rank's thread blocks on a channel: to and from the switches of its node, up to and down from the network's. */
  private record Blocks(int out, int in, int up, int down) {}

  private void gather(int rank, int[] rail, int[] which, Blocks blocks) {
    ChunkRange own = ChunkRange.input(which[0] * chunks + which[1], 1);
    if (!lines.isEmpty()) {
      steps.send(blocks.up(), own);
    }
    for (int owner : rail) {
      if (owner == rank) {
        steps.send(blocks.out(), own);
      } else {
        ChunkRange other = scratch(owner, which[0], which[1]);
        int received = steps.receive(blocks.down(), other);
        steps.after(steps.send(blocks.out(), other), received);
      }
    }
    for (int owner = 0; owner < teams.ranks(); owner++) {
      steps.receive(blocks.in(), ChunkRange.output(slot(owner, which[0], which[1]), 1));
    }
  }

  private void scatter(int[] rail, int[] which, Blocks blocks) {
    for (int owner = 0; owner < teams.ranks(); owner++) {
      steps.send(blocks.out(), ChunkRange.input(slot(owner, which[0], which[1]), 1));
    }
    ChunkRange own = ChunkRange.output(which[0] * chunks + which[1], 1);
    if (lines.isEmpty()) {
      steps.receive(blocks.in(), own);
      return;
    }
    for (int owner : rail) {
      ChunkRange sum = scratch(owner, which[0], which[1]);
      int received = steps.receive(blocks.in(), sum);
      steps.after(steps.send(blocks.up(), sum), received);
    }
    steps.receive(blocks.down(), own);
  }

  private RankSteps aggregator(int team) {
    for (int channel = 0; channel < channels; channel++) {
      if (gathers) {
        multicast(team, channel);
      } else {
        add(team, channel);
      }
    }
    return steps.build();
  }

  private void multicast(int team, int channel) {
    int[] held = new int[teams.ranks() * chunks];
    for (int head = 0; head < teams.heads(); head++) {
      int in = steps.threadBlock(channel, RankSteps.NONE, teams.head(team, head));
      for (int chunk = 0; chunk < chunks; chunk++) {
        for (int owner : rail(head, team)) {
          held[owner * chunks + chunk] = steps.receive(in, scratch(owner, channel, chunk));
        }
      }
    }
    for (int to : teams.members(team)) {
      int out = steps.threadBlock(channel, to, RankSteps.NONE);
      for (int chunk = 0; chunk < chunks; chunk++) {
        for (int owner = 0; owner < teams.ranks(); owner++) {
          steps.after(steps.send(out, scratch(owner, channel, chunk)), held[owner * chunks + chunk]);
        }
      }
    }
  }

  private void add(int team, int channel) {
    int[] last = new int[teams.ranks() * chunks];
    Arrays.fill(last, RankSteps.NONE);
    for (int from : teams.members(team)) {
      int in = steps.threadBlock(channel, RankSteps.NONE, from);
      for (int chunk = 0; chunk < chunks; chunk++) {
        for (int owner = 0; owner < teams.ranks(); owner++) {
          ChunkRange sum = scratch(owner, channel, chunk);
          int at = owner * chunks + chunk;
          last[at] = last[at] == RankSteps.NONE
              ? steps.receive(in, sum)
              : steps.after(steps.step(in, StepKind.RECEIVE_REDUCE_COPY, sum, sum), last[at]);
        }
      }
    }
    for (int head = 0; head < teams.heads(); head++) {
      int out = steps.threadBlock(channel, teams.head(team, head), RankSteps.NONE);
      for (int chunk = 0; chunk < chunks; chunk++) {
        for (int owner : rail(head, team)) {
          steps.after(steps.send(out, scratch(owner, channel, chunk)), last[owner * chunks + chunk]);
        }
      }
    }
  }
}
