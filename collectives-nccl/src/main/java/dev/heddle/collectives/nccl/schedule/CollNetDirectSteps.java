package dev.heddle.collectives.nccl.schedule;

import com.google.common.primitives.Ints;
import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.Collective;
import dev.heddle.collective.Layout;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.StepKind;
import java.util.stream.IntStream;

/**
 * All_reduce as CollNetDirect: every rank hands each head of its node the head's chunks, which the head adds up and hands
 * to the network; what comes back the head hands to every rank of its node.
 */
public final class CollNetDirectSteps {
  private final NvlsDomains teams;
  private final SharpTrees lines;
  private final int channels;
  private final int heads;
  private final int chunks;
  private final int rank;
  private final int[] others;
  private final RankStepsBuilder steps;

  private CollNetDirectSteps(NvlsDomains teams, SharpTrees lines, Layout layout, int channels, int rank) {
    this.teams = teams;
    this.lines = lines;
    this.channels = channels;
    this.rank = rank;
    heads = teams.heads();
    chunks = layout.chunksPerBlock() / channels / heads;
    others = teams.others(rank);
    steps = new RankStepsBuilder(layout, rank);
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
      NvlsDomains teams, SharpTrees lines, Collective collective, int channels, int chunks) {
    Layout layout =
        NvlsSteps.layout(collective, Math.multiplyExact(channels, Math.multiplyExact(chunks, teams.heads())))
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
      scatterAndGather(channel, owners);
      if (own >= 0) {
        int line = channel * heads + own;
        head(channel, line, lines.above(line, team));
      }
    }
    return steps.build();
  }

  private void scatterAndGather(int channel, int[] owners) {
    int[] serving = IntStream.of(others).filter(other -> Ints.contains(owners, other)).toArray();
    int[] out = IntStream.of(serving).map(owner -> steps.threadBlock(channel, owner, RankSteps.NONE)).toArray();
    int[] in =
        IntStream.of(serving).map(owner -> steps.threadBlock(channels + channel, RankSteps.NONE, owner)).toArray();
    PeerGroup scatter = new PeerGroup(steps, out.length);
    PeerGroup gather = new PeerGroup(steps, in.length);
    for (int chunk = 0; chunk < chunks; chunk++) {
      scatter.turn();
      gather.turn();
      for (int i = 0; i < serving.length; i++) {
        int slot = (channel * heads + Ints.indexOf(owners, serving[i])) * chunks + chunk;
        scatter.sends(steps.send(out[i], ChunkRange.input(slot, 1)));
        gather.keeps(steps.receive(in[i], ChunkRange.output(slot, 1)));
      }
    }
  }

  private void head(int channel, int line, int above) {
    int[] in = IntStream.of(others).map(other -> steps.threadBlock(channel, RankSteps.NONE, other)).toArray();
    int up = steps.threadBlock(lines.channel(line), above, RankSteps.NONE);
    int down = steps.threadBlock(lines.channel(line), RankSteps.NONE, above);
    int[] out =
        IntStream.of(others).map(other -> steps.threadBlock(channels + channel, other, RankSteps.NONE)).toArray();
    PeerGroup reduce = new PeerGroup(steps, in.length);
    PeerGroup broadcast = new PeerGroup(steps, out.length);
    for (int chunk = 0; chunk < chunks; chunk++) {
      int slot = line * chunks + chunk;
      ChunkRange sum = others.length > 0 ? ChunkRange.scratch(slot, 1) : ChunkRange.input(slot, 1);
      reduce.turn();
      int added = RankSteps.NONE;
      for (int i = 0; i < in.length; i++) {
        ChunkRange with = i == 0 ? ChunkRange.input(slot, 1) : sum;
        added = reduce.keeps(steps.step(in[i], StepKind.RECEIVE_REDUCE_COPY, with, sum));
      }
      steps.after(reduce.passes(steps.send(up, sum)), added);
      int whole = broadcast.finds(steps.receive(down, ChunkRange.output(slot, 1)));
      broadcast.turn();
      for (int to : out) {
        steps.after(broadcast.sends(steps.send(to, ChunkRange.output(slot, 1))), whole);
      }
    }
  }
}
