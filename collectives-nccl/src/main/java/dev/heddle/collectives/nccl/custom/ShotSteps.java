package dev.heddle.collectives.nccl.custom;

import static dev.heddle.collective.ChunkRange.input;
import static dev.heddle.collective.ChunkRange.output;

import dev.heddle.collective.Layout;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.StepKind;

/** One rank's steps in one or two shots: a thread block for each distance between ranks. */
final class ShotSteps {
  private ShotSteps() {}

  /** The whole buffer of every other rank, added in turn. */
  static RankSteps one(Layout layout, int rank) {
    RankStepsBuilder steps = new RankStepsBuilder(layout, rank);
    int ranks = layout.ranks();
    if (ranks == 1) {
      steps.copy(steps.threadBlock(0, RankSteps.NONE, RankSteps.NONE), input(0, layout.chunksPerBlock()),
          output(0, layout.chunksPerBlock()));
      return steps.build();
    }
    int last = RankSteps.NONE;
    for (int distance = 1; distance < ranks; distance++) {
      int block = block(steps, ranks, rank, distance);
      steps.send(block, input(0, 1));
      last = add(steps, block, 0, last);
    }
    return steps.build();
  }

  /** The rank's part of all buffers, added in turn, and then the sums of all others. */
  static RankSteps two(Layout layout, int rank) {
    RankStepsBuilder steps = new RankStepsBuilder(layout, rank);
    int ranks = layout.ranks();
    int[] blocks = new int[ranks];
    int last = RankSteps.NONE;
    for (int distance = 1; distance < ranks; distance++) {
      blocks[distance] = block(steps, ranks, rank, distance);
      steps.send(blocks[distance], input((rank + distance) % ranks, 1));
      last = add(steps, blocks[distance], rank, last);
    }
    for (int distance = 1; distance < ranks; distance++) {
      steps.after(steps.send(blocks[distance], output(rank, 1)), last);
      steps.receive(blocks[distance], output(Math.floorMod(rank - distance, ranks), 1));
    }
    return steps.build();
  }

  private static int block(RankStepsBuilder steps, int ranks, int rank, int distance) {
    return steps.threadBlock(distance, (rank + distance) % ranks, Math.floorMod(rank - distance, ranks));
  }

  // Adds the data that arrive to a chunk: to the input first, then to the sum so far.
  private static int add(RankStepsBuilder steps, int block, int chunk, int last) {
    int step = steps.step(block, StepKind.RECEIVE_REDUCE_COPY, last == RankSteps.NONE ? input(chunk, 1)
        : output(chunk, 1), output(chunk, 1));
    return steps.after(step, last);
  }
}
