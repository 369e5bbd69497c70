package dev.heddle.standard.collective;

import dev.heddle.collective.Buffer;
import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.Layout;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.StepKind;

/**
 * One rank's steps in algorithms whose ranks exchange with those whose number differs in one bit. Ranks beyond the
 * largest power of two send their data to one within it first, and receive the result at the end [Thakur, Rabenseifner,
 * Gropp 2005].
 */
final class HypercubeSteps {
  private final Layout layout;
  private final int rank;
  private final int cube;
  private final int extra;
  private final RankStepsBuilder steps;
  private int last = RankSteps.NONE;
  private Buffer data = Buffer.INPUT;
  private int low;
  private int size;

  HypercubeSteps(Layout layout, int rank) {
    this.layout = layout;
    this.rank = rank;
    cube = Integer.highestOneBit(layout.ranks());
    extra = layout.ranks() - cube;
    steps = new RankStepsBuilder(layout, rank);
    size = layout.chunksPerBlock();
  }

  /** All_reduce: the whole vector is exchanged in each round. */
  RankSteps doublingAllReduce() {
    if (rank >= cube) {
      return handOver();
    }
    int block = fold();
    for (int bit = 1; bit < cube; bit <<= 1) {
      int round = steps.threadBlock(0, rank ^ bit, rank ^ bit);
      steps.after(steps.send(round, range(data, 0, size)), last);
      last = steps.step(
          round, StepKind.RECEIVE_REDUCE_COPY, range(data, 0, size), ChunkRange.output(0, size));
      data = Buffer.OUTPUT;
    }
    return unfold(block);
  }

  /** All_reduce: halves, quarters … are reduced, then gathered in the reverse order. */
  RankSteps halvingDoublingAllReduce() {
    if (rank >= cube) {
      return handOver();
    }
    int block = fold();
    int[] rounds = new int[Integer.numberOfTrailingZeros(cube)];
    for (int i = rounds.length - 1; i >= 0; i--) {
      rounds[i] = steps.threadBlock(0, rank ^ 1 << i, rank ^ 1 << i);
      halve(rounds[i], 1 << i, Buffer.OUTPUT);
    }
    for (int round : rounds) {
      gather(round);
    }
    return unfold(block);
  }

  /** Reduce_scatter by halving; partial sums are kept in scratch. */
  RankSteps halvingReduceScatter() {
    size = cube;
    for (int bit = cube >> 1; bit > 1; bit >>= 1) {
      halve(steps.threadBlock(0, rank ^ bit, rank ^ bit), bit, Buffer.SCRATCH);
    }
    int round = steps.threadBlock(0, rank ^ 1, rank ^ 1);
    steps.after(steps.send(round, range(data, rank ^ 1, 1)), last);
    steps.step(round, StepKind.RECEIVE_REDUCE_COPY, range(data, rank, 1), ChunkRange.output(0, 1));
    return steps.build();
  }

  /** All_gather by doubling. */
  RankSteps doublingAllGather() {
    low = rank;
    size = 1;
    last = steps.copy(
        steps.threadBlock(0, RankSteps.NONE, RankSteps.NONE), ChunkRange.input(0, 1), ChunkRange.output(rank, 1));
    for (int bit = 1; bit < cube; bit <<= 1) {
      gather(steps.threadBlock(0, rank ^ bit, rank ^ bit));
    }
    return steps.build();
  }

  // Sends the half that the peer keeps, and adds the peer's to the half that this rank keeps.
  private void halve(int round, int bit, Buffer target) {
    int half = size / 2;
    int upper = (rank & bit) == 0 ? 0 : half;
    steps.after(steps.send(round, range(data, low + half - upper, half)), last);
    last = steps.step(
        round, StepKind.RECEIVE_REDUCE_COPY, range(data, low + upper, half), range(target, low + upper, half));
    data = target;
    low += upper;
    size = half;
  }

  private void gather(int round) {
    steps.after(steps.send(round, ChunkRange.output(low, size)), last);
    last = steps.receive(round, ChunkRange.output(low ^ size, size));
    low &= ~size;
    size *= 2;
  }

  private RankSteps handOver() {
    int chunks = layout.chunksPerBlock();
    int block = steps.threadBlock(0, rank - cube, rank - cube);
    steps.send(block, ChunkRange.input(0, chunks));
    steps.receive(block, ChunkRange.output(0, chunks));
    return steps.build();
  }

  private int fold() {
    if (rank >= extra) {
      return RankSteps.NONE;
    }
    int block = steps.threadBlock(0, rank + cube, rank + cube);
    last = steps.step(block, StepKind.RECEIVE_REDUCE_COPY, range(data, 0, size), ChunkRange.output(0, size));
    data = Buffer.OUTPUT;
    return block;
  }

  private RankSteps unfold(int block) {
    if (block != RankSteps.NONE) {
      steps.after(steps.send(block, ChunkRange.output(0, layout.chunksPerBlock())), last);
    }
    return steps.build();
  }

  private static ChunkRange range(Buffer buffer, int slot, int count) {
    return new ChunkRange(buffer, slot, count);
  }
}
