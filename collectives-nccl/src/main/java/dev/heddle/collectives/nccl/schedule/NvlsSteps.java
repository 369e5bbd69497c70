package dev.heddle.collectives.nccl.schedule;

import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.Collective;
import dev.heddle.collective.Layout;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.StepKind;
import java.util.Arrays;

/**
 * All_reduce with reduction in NVSwitches. Every rank sends each head's chunks to the switches of its node, which add
 * them and send the sum to the head. Heads of the same number exchange sums along a tree between nodes (NVLSTree) or
 * through the network's switches (NVLS); on one node there is no exchange. Each head sends its results back to the
 * switches, which multicast them to all ranks of the node. The switches of a node are one aggregator, numbered after
 * the ranks, node by node; the aggregators of the network follow.
 */
public final class NvlsSteps {
  private final NvlsDomains domains;
  private final SharpTrees networkTrees;
  private final int channels;
  private final int chunks;
  private final int heads;
  private final int participant;
  private final RankStepsBuilder steps;

  private NvlsSteps(
      NvlsDomains domains, SharpTrees networkTrees, Layout layout, int channels, int participant) {
    this.domains = domains;
    this.networkTrees = networkTrees;
    this.channels = channels;
    this.participant = participant;
    heads = domains.heads();
    chunks = layout.chunksPerBlock() / channels / heads;
    steps = new RankStepsBuilder(layout, participant);
  }

  /**
   * Schedules an all_reduce of at least two ranks.
   *
   * @param networkTrees a tree for every head on every channel; their participants follow the domains, their channels
   *     begin at {@code 2 * channels}; none for NVLSTree and for one domain
   * @param collective an all_reduce
   * @param channels number of parallel channels
   * @param chunks of each head on each channel, at least 1
   */
  public static Schedule schedule(
      NvlsDomains domains, SharpTrees networkTrees, Collective collective, int channels, int chunks) {
    Layout layout = layout(collective, Math.multiplyExact(channels, Math.multiplyExact(chunks, domains.heads())))
        .withAggregators(domains.count() + networkTrees.participants());
    boolean trees = domains.count() > 1 && networkTrees.isEmpty();
    return Schedule.planned(trees ? "NVLSTree" : "NVLS", layout,
        participant -> participant >= domains.ranks() + domains.count()
            ? networkTrees.allReduce(layout, participant)
            : new NvlsSteps(domains, networkTrees, layout, channels, participant).steps());
  }

  /** A layout with two scratch slots for every chunk: for the node's sum and for the result. */
  static Layout layout(Collective collective, int chunks) {
    Layout plain = Layout.of(collective, chunks);
    long[] sums = new long[2 * chunks];
    Arrays.setAll(sums, slot -> plain.bytes(0, ChunkRange.input(slot % chunks, 1)));
    return plain.withScratch(sums);
  }

  private RankSteps steps() {
    for (int channel = 0; channel < channels; channel++) {
      if (participant < domains.ranks()) {
        rank(channel);
      } else {
        aggregator(channel, participant - domains.ranks());
      }
    }
    return steps.build();
  }

  // The channel from the heads back to all ranks that belongs to a channel.
  private int returnChannel(int channel) {
    return channels + channel;
  }

  private int slot(int channel, int head, int chunk) {
    return (channel * heads + head) * chunks + chunk;
  }

  private ChunkRange sum(int channel, int head, int chunk) {
    return ChunkRange.scratch(slot(channel, head, chunk), 1);
  }

  private ChunkRange result(int channel, int head, int chunk) {
    return ChunkRange.scratch(channels * heads * chunks + slot(channel, head, chunk), 1);
  }

  private void rank(int channel) {
    int domain = domains.domain(participant);
    int aggregator = domains.ranks() + domain;
    int out = steps.threadBlock(channel, aggregator, RankSteps.NONE);
    for (int chunk = 0; chunk < chunks; chunk++) {
      for (int head = 0; head < heads; head++) {
        steps.send(out, ChunkRange.input(slot(channel, head, chunk), 1));
      }
    }
    for (int head = 0; head < heads; head++) {
      if (domains.head(domain, head) == participant) {
        head(channel, domain, head);
      }
    }
    int in = steps.threadBlock(returnChannel(channel), RankSteps.NONE, aggregator);
    for (int chunk = 0; chunk < chunks; chunk++) {
      for (int head = 0; head < heads; head++) {
        steps.receive(in, ChunkRange.output(slot(channel, head, chunk), 1));
      }
    }
  }

