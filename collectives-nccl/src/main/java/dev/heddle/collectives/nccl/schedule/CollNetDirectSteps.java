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
 * All_reduce with CollNetDirect: every rank sends each head of its node that head's chunks; the head adds them, sends
 * the sums to the network, and sends the results that return to every rank of its node.
 */
public final class CollNetDirectSteps {
  private final NvlsDomains domains;
  private final SharpTrees networkTrees;
  private final int channels;
  private final int heads;
  private final int chunks;
  private final int rank;
  private final int[] others;
  private final RankStepsBuilder steps;

  private CollNetDirectSteps(NvlsDomains domains, SharpTrees networkTrees, Layout layout, int channels, int rank) {
    this.domains = domains;
    this.networkTrees = networkTrees;
    this.channels = channels;
    this.rank = rank;
    heads = domains.heads();
    chunks = layout.chunksPerBlock() / channels / heads;
    others = domains.others(rank);
    steps = new RankStepsBuilder(layout, rank);
  }

  /**
   * Schedules an all_reduce.
   *
   * @param domains with the heads
   * @param networkTrees a tree for every head on every channel; their participants follow the ranks, their channels
   *     begin at {@code 2 * channels}
   * @param collective an all_reduce
   * @param channels number of parallel channels
   * @param chunks of each head on each channel, at least 1
   */
  public static Schedule schedule(
      NvlsDomains domains, SharpTrees networkTrees, Collective collective, int channels, int chunks) {
    Layout layout =
        NvlsSteps.layout(collective, Math.multiplyExact(channels, Math.multiplyExact(chunks, domains.heads())))
            .withAggregators(networkTrees.participants());
    return Schedule.planned("CollNetDirect", layout, participant -> participant < domains.ranks()
        ? new CollNetDirectSteps(domains, networkTrees, layout, channels, participant).steps()
        : networkTrees.allReduce(layout, participant));
  }

  private RankSteps steps() {
    int domain = domains.domain(rank);
    int[] owners = IntStream.range(0, heads).map(head -> domains.head(domain, head)).toArray();
    int own = Ints.indexOf(owners, rank);
    for (int channel = 0; channel < channels; channel++) {
      scatterAndGather(channel, owners);
      if (own >= 0) {
        int treeNumber = channel * heads + own;
        head(channel, treeNumber, networkTrees.above(treeNumber, domain));
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
      scatter.beginTurn();
      gather.beginTurn();
      for (int i = 0; i < serving.length; i++) {
        int slot = (channel * heads + Ints.indexOf(owners, serving[i])) * chunks + chunk;
        scatter.addSend(steps.send(out[i], ChunkRange.input(slot, 1)));
        gather.addStore(steps.receive(in[i], ChunkRange.output(slot, 1)));
      }
    }
  }

  private void head(int channel, int treeNumber, int above) {
    int[] in = IntStream.of(others).map(other -> steps.threadBlock(channel, RankSteps.NONE, other)).toArray();
    int up = steps.threadBlock(networkTrees.channel(treeNumber), above, RankSteps.NONE);
    int down = steps.threadBlock(networkTrees.channel(treeNumber), RankSteps.NONE, above);
    int[] out =
        IntStream.of(others).map(other -> steps.threadBlock(channels + channel, other, RankSteps.NONE)).toArray();
    PeerGroup reduce = new PeerGroup(steps, in.length);
    PeerGroup broadcast = new PeerGroup(steps, out.length);
    for (int chunk = 0; chunk < chunks; chunk++) {
      int slot = treeNumber * chunks + chunk;
      ChunkRange sum = others.length > 0 ? ChunkRange.scratch(slot, 1) : ChunkRange.input(slot, 1);
      reduce.beginTurn();
      int added = RankSteps.NONE;
      for (int i = 0; i < in.length; i++) {
        ChunkRange with = i == 0 ? ChunkRange.input(slot, 1) : sum;
        added = reduce.addStore(steps.step(in[i], StepKind.RECEIVE_REDUCE_COPY, with, sum));
      }
      steps.after(reduce.addSendOfStored(steps.send(up, sum)), added);
      int whole = broadcast.addReceiveForSend(steps.receive(down, ChunkRange.output(slot, 1)));
      broadcast.beginTurn();
      for (int to : out) {
        steps.after(broadcast.addSend(steps.send(to, ChunkRange.output(slot, 1))), whole);
      }
    }
  }
}
