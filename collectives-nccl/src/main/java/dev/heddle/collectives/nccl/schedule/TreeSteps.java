package dev.heddle.collectives.nccl.schedule;

import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.Collective;
import dev.heddle.collective.Layout;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.StepKind;

/**
 * All_reduce over trees. Chunks are added from the leaves to the root and sent back down, both concurrently. A thread
 * block serves each direction; further children have thread blocks of their own. With Simple both directions share
 * a copy engine, as they are the threads of one block; a copy to a further child counts with the step that adds its
 * data.
 */
public final class TreeSteps {
  private final Trees trees;
  private final int chunks;
  private final boolean shared;
  private final int rank;
  private final RankStepsBuilder steps;

  private TreeSteps(Trees trees, Layout layout, int chunks, boolean shared, int rank) {
    this.trees = trees;
    this.chunks = chunks;
    this.shared = shared;
    this.rank = rank;
    steps = new RankStepsBuilder(layout, rank);
  }

  /**
   * Schedules an all_reduce of at least two ranks.
   *
   * @param trees of all channels
   * @param collective an all_reduce
   * @param chunks of each channel, at least 1
   * @param shared whether both directions share a copy engine
   */
  public static Schedule schedule(Trees trees, Collective collective, int chunks, boolean shared) {
    Layout layout = Layout.of(collective, Math.multiplyExact(trees.channels(), chunks));
    return Schedule.planned("Tree", layout, rank -> new TreeSteps(trees, layout, chunks, shared, rank).steps());
  }

  /**
   * Schedules an all_reduce with CollNetChain: the trees are chains within nodes, which the network joins.
   *
   * @param chains of all channels; the parent of the first rank of a chain is an aggregator
   * @param networkTrees a tree for every channel; their participants follow the ranks, their channels begin at 0
   * @param collective an all_reduce
   * @param chunks of each channel, at least 1
   */
  public static Schedule schedule(Trees chains, SharpTrees networkTrees, Collective collective, int chunks) {
    Layout layout = NvlsSteps.layout(collective, Math.multiplyExact(chains.channels(), chunks))
        .withAggregators(networkTrees.participants());
    return Schedule.planned("CollNetChain", layout, participant -> participant < chains.ranks()
        ? new TreeSteps(chains, layout, chunks, true, participant).steps()
        : networkTrees.allReduce(layout, participant));
  }

  private RankSteps steps() {
    for (int channel = 0; channel < trees.channels(); channel++) {
      int parent = trees.parent(channel, rank);
      int[] children = trees.children(channel, rank);
      int[] sums = up(channel, parent, children);
      down(channel, parent, children, sums);
    }
    return steps.build();
  }

  // Adds the steps towards the root, one child after the other; the sum with the last child's goes to the parent.
  // Returns the last step of each chunk.
  private int[] up(int channel, int parent, int[] children) {
    int[] last = new int[chunks];
    if (children.length == 0) {
      int block = working(channel, parent, RankSteps.NONE);
      for (int chunk = 0; chunk < chunks; chunk++) {
        last[chunk] = steps.send(block, input(channel, chunk));
      }
      return last;
    }
    for (int i = 0; i < children.length; i++) {
      boolean forwards = i == children.length - 1 && parent != RankSteps.NONE;
      int block = working(channel, forwards ? parent : RankSteps.NONE, children[i]);
      for (int chunk = 0; chunk < chunks; chunk++) {
        ChunkRange source = i == 0 ? input(channel, chunk) : output(channel, chunk);
        int step = forwards
            ? steps.step(block, StepKind.RECEIVE_REDUCE_SEND, source, null)
            : steps.step(block, StepKind.RECEIVE_REDUCE_COPY, source, output(channel, chunk));
        if (i > 0) {
          steps.after(step, last[chunk]);
        }
        last[chunk] = step;
      }
    }
    return last;
  }

  private void down(int channel, int parent, int[] children, int[] sums) {
    int[] whole = sums;
    int served = 0;
    if (parent != RankSteps.NONE) {
      boolean passes = children.length > 0;
      int block = working(channel, passes ? children[0] : RankSteps.NONE, parent);
      whole = new int[chunks];
      for (int chunk = 0; chunk < chunks; chunk++) {
        whole[chunk] = steps.after(
            steps.step(
                block, passes ? StepKind.RECEIVE_COPY_SEND : StepKind.RECEIVE, null, output(channel, chunk)),
            sums[chunk]);
      }
      served = passes ? 1 : 0;
    }
    for (int i = served; i < children.length; i++) {
      int block = steps.threadBlock(channel, children[i], RankSteps.NONE);
      for (int chunk = 0; chunk < chunks; chunk++) {
        steps.after(steps.send(block, output(channel, chunk)), whole[chunk]);
      }
    }
  }

  private int working(int channel, int sendPeer, int receivePeer) {
    int block = steps.threadBlock(channel, sendPeer, receivePeer);
    return shared ? steps.onCopyEngine(block, channel) : block;
  }

  private ChunkRange input(int channel, int chunk) {
    return ChunkRange.input(channel * chunks + chunk, 1);
  }

  private ChunkRange output(int channel, int chunk) {
    return ChunkRange.output(channel * chunks + chunk, 1);
  }
}
