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
 * All_gather and reduce_scatter with NVSwitches, where every rank is a head. In an all_gather a rank sends the blocks
 * of its rail, its own and those of the same heads of other nodes, to the switches of its node, which multicast them;
 * between nodes the network's switches multicast the blocks of each rail. In a reduce_scatter all ranks send every
 * block to the switches, which send each rank the sums of its rail's blocks; the network adds these over the nodes and
 * sends each rank its own.
 */
public final class NvlsBlockSteps {
  private final NvlsDomains domains;
  private final SharpTrees networkTrees;
  private final Layout layout;
  private final boolean gathers;
  private final int channels;
  private final int chunks;
  private final RankStepsBuilder steps;

  private NvlsBlockSteps(NvlsDomains domains, SharpTrees networkTrees, Layout layout, int channels, int participant) {
    this.domains = domains;
    this.networkTrees = networkTrees;
    this.layout = layout;
    this.channels = channels;
    gathers = layout.collective().op() == CollectiveOp.ALL_GATHER;
    chunks = layout.chunksPerBlock() / channels;
    steps = new RankStepsBuilder(layout, participant);
  }

  /**
   * Schedules an all_gather or a reduce_scatter of at least two ranks.
   *
   * @param domains with as many heads as members
   * @param networkTrees a tree for every head on every channel; their participants follow the domains, their channels
   *     begin at {@code 2 * channels}; none for one domain
   * @param channels number of parallel channels
   * @param chunks of each block on each channel, at least 1
   */
  public static Schedule schedule(
      NvlsDomains domains, SharpTrees networkTrees, Collective collective, int channels, int chunks) {
    Layout layout = layout(collective, Math.multiplyExact(channels, chunks))
        .withAggregators(domains.count() + networkTrees.participants());
    return Schedule.planned("NVLS", layout, participant -> {
      NvlsBlockSteps block = new NvlsBlockSteps(domains, networkTrees, layout, channels, participant);
      return participant < domains.ranks() ? block.rank(participant)
          : participant < domains.ranks() + domains.count() ? block.aggregator(participant - domains.ranks())
          : networkTrees.blocks(layout, participant, channels);
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

  // The ranks of a rail by domain. In an all_gather the rank of the receiving domain comes first, since its block is
  // available at once.
  private int[] rail(int head, int domain) {
    int[] ranks = domains.rail(head);
    IntStream others =
        IntStream.range(0, ranks.length).filter(each -> !gathers || each != domain).map(each -> ranks[each]);
    return (gathers ? IntStream.concat(IntStream.of(ranks[domain]), others) : others).toArray();
  }

  private RankSteps rank(int rank) {
    int domain = domains.domain(rank);
    int head = domains.headOf(rank);
    for (int channel = 0; channel < channels; channel++) {
      int out = steps.threadBlock(channel, domains.ranks() + domain, RankSteps.NONE);
      int in = steps.threadBlock(channel, RankSteps.NONE, domains.ranks() + domain);
      int treeNumber = channel * domains.heads() + head;
      int up = RankSteps.NONE;
      int down = RankSteps.NONE;
      if (!networkTrees.isEmpty()) {
        up = steps.threadBlock(networkTrees.channel(treeNumber), networkTrees.above(treeNumber, domain),
            RankSteps.NONE);
        down =
            steps.threadBlock(networkTrees.channel(treeNumber), RankSteps.NONE, networkTrees.above(treeNumber, domain));
      }
      Blocks blocks = new Blocks(out, in, up, down);
      for (int chunk = 0; chunk < chunks; chunk++) {
        if (gathers) {
          gather(rank, rail(head, domain), new int[] {channel, chunk}, blocks);
        } else {
          scatter(rail(head, domain), new int[] {channel, chunk}, blocks);
        }
      }
    }
    return steps.build();
  }

  /**
   * The thread blocks of a rank on a channel: to and from the switches of its node, up to and down from the network's
   * switches.
   */
  private record Blocks(int out, int in, int up, int down) {}

  private void gather(int rank, int[] rail, int[] which, Blocks blocks) {
    ChunkRange own = ChunkRange.input(which[0] * chunks + which[1], 1);
    if (!networkTrees.isEmpty()) {
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
    for (int owner = 0; owner < domains.ranks(); owner++) {
      steps.receive(blocks.in(), ChunkRange.output(slot(owner, which[0], which[1]), 1));
    }
  }

  private void scatter(int[] rail, int[] which, Blocks blocks) {
    for (int owner = 0; owner < domains.ranks(); owner++) {
      steps.send(blocks.out(), ChunkRange.input(slot(owner, which[0], which[1]), 1));
    }
    ChunkRange own = ChunkRange.output(which[0] * chunks + which[1], 1);
    if (networkTrees.isEmpty()) {
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

  private RankSteps aggregator(int domain) {
    for (int channel = 0; channel < channels; channel++) {
      if (gathers) {
        multicast(domain, channel);
      } else {
        add(domain, channel);
      }
    }
    return steps.build();
  }

  private void multicast(int domain, int channel) {
    int[] held = new int[domains.ranks() * chunks];
    for (int head = 0; head < domains.heads(); head++) {
      int in = steps.threadBlock(channel, RankSteps.NONE, domains.head(domain, head));
      for (int chunk = 0; chunk < chunks; chunk++) {
        for (int owner : rail(head, domain)) {
          held[owner * chunks + chunk] = steps.receive(in, scratch(owner, channel, chunk));
        }
      }
    }
    for (int to : domains.members(domain)) {
      int out = steps.threadBlock(channel, to, RankSteps.NONE);
      for (int chunk = 0; chunk < chunks; chunk++) {
        for (int owner = 0; owner < domains.ranks(); owner++) {
          steps.after(steps.send(out, scratch(owner, channel, chunk)), held[owner * chunks + chunk]);
        }
      }
    }
  }

  private void add(int domain, int channel) {
    int[] last = new int[domains.ranks() * chunks];
    Arrays.fill(last, RankSteps.NONE);
    for (int from : domains.members(domain)) {
      int in = steps.threadBlock(channel, RankSteps.NONE, from);
      for (int chunk = 0; chunk < chunks; chunk++) {
        for (int owner = 0; owner < domains.ranks(); owner++) {
          ChunkRange sum = scratch(owner, channel, chunk);
          int at = owner * chunks + chunk;
          last[at] = last[at] == RankSteps.NONE
              ? steps.receive(in, sum)
              : steps.after(steps.step(in, StepKind.RECEIVE_REDUCE_COPY, sum, sum), last[at]);
        }
      }
    }
    for (int head = 0; head < domains.heads(); head++) {
      int out = steps.threadBlock(channel, domains.head(domain, head), RankSteps.NONE);
      for (int chunk = 0; chunk < chunks; chunk++) {
        for (int owner : rail(head, domain)) {
          steps.after(steps.send(out, scratch(owner, channel, chunk)), last[owner * chunks + chunk]);
        }
      }
    }
  }
}
