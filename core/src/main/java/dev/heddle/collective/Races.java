package dev.heddle.collective;

import dev.heddle.collective.Verifier.Finding;
import java.util.Arrays;
import java.util.List;

/**
 * Finds unordered steps of a rank that access the same chunk, at least one of them writing. Most steps are ordered by
 * their thread block or dependencies, which a clock per thread block decides; the others need the clocks of the rank's
 * thread blocks at the steps of all ranks, which follow messages too.
 */
final class Races {
  private final Connections all;
  private final SymbolicRun run;
  private final int[] rankOf;
  private int[] clocks = {};

  Races(Connections all, SymbolicRun run) {
    this.all = all;
    this.run = run;
    rankOf = new int[all.size()];
    for (int rank = 0; rank < all.ranks(); rank++) {
      Arrays.fill(rankOf, all.firstStep(rank), all.firstStep(rank) + all.rank(rank).size(), rank);
    }
  }

  /** Adds the races of all ranks. */
  void find(List<Finding> findings, int most) {
    int[][] executed = executedByRank();
    for (int rank = 0; rank < all.ranks() && findings.size() < most; rank++) {
      if (executed[rank].length > 0) {
        new OfRank(all.rank(rank), findings, most).find(executed[rank]);
      }
    }
  }

  // The steps of each rank in the order of their execution; none for ranks that are ordered by their only thread block.
  private int[][] executedByRank() {
    int[][] executed = new int[all.ranks()][];
    int[] count = new int[all.ranks()];
    for (int rank = 0; rank < executed.length; rank++) {
      executed[rank] = new int[all.rank(rank).threadBlocks() <= 1 ? 0 : all.rank(rank).size()];
    }
    for (int time = 0; time < rankOf.length; time++) {
      int step = run.executed(time);
      int rank = rankOf[step];
      if (executed[rank].length > 0) {
        executed[rank][count[rank]++] = step - all.firstStep(rank);
      }
    }
    return executed;
  }

  // Sets, per step of any rank and thread block of one rank, the number of the block's steps that have finished before
  // the step has, by thread blocks, dependencies and messages.
  private void follow(RankSteps asked) {
    int blocks = asked.threadBlocks();
    int size = Math.multiplyExact(all.size(), blocks);
    clocks = clocks.length < size ? new int[size] : clocks;
    Arrays.fill(clocks, 0, size, 0);
    for (int time = 0; time < all.size(); time++) {
      int step = run.executed(time);
      RankSteps own = all.rank(rankOf[step]);
      int base = all.firstStep(rankOf[step]);
      int local = step - base;
      int block = own.threadBlock(local);
      if (local > own.firstStep(block)) {
        advance(clocks, step, step - 1, blocks);
      }
      for (int i = 0; i < own.dependencies(local); i++) {
        advance(clocks, step, base + own.dependency(local, i), blocks);
      }
      if (run.matched(step) != RankSteps.NONE) {
        advance(clocks, step, run.matched(step), blocks);
      }
      if (own.rank() == asked.rank()) {
        clocks[step * blocks + block] = local - own.firstStep(block) + 1;
      }
    }
  }

  private static void advance(int[] clocks, int step, int before, int blocks) {
    for (int each = 0; each < blocks; each++) {
      clocks[step * blocks + each] = Math.max(clocks[step * blocks + each], clocks[before * blocks + each]);
    }
  }

  private final class OfRank {
    private final RankSteps own;
    private final List<Finding> findings;
    private final int most;
    private final int blocks;
    private final int[] blockOf;
    // Per step and thread block: number of the block's steps that have finished before the step has.
    private final int[] clock;
    private final int[] lastWrite;
    private final int[] lastRead;
    private int[] reader = new int[64];
    private int[] readerBefore = new int[64];
    private int readers;
    private boolean followed;

    OfRank(RankSteps own, List<Finding> findings, int most) {
      this.own = own;
      this.findings = findings;
      this.most = most;
      blocks = own.threadBlocks();
      blockOf = new int[own.size()];
      for (int block = 0; block < blocks; block++) {
        Arrays.fill(blockOf, own.firstStep(block), own.endStep(block), block);
      }
      clock = new int[Math.multiplyExact(own.size(), blocks)];
      lastWrite = new int[all.layout().cells(own.rank())];
      lastRead = new int[lastWrite.length];
      Arrays.fill(lastWrite, RankSteps.NONE);
      Arrays.fill(lastRead, RankSteps.NONE);
    }

    void find(int[] executed) {
      for (int step : executed) {
        tick(step);
        StepKind kind = own.kind(step);
        for (int i = 0; i < own.chunks(step); i++) {
          if (kind.readsSource()) {
            read(step, own.sourceBuffer(step), own.sourceSlot(step) + i);
          }
        }
        for (int i = 0; i < own.chunks(step); i++) {
          if (kind.writesTarget()) {
            write(step, own.targetBuffer(step), own.targetSlot(step) + i);
          }
        }
      }
    }

    private void tick(int step) {
      int block = blockOf[step];
      if (step > own.firstStep(block)) {
        System.arraycopy(clock, (step - 1) * blocks, clock, step * blocks, blocks);
      }
      for (int i = 0; i < own.dependencies(step); i++) {
        advance(clock, step, own.dependency(step, i), blocks);
      }
      clock[step * blocks + block] = step - own.firstStep(block) + 1;
    }

    private void read(int step, Buffer buffer, int slot) {
      int cell = all.layout().cell(own.rank(), buffer, slot);
      require(lastWrite[cell], step, buffer, slot);
      if (readers == reader.length) {
        reader = Arrays.copyOf(reader, readers * 2);
        readerBefore = Arrays.copyOf(readerBefore, readers * 2);
      }
      reader[readers] = step;
      readerBefore[readers] = lastRead[cell];
      lastRead[cell] = readers++;
    }

    private void write(int step, Buffer buffer, int slot) {
      int cell = all.layout().cell(own.rank(), buffer, slot);
      require(lastWrite[cell], step, buffer, slot);
      for (int entry = lastRead[cell]; entry != RankSteps.NONE; entry = readerBefore[entry]) {
        require(reader[entry], step, buffer, slot);
      }
      lastRead[cell] = RankSteps.NONE;
      lastWrite[cell] = step;
    }

    private void require(int earlier, int later, Buffer buffer, int slot) {
      if (earlier == RankSteps.NONE || earlier == later || findings.size() >= most) {
        return;
      }
      int block = blockOf[earlier];
      int position = earlier - own.firstStep(block);
      if (clock[later * blocks + block] <= position && !precedes(block, position, later)) {
        findings.add(Finding.at(Finding.Fault.RACE, own, later, "touches " + new ChunkRange(buffer, slot, 1)
            + " in no order with thread block " + block + ", step " + earlier + " (" + own.step(earlier) + ")"));
      }
    }

    // Whether a step, given by its thread block and position there, precedes a later one through messages too.
    private boolean precedes(int block, int position, int later) {
      if (!followed) {
        follow(own);
        followed = true;
      }
      return clocks[(all.firstStep(own.rank()) + later) * blocks + block] > position;
    }
  }
}
