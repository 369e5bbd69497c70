package dev.heddle.collective;

import dev.heddle.collective.Verifier.Finding;
import java.util.Arrays;
import java.util.List;

/** Checks that every output holds the operation's result, each contribution exactly once. */
final class Postcondition {
  private static final int MOST_LISTED = 6;

  private final Connections all;
  private final SymbolicRun run;
  private final Collective collective;
  private final int chunks;
  private final int[] checked;

  Postcondition(Connections all, SymbolicRun run) {
    this.all = all;
    this.run = run;
    collective = all.layout().collective();
    chunks = all.layout().chunksPerBlock();
    checked = new int[run.values().size()];
  }

  /** Adds the contributions that the outputs of all ranks lack or hold in excess. */
  void check(List<Finding> findings, int most) {
    for (int rank = 0; rank < collective.ranks(); rank++) {
      int slots = all.layout().slots(rank, Buffer.OUTPUT);
      for (int slot = 0; slot < slots && findings.size() < most; slot++) {
        int value = run.value(rank, Buffer.OUTPUT, slot);
        if (value == Contributions.UNWRITTEN) {
          if (all.layout().bytes(rank, ChunkRange.output(slot, 1)) == 0) {
            continue;
          }
          findings.add(finding(rank, slot, "is never written"));
        } else if (!holds(rank, slot, value)) {
          findings.add(finding(rank, slot, difference(rank, slot, value)));
        }
      }
    }
  }

  private boolean holds(int rank, int slot, int value) {
    int first = expected(rank, slot);
    if (!collective.op().reduces() || collective.ranks() == 1) {
      return value == Contributions.leaf(first);
    }
    if (run.values().weight(value) != collective.ranks()) {
      return false;
    }
    // A value that many ranks hold is expanded once: the first expected contribution stands for all of them.
    if (checked[value] != first + 1) {
      int[] found = run.values().leaves(value);
      Arrays.sort(found);
      checked[value] = Arrays.equals(found, allExpected(rank, slot)) ? first + 1 : 0;
    }
    return checked[value] == first + 1;
  }

  // The first of the contributions that belong into an output chunk: of all ranks, or the only one.
  private int expected(int rank, int slot) {
    int block = slot / chunks;
    int chunk = slot % chunks;
    int n = collective.ranks();
    return switch (collective.op()) {
      case ALL_REDUCE, REDUCE -> run.number(0, slot);
      case REDUCE_SCATTER -> run.number(0, rank * chunks + chunk);
      case BROADCAST -> run.number(collective.root(), slot);
      case ALL_GATHER, GATHER -> run.number(block, chunk);
      case ALL_TO_ALL, ALL_TO_ALL_V -> run.number(block, rank * chunks + chunk);
      case SCATTER -> run.number(collective.root(), rank * chunks + chunk);
      case SEND_RECV -> run.number((rank + n - 1) % n, slot);
    };
  }

  // All of them, ascending: of a reduction those of the same chunk of all ranks.
  private int[] allExpected(int rank, int slot) {
    int[] numbers = new int[collective.op().reduces() ? collective.ranks() : 1];
    int first = expected(rank, slot);
    Arrays.setAll(numbers, from -> first + run.number(from, 0));
    return numbers;
  }

  private String difference(int rank, int slot, int value) {
    int[] expected = allExpected(rank, slot);
    long weight = run.values().weight(value);
    if (weight > 4L * Math.max(MOST_LISTED, collective.ranks())) {
      return "holds " + weight + " contributions instead of " + expected.length;
    }
    int[] found = run.values().leaves(value);
    Arrays.sort(found);
    StringBuilder text = new StringBuilder("holds ").append(weight).append(" contributions, should hold ")
        .append(expected.length);
    list(text, "; missing: ", expected, found);
    list(text, "; too much: ", found, expected);
    return text.toString();
  }

  // Lists the elements of the first sorted array that the second lacks.
  private void list(StringBuilder text, String title, int[] has, int[] lacks) {
    int listed = 0;
    int at = 0;
    for (int number : has) {
      while (at < lacks.length && lacks[at] < number) {
        at++;
      }
      if (at < lacks.length && lacks[at] == number) {
        at++;
      } else if (listed++ < MOST_LISTED) {
        text.append(listed == 1 ? title : ", ").append("chunk ").append(number % run.inputSlots()).append(" of rank ")
            .append(number / run.inputSlots());
      }
    }
    text.append(listed > MOST_LISTED ? " and " + (listed - MOST_LISTED) + " more" : "");
  }

  // Points at the last step that wrote the chunk.
  private Finding finding(int rank, int slot, String what) {
    RankSteps own = all.rank(rank);
    int cell = all.layout().cell(rank, Buffer.OUTPUT, slot);
    int last = RankSteps.NONE;
    int latest = RankSteps.NONE;
    for (int step = 0; step < own.size(); step++) {
      int order = run.order(all.firstStep(rank) + step);
      if (own.kind(step).writesTarget() && order > latest && writes(own, step, cell)) {
        last = step;
        latest = order;
      }
    }
    String text = "output chunk " + slot + " of " + collective.op().key() + " " + what;
    return last == RankSteps.NONE
        ? new Finding(Finding.Fault.WRONG_RESULT, rank, RankSteps.NONE, RankSteps.NONE, RankSteps.NONE, text)
        : Finding.at(Finding.Fault.WRONG_RESULT, own, last, text);
  }

  private boolean writes(RankSteps own, int step, int cell) {
    for (int i = 0; i < own.chunks(step); i++) {
      if (all.layout().cell(own.rank(), own.targetBuffer(step), own.targetSlot(step) + i) == cell) {
        return true;
      }
    }
    return false;
  }
}
