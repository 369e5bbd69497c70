package dev.heddle.workload.trace.graph;

import dev.heddle.collective.CollectiveOp;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * Collects a rank's operations and dependencies. A collective waits, besides, for the one of its group before it, in
 * the order in which the rest of the graph permits them: the members of a group must agree on the order. So does a
 * receipt for the one before it from the same rank with the same tag.
 */
public final class GraphBuilder {
  /** The sender or the tag of a receive that takes every one. */
  public static final int ANY = MessageList.ANY;

  private static final int FEW = 16;

  byte[] kind = new byte[FEW];
  long[] amount = new long[FEW];
  int[] peer = new int[FEW];
  int[] tag = new int[FEW];
  byte[] op = new byte[FEW];
  private int size;
  private final boolean oneAtATime;
  private int counters;
  private boolean byArrival;
  private Arrivals arrivals = Arrivals.NONE;

  private final Edges afterEnd = new Edges();
  private final Edges afterStart = new Edges();

  /** A growing list of edges. */
  private static final class Edges {
    private int[] from = new int[FEW];
    private int[] to = new int[FEW];
    private int size;

    void add(int before, int after) {
      if (size == from.length) {
        from = Arrays.copyOf(from, 2 * size);
        to = Arrays.copyOf(to, 2 * size);
      }
      from[size] = before;
      to[size++] = after;
    }

    IntRows rows(int nodes) {
      return IntRows.of(nodes, from, to, size);
    }
  }

  /** An empty graph whose sends and whose groups' collectives are under way side by side. */
  public GraphBuilder() {
    this(false);
  }

  /**
   * An empty graph.
   *
   * @param oneAtATime whether of all sends and collectives one is under way at a time
   */
  public GraphBuilder(boolean oneAtATime) {
    this.oneAtATime = oneAtATime;
  }

  /** Whether of all sends and collectives one is under way at a time. */
  boolean oneAtATime() {
    return oneAtATime;
  }

  /** The number of operations so far. */
  public int size() {
    return size;
  }

  /** Adds an operation that takes no time, to be waited for. */
  public int nothing() {
    return add(OperationGraph.NOTHING, 0, 0, 0);
  }

  /**
   * Adds a computation.
   *
   * @param processor of the rank that computes, one operation at a time
   * @param ps time, at least 0
   */
  public int compute(int processor, long ps) {
    return add(OperationGraph.COMPUTE, ps, 0, processor);
  }

  /**
   * Adds a message; it is done when the rank's injection queue has taken it.
   *
   * @param peer the receiving rank
   * @param bytes at least 0
   * @param tag matched by the receiver
   */
  public int send(int peer, long bytes, int tag) {
    return add(OperationGraph.SEND, bytes, peer, tag);
  }

  /**
   * Adds the receipt of a message.
   *
   * @param peer the sending rank, or {@link #ANY}
   * @param tag as sent, or {@link #ANY}
   */
  public int receive(int peer, int tag) {
    return add(OperationGraph.RECEIVE, 0, peer, tag);
  }

  /**
   * Adds an entry of a list that matches puts; it is done at once.
   *
   * @param from rank whose puts it takes, or {@link #ANY}
   * @param withTag of the puts, or {@link #ANY}
   * @param counter of the rank that counts them, at least 0; or -1 for none
   * @param overflow whether the list is the overflow list, not the priority list
   * @param once whether it takes one put alone
   */
  public int append(int from, int withTag, int counter, boolean overflow, boolean once) {
    counters = Math.max(counters, counter + 1);
    return add(OperationGraph.APPEND, OperationGraph.entry(counter, overflow, once), from, withTag);
  }

  /**
   * Adds a wait for a counter.
   *
   * @param counter of the rank, at least 0
   * @param value to be reached
   */
  public int test(int counter, long value) {
    counters = Math.max(counters, counter + 1);
    return add(OperationGraph.TEST, value, 0, counter);
  }

  /** Adds one to a counter of the rank, at least 0. */
  public int count(int counter) {
    counters = Math.max(counters, counter + 1);
    return add(OperationGraph.COUNT, 0, 0, counter);
  }

  /**
   * Lets the rank match its messages by arrival, which receives from {@link #ANY} rank or with {@link #ANY} tag, and
   * entries for puts, need.
   *
   * @param messages all that are sent to the rank
   * @param rank the receiver
   */
  public void matchByArrival(Messages messages, int rank) {
    arrivals = messages.arrivals(rank);
    byArrival = true;
  }

  /** The number of counters. */
  int counters() {
    return counters;
  }

  /** The messages of the rank, where it matches them by arrival. */
  Arrivals arrivals() {
    return arrivals;
  }

  /** Whether an operation ends by the matching of messages. */
  boolean matched(int node) {
    return byArrival && ArrivalMatching.matches(kind[node]);
  }