  // Adds the steps of a head: receives the node's sums, adds those of the domains below, sends them up, and sends the
  // results to the switches and down.
  private void head(int channel, int domain, int head) {
    int[] last = new int[chunks];
    int in = steps.threadBlock(channel, RankSteps.NONE, domains.ranks() + domain);
    for (int chunk = 0; chunk < chunks; chunk++) {
      last[chunk] = steps.receive(in, sum(channel, head, chunk));
    }
    int[] below = networkTrees.isEmpty() ? domains.children(channel, domain) : new int[0];
    for (int child : below) {
      int block = steps.threadBlock(channel, RankSteps.NONE, domains.head(child, head));
      for (int chunk = 0; chunk < chunks; chunk++) {
        ChunkRange sum = sum(channel, head, chunk);
        last[chunk] = steps.after(steps.step(block, StepKind.RECEIVE_REDUCE_COPY, sum, sum), last[chunk]);
      }
    }
    boolean root = networkTrees.isEmpty() && domains.parent(channel, domain) < 0;
    int[] done = root ? last : above(channel, domain, head, last);
    int out = steps.threadBlock(returnChannel(channel), domains.ranks() + domain, RankSteps.NONE);
    for (int chunk = 0; chunk < chunks; chunk++) {
      ChunkRange result = root ? sum(channel, head, chunk) : result(channel, head, chunk);
      steps.after(steps.send(out, result), done[chunk]);
    }
    for (int child : below) {
      int block = steps.threadBlock(returnChannel(channel), domains.head(child, head), RankSteps.NONE);
      for (int chunk = 0; chunk < chunks; chunk++) {
        ChunkRange result = root ? sum(channel, head, chunk) : result(channel, head, chunk);
        steps.after(steps.send(block, result), done[chunk]);
      }
    }
  }

  private int[] above(int channel, int domain, int head, int[] sums) {
    int treeNumber = channel * heads + head;
    boolean tree = networkTrees.isEmpty();
    int parent = tree ? domains.head(domains.parent(channel, domain), head) : networkTrees.above(treeNumber, domain);
    int up = steps.threadBlock(tree ? channel : networkTrees.channel(treeNumber), parent, RankSteps.NONE);
    int down =
        steps.threadBlock(tree ? returnChannel(channel) : networkTrees.channel(treeNumber), RankSteps.NONE, parent);
    int[] done = new int[chunks];
    for (int chunk = 0; chunk < chunks; chunk++) {
      steps.after(steps.send(up, sum(channel, head, chunk)), sums[chunk]);
      done[chunk] = steps.receive(down, result(channel, head, chunk));
    }
    return done;
  }

  private void aggregator(int channel, int domain) {
    int[] members = domains.members(domain);
    int[][] last = new int[heads][chunks];
    for (int i = 0; i < members.length; i++) {
      int block = steps.threadBlock(channel, RankSteps.NONE, members[i]);
      for (int chunk = 0; chunk < chunks; chunk++) {
        for (int head = 0; head < heads; head++) {
          ChunkRange sum = sum(channel, head, chunk);
          last[head][chunk] = i == 0
              ? steps.receive(block, sum)
              : steps.after(steps.step(block, StepKind.RECEIVE_REDUCE_COPY, sum, sum), last[head][chunk]);
        }
      }
    }
    int[][] returned = new int[heads][chunks];
    for (int head = 0; head < heads; head++) {
      int owner = domains.head(domain, head);
      int out = steps.threadBlock(channel, owner, RankSteps.NONE);
      int in = steps.threadBlock(returnChannel(channel), RankSteps.NONE, owner);
      for (int chunk = 0; chunk < chunks; chunk++) {
        steps.after(steps.send(out, sum(channel, head, chunk)), last[head][chunk]);
        returned[head][chunk] = steps.receive(in, result(channel, head, chunk));
      }
    }
    for (int member : members) {
      int block = steps.threadBlock(returnChannel(channel), member, RankSteps.NONE);
      for (int chunk = 0; chunk < chunks; chunk++) {
        for (int head = 0; head < heads; head++) {
          steps.after(steps.send(block, result(channel, head, chunk)), returned[head][chunk]);
        }
      }
    }
  }
}
