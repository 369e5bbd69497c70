package dev.heddle.workload.trace.graph;

import dev.heddle.collective.Group;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntPredicate;

/**
 * The search for operations of several ranks that wait for each other in a circle, which no timing can resolve. All
 * ranks are executed without time: an operation ends when those before it have ended, a receive when its message was
 * sent, a collective when all members of its group have reached it. Operations that are left then lie on a circle or
 * behind one.
 *
 * <p>Receives of one sender and tag, and collectives of one group, follow one another in every graph, so that the
 * result does not depend on the order of execution. Time and memory are proportional to operations and dependencies.
 */
public final class WaitCircle {
  private static final int NONE = -1;
  private static final byte WAITING = 0;
  private static final byte STARTED = 1;
  private static final byte DONE = 2;
  private static final int MOST_SHOWN = 12;

  private final List<OperationGraph> graphs;
  private final List<Group> groups;
  private final int[][] unmet;
  private final byte[][] state;
  private final ArrayDeque<long[]> ready = new ArrayDeque<>();

  // Per sender, receiver and tag: messages that were sent and not received, and the operation that waits for one.
  private final long[] keys;
  private final int[] arrived;
  private final int[] receiver;

  // Per group: members that have reached its next collective, by rank the operation.
  private final List<Map<Integer, Integer>> members = new ArrayList<>();

  /** The place of an operation in the file, for messages. */
  @FunctionalInterface
  public interface Places {
    /**
     * Names a place.
     *
     * @param rank of the operation
     * @param operation its number in the graph
     */
    String of(int rank, int operation);
  }

  private record At(int rank, int node) {}

  private WaitCircle(List<OperationGraph> graphs, List<Group> groups) {
    this.graphs = graphs;
    this.groups = groups;
    unmet = new int[graphs.size()][];
    state = new byte[graphs.size()][];
    long count = 0;
    for (int rank = 0; rank < graphs.size(); rank++) {
      unmet[rank] = graphs.get(rank).unmet.clone();
      state[rank] = new byte[graphs.get(rank).size()];
      count += messages(graphs.get(rank));
    }
    keys = keys(Math.toIntExact(count));
    arrived = new int[keys.length];
    receiver = new int[keys.length];
    Arrays.fill(receiver, NONE);
    groups.forEach(group -> members.add(new LinkedHashMap<>()));
  }

  /**
   * Refuses graphs with a circle.
   *
   * @param graphs of the ranks
   * @param groups of their collectives
   * @param places of operations
   * @throws TraceException with the places of the circle, in the order of waiting
   */
  public static void refuse(List<OperationGraph> graphs, List<Group> groups, Places places) {
    WaitCircle search = new WaitCircle(graphs, groups);
    search.execute();
    List<At> circle = search.circle();
    if (!circle.isEmpty()) {
      throw new TraceException(search.describe(circle, places));
    }
  }

  private static long messages(OperationGraph graph) {
    long count = 0;
    for (byte kind : graph.kind) {
      count += kind == OperationGraph.SEND || kind == OperationGraph.RECEIVE ? 1 : 0;
    }
    return count;
  }

  private long[] keys(int count) {
    long[] all = new long[count];
    int at = 0;
    for (int rank = 0; rank < graphs.size(); rank++) {
      OperationGraph graph = graphs.get(rank);
      for (int node = 0; node < graph.size(); node++) {
        if (graph.kind[node] == OperationGraph.SEND || graph.kind[node] == OperationGraph.RECEIVE) {
          all[at++] = key(rank, node);
        }
      }
    }
    Arrays.sort(all);
    int different = 0;
    for (long key : all) {
      if (different == 0 || all[different - 1] != key) {
        all[different++] = key;
      }
    }
    return Arrays.copyOf(all, different);
  }

  private long key(int rank, int node) {
    OperationGraph graph = graphs.get(rank);
    boolean sends = graph.kind[node] == OperationGraph.SEND;
    return Messages.key(sends ? rank : graph.peer[node], sends ? graph.peer[node] : rank, graph.tag[node]);
  }

  private void execute() {
    for (int rank = 0; rank < graphs.size(); rank++) {
      for (int node = 0; node < graphs.get(rank).size(); node++) {
        if (graphs.get(rank).unmet[node] == 0) {
          ready.add(new long[] {rank, node});
        }
      }
    }
    while (!ready.isEmpty()) {
      long[] next = ready.remove();
      start((int) next[0], (int) next[1]);
    }
  }

  private void start(int rank, int node) {
    OperationGraph graph = graphs.get(rank);
    state[rank][node] = STARTED;
    release(graph.afterStart, rank, node);
    switch (graph.kind[node]) {
      case OperationGraph.SEND -> {
        int key = Arrays.binarySearch(keys, key(rank, node));
        end(rank, node);
        if (receiver[key] == NONE) {
          arrived[key]++;
        } else {
          end(graph.peer[node], receiver[key]);
          receiver[key] = NONE;
        }
      }
      case OperationGraph.RECEIVE -> {
        int key = Arrays.binarySearch(keys, key(rank, node));
        if (arrived[key] == 0) {
          receiver[key] = node;
        } else {
          arrived[key]--;
          end(rank, node);
        }
      }
      case OperationGraph.COLLECTIVE -> join(rank, node);
      default -> end(rank, node);
    }
  }