  /**
   * Adds the rank's part of a collective.
   *
   * @param group number of the group
   * @param operation of the collective
   * @param bytes size of the largest buffer of any rank
   * @param root rank within the group, or 0
   */
  public int collective(int group, CollectiveOp operation, long bytes, int root) {
    int node = add(OperationGraph.COLLECTIVE, bytes, root, group);
    op[node] = (byte) operation.ordinal();
    return node;
  }

  private int add(byte nodeKind, long much, int other, int number) {
    if (size == kind.length) {
      kind = Arrays.copyOf(kind, 2 * size);
      amount = Arrays.copyOf(amount, 2 * size);
      peer = Arrays.copyOf(peer, 2 * size);
      tag = Arrays.copyOf(tag, 2 * size);
      op = Arrays.copyOf(op, 2 * size);
    }
    kind[size] = nodeKind;
    amount[size] = much;
    peer[size] = other;
    tag[size] = number;
    return size++;
  }

  /** Lets an operation start when another is done. */
  public void after(int operation, int before) {
    afterEnd.add(before, operation);
  }

  /** Lets an operation start when another has started. */
  public void afterStart(int operation, int before) {
    afterStart.add(before, operation);
  }

  /** The collectives in the order in which they come; after {@link #build}. */
  public int[] collectives() {
    return Arrays.stream(order()).filter(node -> kind[node] == OperationGraph.COLLECTIVE).toArray();
  }

  /** The description of a collective, for messages and for comparison of a group's members. */
  public CollectivePart part(int collective) {
    return new CollectivePart(
        tag[collective], CollectiveOp.values()[op[collective]], amount[collective], peer[collective]);
  }

  /**
   * A rank's part of a collective.
   *
   * @param group number of the group
   * @param op operation
   * @param bytes size of the largest buffer of any rank
   * @param root rank within the group, or 0
   */
  public record CollectivePart(int group, CollectiveOp op, long bytes, int root) {
    @Override
    public String toString() {
      return op.key() + " of " + bytes + " B" + (op.rooted() ? " with the root " + root : "");
    }
  }

  /**
   * Finishes the graph.
   *
   * @param name of an operation, for messages
   * @throws TraceException when operations wait for each other in a circle
   */
  public OperationGraph build(IntFunction<String> name) {
    int[] order = order();
    if (order.length < size) {
      throw new TraceException(name.apply(inCircle(order)) + " waits for itself: its dependencies lead back to it");
    }
    chain(order);
    IntRows ends = afterEnd.rows(size);
    IntRows starts = afterStart.rows(size);
    return new OperationGraph(this, ResourcePlan.of(this, order, ends, starts), ends, starts, name);
  }

  private void chain(int[] order) {
    Map<Long, Integer> last = new LinkedHashMap<>();
    for (int node : order) {
      boolean receipt = kind[node] == OperationGraph.RECEIVE && !byArrival;
      if (receipt || kind[node] == OperationGraph.COLLECTIVE) {
        Integer before = last.put(receipt ? (long) peer[node] << 32 | tag[node] : -1L - tag[node], node);
        if (before != null) {
          after(node, before);
        }
      }
    }
  }

  int[] unmet() {
    int[] unmet = new int[size];
    for (int i = 0; i < afterEnd.size; i++) {
      unmet[afterEnd.to[i]]++;
    }
    for (int i = 0; i < afterStart.size; i++) {
      unmet[afterStart.to[i]]++;
    }
    return unmet;
  }

  // Each operation after those it waits for, the first added first; shorter than the graph where there is a circle.
  private int[] order() {
    IntRows ends = afterEnd.rows(size);
    IntRows starts = afterStart.rows(size);
    int[] unmet = unmet();
    IntHeap ready = new IntHeap();
    for (int node = 0; node < size; node++) {
      if (unmet[node] == 0) {
        ready.add(node);
      }
    }
    int[] order = new int[size];
    int count = 0;
    while (!ready.isEmpty()) {
      int node = ready.removeLeast();
      order[count++] = node;
      release(ends, node, unmet, ready);
      release(starts, node, unmet, ready);
    }
    return Arrays.copyOf(order, count);
  }

  private static void release(IntRows rows, int node, int[] unmet, IntHeap ready) {
    for (int i = rows.begin(node); i < rows.end(node); i++) {
      if (--unmet[rows.value(i)] == 0) {
        ready.add(rows.value(i));
      }
    }
  }

  // Back from any operation that was not reached, by such as were not, until one comes again: that lies on a circle.
  private int inCircle(int[] order) {
    boolean[] free = new boolean[size];
    for (int node : order) {
      free[node] = true;
    }
    int[] waitsFor = new int[size];
    for (Edges edges : new Edges[] {afterEnd, afterStart}) {
      for (int i = 0; i < edges.size; i++) {
        if (!free[edges.from[i]]) {
          waitsFor[edges.to[i]] = edges.from[i];
        }
      }
    }
    int at = 0;
    while (free[at]) {
      at++;
    }
    boolean[] seen = new boolean[size];
    while (!seen[at]) {
      seen[at] = true;
      at = waitsFor[at];
    }
    return at;
  }
}
