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
 * All_gather and reduce_scatter with CollNetDirect, where every rank is a head. In an all_gather each rank receives the
 * blocks of its rail from the network and sends them to all other ranks of its node. In a reduce_scatter each rank
 * sends to every other rank of its node the blocks of that rank's rail; the receiver adds them and sends the sums to
 * the network, which adds them over the nodes.
 */
public final class CollNetDirectBlockSteps {
  private final NvlsDomains domains;
  private final SharpTrees networkTrees;
  private final Layout layout;
  private final int channels;
  private final int chunks;
  private final int rank;
  private final int domain;
  private final int[] others;
  private final RankStepsBuilder steps;

  private CollNetDirectBlockSteps(NvlsDomains domains, SharpTrees networkTrees, Layout layout, int channels, int rank) {
    this.domains = domains;
    this.networkTrees = networkTrees;
    this.layout = layout;
    this.channels = channels;
    this.rank = rank;
    domain = domains.domain(rank);
    others = domains.others(rank);
    chunks = layout.chunksPerBlock() / channels;
    steps = new RankStepsBuilder(layout, rank);
  }

  /**
   * Schedules an all_gather or a reduce_scatter.
   *
   * @param domains with as many heads as members
   * @param networkTrees a tree for every head on every channel; their participants follow the ranks, their channels
   *     begin at {@code 2 * channels}
   * @param channels number of parallel channels
   * @param chunks of each block on each channel, at least 1
   */
  public static Schedule schedule(
      NvlsDomains domains, SharpTrees networkTrees, Collective collective, int channels, int chunks) {
    Layout layout = NvlsBlockSteps.layout(collective, Math.multiplyExact(channels, chunks))
        .withAggregators(networkTrees.participants());
    return Schedule.planned("CollNetDirect", layout, participant -> participant < domains.ranks()
        ? new CollNetDirectBlockSteps(domains, networkTrees, layout, channels, participant).steps()
        : networkTrees.blocks(layout, participant, channels));
  }

  private RankSteps steps() {
    int head = domains.headOf(rank);
    for (int channel = 0; channel < channels; channel++) {
      int treeNumber = channel * domains.heads() + head;
      int up =
          steps.threadBlock(networkTrees.channel(treeNumber), networkTrees.above(treeNumber, domain), RankSteps.NONE);
      int down =
          steps.threadBlock(networkTrees.channel(treeNumber), RankSteps.NONE, networkTrees.above(treeNumber, domain));
      if (layout.collective().op() == CollectiveOp.ALL_GATHER) {
        gather(channel, domains.rail(head), up, down);
      } else {
        scatter(channel, domains.rail(head), up, down);
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
      broadcast.beginTurn();
      gather.beginTurn();
      for (int node = 0; node < rail.length; node++) {
        ChunkRange block = ChunkRange.output(slot(rail[node], channel, chunk), 1);
        int held =
            node == domain ? steps.copy(copies, own, block) : broadcast.addReceiveForSend(steps.receive(down, block));
        for (int i = 0; i < others.length; i++) {
          int theirs = domains.rail(domains.headOf(others[i]))[node];
          steps.after(broadcast.addSend(steps.send(out[i], block)), held);
          gather.addStore(steps.receive(in[i], ChunkRange.output(slot(theirs, channel, chunk), 1)));
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
      scatter.beginTurn();
      reduce.beginTurn();
      for (int node = 0; node < rail.length; node++) {
        int slot = slot(rail[node], channel, chunk);
        ChunkRange sum = others.length > 0 ? ChunkRange.scratch(slot, 1) : ChunkRange.input(slot, 1);
        int added = RankSteps.NONE;
        for (int i = 0; i < others.length; i++) {
          int theirs = domains.rail(domains.headOf(others[i]))[node];
          scatter.addSend(steps.send(out[i], ChunkRange.input(slot(theirs, channel, chunk), 1)));
          ChunkRange with = i == 0 ? ChunkRange.input(slot, 1) : sum;
          added = reduce.addStore(steps.step(in[i], StepKind.RECEIVE_REDUCE_COPY, with, sum));
        }
        steps.after(reduce.addSendOfStored(steps.send(up, sum)), added);
      }
      steps.receive(down, ChunkRange.output(channel * chunks + chunk, 1));
    }
  }
}
