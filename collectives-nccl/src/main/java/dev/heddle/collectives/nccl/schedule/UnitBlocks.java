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
 * One unit's part of an all_gather or reduce_scatter over the ranks of its tree. Blocks go chunk by chunk, and those of a
 * chunk in the order of their ranks' nodes.
 */
final class UnitBlocks {
  private final NetworkTree tree;
  private final boolean gathers;
  private final int unit;
  private final int firstParticipant;
  private final int connections;
  private final int chunksPerBlock;
  private final RankStepsBuilder steps;
  // Per rank and chunk: the step after which its block is held.
  private final int[] known;
  private int firstChunk;
  private int chunks;

  /**
   * Prepares a unit.
   *
   * @param unit of the tree
   * @param firstParticipant the participant that is the tree's first unit
   * @param connections the channel of its connections
   */
  UnitBlocks(NetworkTree tree, Layout layout, int unit, int firstParticipant, int connections) {
    this.tree = tree;
    this.unit = unit;
    this.firstParticipant = firstParticipant;
    this.connections = connections;
    gathers = layout.collective().op() == CollectiveOp.ALL_GATHER;
    chunksPerBlock = layout.chunksPerBlock();
    steps = new RankStepsBuilder(layout, firstParticipant + unit);
    known = new int[layout.ranks() * chunksPerBlock];
    Arrays.fill(known, RankSteps.NONE);
  }

  /** The steps that move so many chunks of every block, from one on. */
  RankSteps steps(int first, int count) {
    firstChunk = first;
    chunks = count;
    int[] children = IntStream.concat(
        IntStream.of(tree.ranksBelow(unit)),
        IntStream.of(tree.unitsBelow(unit)).map(other -> firstParticipant + other)).toArray();
    for (int child : children) {
      collect(child);
    }
    if (tree.parent(unit) >= 0) {
      exchange(firstParticipant + tree.parent(unit));
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
    int self = firstParticipant + unit;
    forEach(upFrom(self), slot -> known[slot] = steps.after(steps.send(up, held(slot)), known[slot]));
    // A sum that comes back takes the place of the one that was sent.
    forEach(downTo(self), slot -> known[slot] = steps.after(steps.receive(down, held(slot)), known[slot]));
  }

  // Whose blocks a rank or unit hands up: to gather those below it, else sums of all.
  private int[] upFrom(int participant) {
    return gathers ? below(participant) : tree.ranks();
  }

  // Whose blocks a rank or unit gets: to gather all that are not below it, else those that are.
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
