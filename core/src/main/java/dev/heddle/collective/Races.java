package dev.heddle.collective;

import dev.heddle.collective.Verifier.Finding;
import java.util.Arrays;
import java.util.List;

/**
 * Finds unordered steps of a rank that access the same chunk, at least one of them writing. Most steps are ordered by
 * their thread block or dependencies, which a clock per thread block decides; the others need a backward search that
 * follows messages too.
 */
final class Races {
  private final Connections all;
  private final SymbolicRun run;
  private final int[] visited;
  private int visits;

  Races(Connections all, SymbolicRun run) {
    this.all = all;
    this.run = run;
    visited = new int[all.size()];
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
    int[] rankOf = new int[0];
    for (int rank = 0; rank < executed.length; rank++) {
      boolean alone = all.rank(rank).threadBlocks() <= 1;
      executed[rank] = new int[alone ? 0 : all.rank(rank).size()];
      if (!alone && rankOf.length == 0) {
        rankOf = new int[all.size()];
        Arrays.fill(rankOf, RankSteps.NONE);
      }
      if (!alone) {
        Arrays.fill(rankOf, all.firstStep(rank), all.firstStep(rank) + executed[rank].length, rank);
      }
    }
    for (int time = 0; time < rankOf.length; time++) {
      int step = run.executed(time);
      int rank = rankOf[step];
      if (rank != RankSteps.NONE) {
        executed[rank][count[rank]++] = step - all.firstStep(rank);
      }
    }
    return executed;
  }

  // Whether one step of a rank precedes a later one through thread blocks, dependencies and messages.
  private boolean precedes(int from, int to) {
    visits++;
    int[] open = new int[16];
    int depth = 0;
    open[depth++] = to;
    while (depth > 0) {
      int step = open[--depth];
      if (step == from) {
        return true;
      }
      if (visited[step] == visits || run.order(step) < run.order(from)) {
        continue;
      }
      visited[step] = visits;
      int rank = rankOf(step);
      RankSteps own = all.rank(rank);
      int base = all.firstStep(rank);
      int local = step - base;
      int before = own.dependencies(local);
      open = depth + before + 2 > open.length ? Arrays.copyOf(open, (depth + before + 2) * 2) : open;
      for (int i = 0; i < before; i++) {
        open[depth++] = base + own.dependency(local, i);
      }
      if (local > own.firstStep(own.threadBlock(local))) {
        open[depth++] = step - 1;
      }
      if (run.matched(step) != RankSteps.NONE) {
        open[depth++] = run.matched(step);
      }
    }
    return false;
  }

  private int rankOf(int step) {
    int low = 0;
    int high = all.ranks() - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (all.firstStep(middle) <= step) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
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
        int other = own.dependency(step, i);
        for (int each = 0; each < blocks; each++) {
          clock[step * blocks + each] = Math.max(clock[step * blocks + each], clock[other * blocks + each]);
        }
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
      boolean ordered = clock[later * blocks + block] > earlier - own.firstStep(block);
      int base = all.firstStep(own.rank());
      if (!ordered && !precedes(base + earlier, base + later)) {
        findings.add(Finding.at(Finding.Fault.RACE, own, later, "touches " + new ChunkRange(buffer, slot, 1)
            + " in no order with thread block " + block + ", step " + earlier + " (" + own.step(earlier) + ")"));
      }
    }
  }
}
