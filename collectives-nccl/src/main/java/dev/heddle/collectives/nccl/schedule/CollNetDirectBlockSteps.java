package dev.heddle.collectives.nccl.schedule;

import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Layout;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.StepKind;
import java.util.stream.IntStream;

/**
 * All_gather and reduce_scatter as CollNetDirect, all ranks being heads. To gather, the network hands each rank the blocks
 * of its rail, which the rank hands to all others of its node; to scatter, a rank hands each of its node the blocks of
 * that one's rail, which adds them up and has the network add them over the nodes.
 */
public final class CollNetDirectBlockSteps {
  private final NvlsDomains teams;
  private final SharpTrees lines;
  private final Layout layout;
  private final int channels;
  private final int chunks;
  private final int rank;
  private final int team;
  private final int[] others;
  private final RankStepsBuilder steps;

  private CollNetDirectBlockSteps(NvlsDomains teams, SharpTrees lines, Layout layout, int channels, int rank) {
    this.teams = teams;
    this.lines = lines;
    this.layout = layout;
    this.channels = channels;
    this.rank = rank;
    team = teams.team(rank);
    others = teams.others(rank);
    chunks = layout.chunksPerBlock() / channels;
    steps = new RankStepsBuilder(layout, rank);
  }

  /**
   * Schedules an all_gather or a reduce_scatter.
   *
   * @param teams with as many heads as members
   * @param lines one of every head on every channel, which follow the ranks and begin with channel {@code 2 * channels}
   * @param channels side by side
   * @param chunks of each block on each channel, at least 1
   */
  public static Schedule schedule(
      NvlsDomains teams, SharpTrees lines, Collective collective, int channels, int chunks) {
    Layout layout = NvlsBlockSteps.layout(collective, Math.multiplyExact(channels, chunks))
        .withAggregators(lines.participants());
    return Schedule.planned("CollNetDirect", layout, participant -> participant < teams.ranks()
        ? new CollNetDirectBlockSteps(teams, lines, layout, channels, participant).steps()
        : lines.blocks(layout, participant, channels));
  }

  private RankSteps steps() {
    int head = teams.headOf(rank);
    for (int channel = 0; channel < channels; channel++) {
      int line = channel * teams.heads() + head;
      int up = steps.threadBlock(lines.channel(line), lines.above(line, team), RankSteps.NONE);
      int down = steps.threadBlock(lines.channel(line), RankSteps.NONE, lines.above(line, team));
      if (layout.collective().op() == CollectiveOp.ALL_GATHER) {
        gather(channel, teams.rail(head), up, down);
      } else {
        scatter(channel, teams.rail(head), up, down);
      }
    }
    return steps.build();
  }

  private int slot(int owner, int channel, int chunk) {
    return owner * layout.chunksPerBlock() + channel * chunks + chunk;
  }

  private int[] blocksTo(int channel) {
    return IntStream.of(others).map(other -> steps.threadBlock(channel, other, RankSteps.NONE)).toArray();
  }

  private int[] blocksFrom(int channel) {
    return IntStream.of(others).map(other -> steps.threadBlock(channel, RankSteps.NONE, other)).toArray();
  }

  private void gather(int channel, int[] rail, int up, int down) {
    int copies = steps.threadBlock(channel, RankSteps.NONE, RankSteps.NONE);
    int[] out = blocksTo(channel);
    int[] in = blocksFrom(channel);
    PeerGroup broadcast = new PeerGroup(steps, out.length);
    PeerGroup gather = new PeerGroup(steps, in.length);
    for (int chunk = 0; chunk < chunks; chunk++) {
      ChunkRange own = ChunkRange.input(channel * chunks + chunk, 1);
      steps.send(up, own);
      broadcast.turn();
      gather.turn();
      for (int node = 0; node < rail.length; node++) {
        ChunkRange block = ChunkRange.output(slot(rail[node], channel, chunk), 1);
        int held = node == team ? steps.copy(copies, own, block) : broadcast.finds(steps.receive(down, block));
        for (int i = 0; i < others.length; i++) {
          int theirs = teams.rail(teams.headOf(others[i]))[node];
          steps.after(broadcast.sends(steps.send(out[i], block)), held);
          gather.keeps(steps.receive(in[i], ChunkRange.output(slot(theirs, channel, chunk), 1)));
        }
      }
    }
  }

  private void scatter(int channel, int[] rail, int up, int down) {
    int[] out = blocksTo(channel);
    int[] in = blocksFrom(channel);
    PeerGroup scatter = new PeerGroup(steps, out.length);
    PeerGroup reduce = new PeerGroup(steps, in.length);
    for (int chunk = 0; chunk < chunks; chunk++) {
      scatter.turn();
      reduce.turn();
      for (int node = 0; node < rail.length; node++) {
        int slot = slot(rail[node], channel, chunk);
        ChunkRange sum = others.length > 0 ? ChunkRange.scratch(slot, 1) : ChunkRange.input(slot, 1);
        int added = RankSteps.NONE;
        for (int i = 0; i < others.length; i++) {
          int theirs = teams.rail(teams.headOf(others[i]))[node];
          scatter.sends(steps.send(out[i], ChunkRange.input(slot(theirs, channel, chunk), 1)));
          ChunkRange with = i == 0 ? ChunkRange.input(slot, 1) : sum;
          added = reduce.keeps(steps.step(in[i], StepKind.RECEIVE_REDUCE_COPY, with, sum));
        }
        steps.after(reduce.passes(steps.send(up, sum)), added);
      }
      steps.receive(down, ChunkRange.output(channel * chunks + chunk, 1));
    }
  }
}
