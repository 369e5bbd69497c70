package dev.heddle.collective;

import dev.heddle.collective.Verifier.Finding;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** One symbolic execution of a schedule. */
final class SymbolicRun {
  private static final int MOST_OF_CYCLE = 8;

  private final Connections all;
  private final int window;
  private final int inputSlots;
  private final Contributions values = new Contributions();
  private final int[][] memory;
  private final int[] next;
  private final List<ArrayDeque<int[]>> inFlight = new ArrayList<>();
  // Per step of all: when it was executed, the send that it received, its place in the longest chain of messages.
  private final int[] order;
  private final int[] matched;
  private final int[] round;
  private final int[] executed;
  private int steps;
  // Thread blocks that may go on, and those that wait for a step.
  private final ArrayDeque<Integer> ready = new ArrayDeque<>();
  private final boolean[] isReady;
  private final int[] awaited;
  private final int[] firstWaiter;
  private final int[] nextWaiter;
  private boolean faulty;

  SymbolicRun(Connections all, int window) {
    this.all = all;
    this.window = window;
    inputSlots = all.layout().slots(all.layout().collective().root(), Buffer.INPUT);
    memory = new int[all.ranks()][];
    for (int rank = 0; rank < memory.length; rank++) {
      memory[rank] = new int[all.layout().cells(rank)];
      int inputs = all.layout().slots(rank, Buffer.INPUT);
      for (int slot = 0; slot < inputs; slot++) {
        memory[rank][all.layout().cell(rank, Buffer.INPUT, slot)] = Contributions.leaf(number(rank, slot));
      }
    }
    next = new int[all.blocks()];
    isReady = new boolean[all.blocks()];
    awaited = filled(all.blocks());
    nextWaiter = filled(all.blocks());
    order = filled(all.size());
    matched = filled(all.size());
    firstWaiter = filled(all.size());
    round = new int[all.size()];
    executed = new int[all.size()];
    for (int block = 0; block < all.blocks(); block++) {
      next[block] = all.steps(block).firstStep(all.local(block));
      inFlight.add(new ArrayDeque<>());
      wake(block);
    }
  }

  private static int[] filled(int length) {
    int[] array = new int[length];
    Arrays.fill(array, RankSteps.NONE);
    return array;
  }

  /** The input chunks of the rank that has most. */
  int inputSlots() {
    return inputSlots;
  }

  /** The number of a rank's input chunk as a contribution. */
  int number(int rank, int slot) {
    return Math.addExact(Math.multiplyExact(rank, inputSlots), slot);
  }

  Contributions values() {
    return values;
  }

  /** The value of a chunk. */
  int value(int rank, Buffer buffer, int slot) {
    return memory[rank][all.layout().cell(rank, buffer, slot)];
  }

  /** When a step of all was executed. */
  int order(int step) {
    return order[step];
  }

  /** The step that was executed at a time, of all. */
  int executed(int time) {
    return executed[time];
  }

  /** The send whose message a step received, or {@link RankSteps#NONE}. */
  int matched(int step) {
    return matched[step];
  }

  /** The longest chain of messages. */
  int rounds() {
    return Arrays.stream(round).max().orElse(0);
  }

  /** Executes all steps, up to the first fault. */
  void execute(List<Finding> findings) {
    while (!ready.isEmpty() && !faulty) {
      int block = ready.remove();
      isReady[block] = false;
      int end = all.steps(block).endStep(all.local(block));
      while (next[block] < end && !faulty && mayGoOn(block)) {
        step(block, findings);
      }
    }
    if (!faulty && steps < all.size()) {
      findings.add(deadlock());
    }
  }

  private boolean mayGoOn(int block) {
    int missing = missing(block);
    if (missing != RankSteps.NONE) {
      if (awaited[block] == RankSteps.NONE) {
        awaited[block] = missing;
        nextWaiter[block] = firstWaiter[missing];
        firstWaiter[missing] = block;
      }
      return false;
    }
    StepKind kind = all.steps(block).kind(next[block]);
    return !(kind.receives() && inFlight.get(all.sender(block)).isEmpty())
        && !(kind.sends() && inFlight.get(block).size() == window);
  }

  // The first step, of all, that a thread block's next step waits for.
  private int missing(int block) {
    RankSteps own = all.steps(block);
    int base = all.firstStep(own.rank());
    for (int i = 0; i < own.dependencies(next[block]); i++) {
      int other = base + own.dependency(next[block], i);
      if (order[other] == RankSteps.NONE) {
        return other;
      }
    }
    return RankSteps.NONE;
  }

  private void step(int block, List<Finding> findings) {
    RankSteps own = all.steps(block);
    int local = next[block];
    int step = all.firstStep(own.rank()) + local;
    StepKind kind = own.kind(local);
    int[] message = kind.receives() ? inFlight.get(all.sender(block)).remove() : new int[0];
    round[step] = round(own, block, local);
    if (kind.receives()) {
      matched[step] = message[0];
      round[step] = Math.max(round[step], round[message[0]] + 1);
      wake(all.sender(block));
    }
    int[] result = move(own, local, message, findings);
    if (kind.receives() && !faulty) {
      RankSteps sender = all.steps(all.sender(block));
      long sent = sender.bytes(message[0] - all.firstStep(sender.rank()), all.layout());
      requireEqual("the message has ", sent, own, local, findings);
    }
    if (kind.readsSource() && kind.writesTarget() && !faulty) {
      ChunkRange target = new ChunkRange(own.targetBuffer(local), own.targetSlot(local), own.chunks(local));
      requireEqual("the target has ", all.layout().bytes(own.rank(), target), own, local, findings);
    }
    if (kind.sends()) {
      result[0] = step;
      inFlight.get(block).add(result);
      wake(all.receiver(block));
    }
    order[step] = steps;
    executed[steps++] = step;
    next[block]++;
    for (int waiter = firstWaiter[step]; waiter != RankSteps.NONE; waiter = nextWaiter[waiter]) {
      awaited[waiter] = RankSteps.NONE;
      wake(waiter);
    }
  }

