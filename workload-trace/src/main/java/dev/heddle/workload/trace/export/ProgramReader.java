package dev.heddle.workload.trace.export;

import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import dev.heddle.workload.trace.graph.TraceException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Reads a program's streams to their ends: an operation waits for its predecessor in its stream, and a wait for a
 * signal for that raising of it which makes the value full.
 */
final class ProgramReader {
  private final int rank;
  private final long limit;
  private final List<OperationNode> nodes = new ArrayList<>();
  private final List<int[]> after = new ArrayList<>();
  private final Map<Integer, List<Integer>> raised = new TreeMap<>();

  private ProgramReader(int rank, long limit) {
    this.rank = rank;
    this.limit = limit;
  }

  static RankOperations read(Program program, int rank, long limit) {
    if (program.reactive()) {
      throw new TraceException("the workload is a trace itself, which decides what comes next as it runs");
    }
    ProgramReader reader = new ProgramReader(rank, limit);
    Operation operation = new Operation();
    for (int stream = 0; stream < program.streams(); stream++) {
      int before = -1;
      while (program.next(stream, operation)) {
        before = reader.add(stream, operation, before);
        operation.sendAfter(0, 0);
      }
    }
    reader.connect();
    return reader.contracted();
  }

  private int add(int stream, Operation operation, int before) {
    if (nodes.size() >= limit) {
      throw new TraceException("rank " + rank + " has more than " + limit + " operations");
    }
    boolean lags = operation.kind() == Operation.Kind.SEND && operation.timePs() > 0;
    boolean alone = operation.kind() == Operation.Kind.SEND && operation.tag() == Operation.ONE_SIDED;
    if (operation.kind() == Operation.Kind.GENERATE || lags || alone) {
      throw new TraceException(
          "rank " + rank + " sends messages " + (lags ? "that leave later than sent" : "that nobody"
              + " receives") + ", which a trace cannot hold");
    }
    int node = nodes.size();
    nodes.add(OperationNode.of(stream, operation));
    after.add(before < 0 ? new int[0] : new int[] {before});
    if (operation.kind() == Operation.Kind.SIGNAL) {
      raised.computeIfAbsent(operation.tag(), any -> new ArrayList<>()).add(node);
    }
    return node;
  }

  private void connect() {
    for (int node = 0; node < nodes.size(); node++) {
      OperationNode wait = nodes.get(node);
      if (wait.kind() == Operation.Kind.AWAIT && wait.amount() > 0) {
        int[] raisings = raisings(wait);
        after.set(node, IntStream.concat(Arrays.stream(after.get(node)), Arrays.stream(raisings)).toArray());
      }
    }
  }

  // Which raising makes a value full is known where one stream raises it, or where all of them must have.
  private int[] raisings(OperationNode wait) {
    List<Integer> all = raised.getOrDefault(wait.number(), List.of());
    if (wait.amount() > all.size()) {
      throw new TraceException("rank " + rank + " waits for ever: signal " + wait.number() + " is raised " + all.size()
          + " times, but must be " + wait.amount());
    }
    if (all.stream().map(node -> nodes.get(node).stream()).distinct().count() == 1) {
      return new int[] {all.get((int) wait.amount() - 1)};
    }
    if (wait.amount() < all.size()) {
      throw new TraceException("rank " + rank + " waits for the first " + wait.amount() + " of " + all.size()
          + " raisings of a signal by several streams; which these are is decided as it runs");
    }
    return all.stream().mapToInt(Integer::intValue).toArray();
  }

  // Without signals and waits: their dependents inherit their dependencies.
  private RankOperations contracted() {
    int[][] reach = new int[nodes.size()][];
    List<OperationNode> kept = new ArrayList<>();
    List<int[]> keptAfter = new ArrayList<>();
    for (int node : order()) {
      int[] before = before(node, reach);
      if (nodes.get(node).nothing()) {
        reach[node] = before;
      } else {
        reach[node] = new int[] {kept.size()};
        kept.add(nodes.get(node));
        keptAfter.add(before);
      }
    }
    return new RankOperations(kept, keptAfter);
  }

  private int[] before(int node, int[][] reach) {
    int[] direct = after.get(node);
    if (direct.length == 0) {
      return direct;
    }
    return direct.length == 1 ? reach[direct[0]]
        : Arrays.stream(direct).flatMap(each -> Arrays.stream(reach[each])).distinct().sorted().toArray();
  }

  private List<Integer> order() {
    int[] unmet = new int[nodes.size()];
    List<List<Integer>> dependents = new ArrayList<>();
    nodes.forEach(node -> dependents.add(new ArrayList<>(1)));
    PriorityQueue<Integer> ready = new PriorityQueue<>();
    for (int node = 0; node < nodes.size(); node++) {
      unmet[node] = after.get(node).length;
      for (int before : after.get(node)) {
        dependents.get(before).add(node);
      }
      if (unmet[node] == 0) {
        ready.add(node);
      }
    }
    List<Integer> order = new ArrayList<>();
    while (!ready.isEmpty()) {
      int node = ready.remove();
      order.add(node);
      for (int dependent : dependents.get(node)) {
        if (--unmet[dependent] == 0) {
          ready.add(dependent);
        }
      }
    }
    if (order.size() < nodes.size()) {
      throw new TraceException("streams of rank " + rank + " wait for each other in a circle");
    }
    return order;
  }
}