  private void join(int rank, int node) {
    int group = graphs.get(rank).tag[node];
    Map<Integer, Integer> there = members.get(group);
    there.put(rank, node);
    if (there.size() == groups.get(group).size()) {
      Map<Integer, Integer> all = new LinkedHashMap<>(there);
      there.clear();
      all.forEach(this::end);
    }
  }

  private void end(int rank, int node) {
    state[rank][node] = DONE;
    release(graphs.get(rank).afterEnd, rank, node);
  }

  private void release(IntRows rows, int rank, int node) {
    for (int i = rows.begin(node); i < rows.end(node); i++) {
      if (--unmet[rank][rows.value(i)] == 0) {
        ready.add(new long[] {rank, rows.value(i)});
      }
    }
  }

  // From any operation that is not done to one that it waits for, until one comes again.
  private List<At> circle() {
    At at = first();
    Map<At, Integer> seen = new LinkedHashMap<>();
    Map<Integer, int[]> before = new LinkedHashMap<>();
    List<At> way = new ArrayList<>();
    while (at.node() != NONE && !seen.containsKey(at)) {
      seen.put(at, way.size());
      way.add(at);
      at = state[at.rank()][at.node()] == STARTED
          ? partner(at) : new At(at.rank(), before.computeIfAbsent(at.rank(), this::unfinished)[at.node()]);
    }
    return at.node() == NONE ? List.of() : way.subList(Objects.requireNonNull(seen.get(at)), way.size());
  }

  private At first() {
    for (int rank = 0; rank < state.length; rank++) {
      for (int node = 0; node < state[rank].length; node++) {
        if (state[rank][node] != DONE) {
          return new At(rank, node);
        }
      }
    }
    return new At(0, NONE);
  }

  // For each operation of a rank one that it waits for.
  private int[] unfinished(int rank) {
    OperationGraph graph = graphs.get(rank);
    int[] before = new int[graph.size()];
    Arrays.fill(before, NONE);
    for (int node = 0; node < graph.size(); node++) {
      if (state[rank][node] != DONE) {
        note(graph.afterEnd, node, before);
      }
      if (state[rank][node] == WAITING) {
        note(graph.afterStart, node, before);
      }
    }
    return before;
  }

  private static void note(IntRows rows, int node, int[] before) {
    for (int i = rows.begin(node); i < rows.end(node); i++) {
      before[rows.value(i)] = node;
    }
  }

  // The send or the member of the group that an operation under way waits for.
  private At partner(At at) {
    OperationGraph graph = graphs.get(at.rank());
    if (graph.kind[at.node()] == OperationGraph.RECEIVE) {
      int sender = graph.peer[at.node()];
      long key = key(at.rank(), at.node());
      return waiting(sender, node -> graphs.get(sender).kind[node] == OperationGraph.SEND && key(sender, node) == key);
    }
    int group = graph.tag[at.node()];
    for (int member : groups.get(group).members()) {
      if (!members.get(group).containsKey(member)) {
        return waiting(
            member, node -> graphs.get(member).kind[node] == OperationGraph.COLLECTIVE
                && graphs.get(member).tag[node] == group);
      }
    }
    return new At(at.rank(), NONE);
  }

  private At waiting(int rank, IntPredicate wanted) {
    for (int node = 0; node < state[rank].length; node++) {
      if (state[rank][node] == WAITING && wanted.test(node)) {
        return new At(rank, node);
      }
    }
    return new At(rank, NONE);
  }

  private String describe(List<At> circle, Places places) {
    List<String> names = new ArrayList<>();
    for (At at : circle) {
      String name = places.of(at.rank(), at.node()) + " (" + kind(at) + " rank " + at.rank() + ")";
      if (names.isEmpty() || !names.get(names.size() - 1).equals(name)) {
        names.add(name);
      }
    }
    List<String> shown = names.subList(0, Math.min(names.size(), MOST_SHOWN));
    String more =
        names.size() > MOST_SHOWN ? "; ... " + (names.size() - MOST_SHOWN) + " more, the last for " : "; for ";
    return "operations wait for each other in a circle: "
        + String.join("; for ", shown).replaceFirst("; for ", " waits for ")
        + more + names.get(0);
  }

  private String kind(At at) {
    OperationGraph graph = graphs.get(at.rank());
    return switch (graph.kind[at.node()]) {
      case OperationGraph.SEND -> "send of";
      case OperationGraph.RECEIVE -> "receive of";
      case OperationGraph.COLLECTIVE -> graph.collectiveOp(at.node()).key() + " of";
      default -> "computation of";
    };
  }
}
