package dev.heddle.collectives.nccl.schedule;

import com.google.common.primitives.Ints;
import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Layout;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.StepKind;
import java.util.Arrays;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * The steps of one aggregator in an all_gather or reduce_scatter over the ranks of its tree. Blocks move chunk by
 * chunk; those of a chunk in the order of their ranks' nodes.
 */
final class AggregatorBlocks {
  private final NetworkTree tree;
  private final boolean gathers;
  private final int aggregator;
  private final int firstParticipant;
  private final int connections;
  private final int chunksPerBlock;
  private final RankStepsBuilder steps;
  // The step after which a block's chunk is present, by rank and chunk.
  private final int[] known;
  private int firstChunk;
  private int chunks;

  /**
   * An aggregator without steps.
   *
   * @param aggregator number of the aggregator in the tree
   * @param firstParticipant participant that is the tree's first aggregator
   * @param connections channel of the tree's connections
   */
  AggregatorBlocks(NetworkTree tree, Layout layout, int aggregator, int firstParticipant, int connections) {
    this.tree = tree;
    this.aggregator = aggregator;
    this.firstParticipant = firstParticipant;
    this.connections = connections;
    gathers = layout.collective().op() == CollectiveOp.ALL_GATHER;
    chunksPerBlock = layout.chunksPerBlock();
    steps = new RankStepsBuilder(layout, firstParticipant + aggregator);
    known = new int[layout.ranks() * chunksPerBlock];
    Arrays.fill(known, RankSteps.NONE);
  }

  /** The steps that move a range of chunks of every block. */
  RankSteps steps(int first, int count) {
    firstChunk = first;
    chunks = count;
    int[] children = IntStream.concat(
        IntStream.of(tree.ranksBelow(aggregator)),
        IntStream.of(tree.aggregatorsBelow(aggregator)).map(other -> firstParticipant + other)).toArray();
    for (int child : children) {
      collect(child);
    }
    if (tree.parent(aggregator) >= 0) {
      exchange(firstParticipant + tree.parent(aggregator));
    }
    for (int child : children) {
      int block = steps.threadBlock(connections, child, RankSteps.NONE);
      forEach(downTo(child), slot -> steps.after(steps.send(block, held(slot)), known[slot]));
    }
    return steps.build();
  }

  private void collect(int child) {
    int block = steps.threadBlock(connections, RankSteps.NONE, child);
    forEach(upFrom(child), slot -> known[slot] = known[slot] == RankSteps.NONE
        ? steps.receive(block, held(slot))
        : steps.after(steps.step(block, StepKind.RECEIVE_REDUCE_COPY, held(slot), held(slot)), known[slot]));
  }

  private void exchange(int above) {
    int up = steps.threadBlock(connections, above, RankSteps.NONE);
    int down = steps.threadBlock(connections, RankSteps.NONE, above);
    int self = firstParticipant + aggregator;
    forEach(upFrom(self), slot -> known[slot] = steps.after(steps.send(up, held(slot)), known[slot]));
    // The result that returns replaces the sum that was sent.
    forEach(downTo(self), slot -> known[slot] = steps.after(steps.receive(down, held(slot)), known[slot]));
  }

  // The owners of the blocks that a rank or aggregator sends up: in an all_gather the ranks below it, otherwise all.
  private int[] upFrom(int participant) {
    return gathers ? below(participant) : tree.ranks();
  }

  // The owners of the blocks that a rank or aggregator receives from above: in an all_gather all ranks that are not
  // below it, otherwise those below it.
  private int[] downTo(int participant) {
    int[] own = below(participant);
    return gathers ? IntStream.of(tree.ranks()).filter(rank -> !Ints.contains(own, rank)).toArray() : own;
  }

  private int[] below(int participant) {
    return participant < firstParticipant ? new int[] {participant}
        : tree.allRanksBelow(participant - firstParticipant);
  }

  private static ChunkRange held(int slot) {
    return ChunkRange.scratch(slot, 1);
  }

  private void forEach(int[] owners, IntConsumer each) {
    for (int chunk = firstChunk; chunk < firstChunk + chunks; chunk++) {
      for (int owner : owners) {
        each.accept(owner * chunksPerBlock + chunk);
      }
    }
  }
}
