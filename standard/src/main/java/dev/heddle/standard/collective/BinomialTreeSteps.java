package dev.heddle.standard.collective;

import static dev.heddle.collective.ChunkRange.input;
import static dev.heddle.collective.ChunkRange.output;
import static dev.heddle.collective.ChunkRange.scratch;

import dev.heddle.collective.Buffer;
import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Layout;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.StepKind;
import java.util.Arrays;

/**
 * One rank's steps in a binomial tree of at least two ranks. Positions count from the root; position {@code v} has the
 * children {@code v + 1, v + 2, v + 4 …} below its own lowest bit, and its subtree is {@code v} and the positions that
 * follow.
 */
final class BinomialTreeSteps {
  private final Layout layout;
  private final int ranks;
  private final int root;
  private final int position;
  private final int reach;
  private final RankStepsBuilder steps;
  private int last = RankSteps.NONE;

  BinomialTreeSteps(Layout layout, int rank) {
    this.layout = layout;
    ranks = layout.ranks();
    root = layout.collective().root();
    position = Math.floorMod(rank - root, ranks);
    reach = position == 0 ? ranks : Math.min(Integer.lowestOneBit(position), ranks - position);
    steps = new RankStepsBuilder(layout, rank);
  }

  /** A layout with the scratch that inner ranks need: the sum so far, or every position's block. */
  static Layout withScratch(Layout layout) {
    int ranks = layout.ranks();
    int root = layout.collective().root();
    switch (layout.collective().op()) {
      case REDUCE :
        return layout.withScratch(layout.collective().bytes());
      case GATHER :
      case SCATTER :
        long[] blocks = new long[ranks];
        Arrays.setAll(blocks, v -> {
          int rank = (v + root) % ranks;
          Buffer own = layout.collective().op() == CollectiveOp.GATHER
              ? Buffer.INPUT : Buffer.OUTPUT;
          return layout.bytes(rank, new ChunkRange(own, 0, 1));
        });
        return layout.withScratch(blocks);
      default :
        return layout;
    }
  }

  /** The steps. */
  RankSteps steps() {
    switch (layout.collective().op()) {
      case BROADCAST -> broadcast();
      case REDUCE -> reduce();
      case GATHER -> gather();
      case SCATTER -> scatter();
      default -> throw new IllegalStateException("no tree does " + layout.collective());
    }
    return steps.build();
  }

  private void broadcast() {
    if (position != 0) {
      last = steps.receive(up(false), output(0, 1));
    }
    for (int bit = Integer.highestOneBit(Math.max(1, reach - 1)); bit > 0 && reach > 1; bit >>= 1) {
      send(down(bit, true), position == 0 ? input(0, 1) : output(0, 1));
    }
    if (position == 0) {
      copy(input(0, 1), output(0, 1));
    }
  }

  private void reduce() {
    ChunkRange sum = input(0, 1);
    ChunkRange target = position == 0 ? output(0, 1) : scratch(0, 1);
    for (int bit = 1; bit < reach; bit <<= 1) {
      last = steps.after(steps.step(down(bit, false), StepKind.RECEIVE_REDUCE_COPY, sum, target), last);
      sum = target;
    }
    if (position != 0) {
      send(up(true), sum);
    }
  }

  private void gather() {
    if (position != 0 && reach == 1) {
      send(up(true), input(0, 1));
      return;
    }
    copy(input(0, 1), scratch(position, 1));
    for (int bit = 1; bit < reach; bit <<= 1) {
      last = steps.after(steps.receive(down(bit, false), scratch(position + bit, subtree(bit))), last);
    }
    if (position != 0) {
      send(up(true), scratch(position, reach));
      return;
    }
    copy(scratch(0, ranks - root), output(root, ranks - root));
    if (root > 0) {
      copy(scratch(ranks - root, root), output(0, root));
    }
  }

  private void scatter() {
    if (position == 0) {
      copy(input(root, ranks - root), scratch(0, ranks - root));
      if (root > 0) {
        copy(input(0, root), scratch(ranks - root, root));
      }
    } else {
      last = steps.receive(up(false), scratch(position, reach));
    }
    for (int bit = Integer.highestOneBit(Math.max(1, reach - 1)); bit > 0 && reach > 1; bit >>= 1) {
      send(down(bit, true), scratch(position + bit, subtree(bit)));
    }
    copy(scratch(position, 1), output(0, 1));
  }

  private int subtree(int bit) {
    return Math.min(bit, ranks - position - bit);
  }

  private int up(boolean sends) {
    int parent = rankAt(position - Integer.lowestOneBit(position));
    return steps.threadBlock(0, sends ? parent : RankSteps.NONE, sends ? RankSteps.NONE : parent);
  }

  private int down(int bit, boolean sends) {
    int child = rankAt(position + bit);
    return steps.threadBlock(0, sends ? child : RankSteps.NONE, sends ? RankSteps.NONE : child);
  }

  private int rankAt(int place) {
    return (place + root) % ranks;
  }

  // One message after the other, as the textbook's rounds are.
  private void send(int block, ChunkRange what) {
    last = steps.after(steps.send(block, what), last);
  }

  private void copy(ChunkRange from, ChunkRange to) {
    last = steps.after(steps.copy(steps.threadBlock(0, RankSteps.NONE, RankSteps.NONE), from, to), last);
  }
}