  private int round(RankSteps own, int block, int local) {
    int base = all.firstStep(own.rank());
    int latest = local > own.firstStep(all.local(block)) ? round[base + local - 1] : 0;
    for (int i = 0; i < own.dependencies(local); i++) {
      latest = Math.max(latest, round[base + own.dependency(local, i)]);
    }
    return latest;
  }

  private void wake(int block) {
    if (!isReady[block]) {
      isReady[block] = true;
      ready.add(block);
    }
  }

  private void requireEqual(String what, long bytes, RankSteps own, int step, List<Finding> findings) {
    long moved = own.bytes(step, all.layout());
    if (bytes != moved) {
      fault(findings,
          Finding.at(Finding.Fault.LENGTH, own, step, what + bytes + " B, but the step moves " + moved + " B"));
    }
  }

  // Moves the chunks of a step; the result has them from place 1.
  private int[] move(RankSteps own, int step, int[] message, List<Finding> findings) {
    StepKind kind = own.kind(step);
    int[] result = new int[own.chunks(step) + 1];
    if (kind.receives() && message.length != result.length) {
      fault(findings, Finding.at(Finding.Fault.LENGTH, own, step,
          "the message has " + (message.length - 1) + " chunks"));
      return result;
    }
    if (kind.writesTarget() && own.targetBuffer(step) == Buffer.INPUT && !all.layout().inPlace()) {
      fault(findings, Finding.at(Finding.Fault.INPUT_OVERWRITTEN, own, step,
          "the input is the caller's, and the schedule is not in place"));
      return result;
    }
    for (int i = 1; i < result.length; i++) {
      int value = kind.receives() ? message[i] : Contributions.UNWRITTEN;
      if (kind.readsSource()) {
        int source = read(own, step, own.sourceBuffer(step), own.sourceSlot(step) + i - 1, findings);
        value = kind.receives() ? sum(value, source) : source;
      }
      if (kind == StepKind.REDUCE) {
        value = sum(read(own, step, own.targetBuffer(step), own.targetSlot(step) + i - 1, findings), value);
      }
      result[i] = value;
    }
    if (kind.writesTarget()) {
      for (int i = 1; i < result.length; i++) {
        memory[own.rank()][cell(own, own.targetBuffer(step), own.targetSlot(step) + i - 1)] = result[i];
      }
    }
    return result;
  }

  private int cell(RankSteps own, Buffer buffer, int slot) {
    return all.layout().cell(own.rank(), buffer, slot);
  }

  private int sum(int a, int b) {
    return a == Contributions.UNWRITTEN || b == Contributions.UNWRITTEN ? Contributions.UNWRITTEN : values.sum(a, b);
  }

  private int read(RankSteps own, int step, Buffer buffer, int slot, List<Finding> findings) {
    int value = memory[own.rank()][cell(own, buffer, slot)];
    if (value == Contributions.UNWRITTEN && !faulty) {
      fault(findings, Finding.at(Finding.Fault.READ_BEFORE_WRITE, own, step,
          "nothing has been written to " + new ChunkRange(buffer, slot, 1)));
    }
    return value;
  }

  private void fault(List<Finding> findings, Finding finding) {
    faulty = true;
    findings.add(finding);
  }

  private Finding deadlock() {
    int block = 0;
    while (next[block] == all.steps(block).endStep(all.local(block))) {
      block++;
    }
    boolean[] seen = new boolean[all.blocks()];
    while (!seen[block]) {
      seen[block] = true;
      block = waitsFor(block);
    }
    StringBuilder text = new StringBuilder();
    int shown = 0;
    int at = block;
    do {
      if (shown++ == MOST_OF_CYCLE) {
        text.append("; and so on");
        break;
      }
      text.append(at == block ? "" : "; ").append("rank ").append(all.rankOf(at)).append(" step ").append(next[at])
          .append(' ').append(why(at));
      at = waitsFor(at);
    } while (at != block);
    return Finding.at(Finding.Fault.DEADLOCK, all.steps(block), next[block],
        "these wait for each other: " + text + " (with " + window + " messages in flight per connection)");
  }

  private int waitsFor(int block) {
    int missing = missing(block);
    RankSteps own = all.steps(block);
    if (missing != RankSteps.NONE) {
      return all.firstBlock(own.rank()) + own.threadBlock(missing - all.firstStep(own.rank()));
    }
    boolean starved = own.kind(next[block]).receives() && inFlight.get(all.sender(block)).isEmpty();
    return starved ? all.sender(block) : all.receiver(block);
  }

  private String why(int block) {
    int missing = missing(block);
    if (missing != RankSteps.NONE) {
      return "waits for its step " + (missing - all.firstStep(all.rankOf(block)));
    }
    boolean starved = all.steps(block).kind(next[block]).receives() && inFlight.get(all.sender(block)).isEmpty();
    return starved ? "waits for a message of rank " + all.rankOf(all.sender(block))
        : "cannot send before rank " + all.rankOf(all.receiver(block)) + " receives";
  }
}
