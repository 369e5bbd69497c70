package dev.heddle.workload.trace.graph;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.workload.Program;
import java.util.Arrays;
import java.util.function.IntFunction;

/**
 * A rank's operations and their dependencies: a directed graph without circles, in arrays. Operations are numbered in
 * the order in which they were added; of several that are ready the first is executed first.
 *
 * <p>At most 2^31 - 1 operations and as many dependencies.
 */
public final class OperationGraph {
  /** The longest computation in picoseconds, about 53 days: times of a run stay within 64 bits. */
  public static final long MOST_PS = 1L << 62;

  /** The most bytes of a message or of a buffer of a collective: 1 PiB. */
  public static final long MOST_BYTES = 1L << 50;

  static final byte NOTHING = 0;
  static final byte COMPUTE = 1;
  static final byte SEND = 2;
  static final byte RECEIVE = 3;
  static final byte COLLECTIVE = 4;
  static final byte APPEND = 5;
  static final byte TEST = 6;
  static final byte COUNT = 7;

  private static final long ONCE = 1;
  private static final long OVERFLOW = 2;
  private static final int FLAGS = 2;

  private static final CollectiveOp[] OPS = CollectiveOp.values();

  final byte[] kind;
  final long[] amount;
  final int[] peer;
  final int[] tag;
  final byte[] op;
  final int[] resource;
  final int[] unmet;
  final IntRows afterEnd;
  final IntRows afterStart;
  final int resources;
  final int[] workers;
  final boolean computes;
  final int counters;
  final Arrivals arrivals;
  private final IntFunction<String> places;

  OperationGraph(GraphBuilder builder, ResourcePlan plan, IntRows afterEnd, IntRows afterStart,
      IntFunction<String> places) {
    int size = builder.size();
    kind = Arrays.copyOf(builder.kind, size);
    amount = Arrays.copyOf(builder.amount, size);
    peer = Arrays.copyOf(builder.peer, size);
    tag = Arrays.copyOf(builder.tag, size);
    op = Arrays.copyOf(builder.op, size);
    resource = plan.resourceOf();
    resources = plan.resources();
    workers = plan.workers();
    computes = plan.computes();
    counters = builder.counters();
    arrivals = builder.arrivals();
    this.places = places;
    unmet = builder.unmet();
    this.afterEnd = afterEnd;
    this.afterStart = afterStart;
  }

  /** The number of operations, with those that do nothing. */
  public int size() {
    return kind.length;
  }

  /** A program that does the operations, each as soon as it can. */
  public Program program() {
    return new GraphProgram(this);
  }

  /** The place of an operation in its file, for messages. */
  String place(int node) {
    return places.apply(node);
  }

  /** The amount of an append: its counter, or -1, and the kind of its list entry. */
  static long entry(int counter, boolean overflow, boolean once) {
    return counter + 1L << FLAGS | (overflow ? OVERFLOW : 0) | (once ? ONCE : 0);
  }

  static int counter(long entry) {
    return (int) (entry >> FLAGS) - 1;
  }

  static boolean overflow(long entry) {
    return (entry & OVERFLOW) != 0;
  }

  static boolean once(long entry) {
    return (entry & ONCE) != 0;
  }

  CollectiveOp collectiveOp(int node) {
    return OPS[op[node]];
  }
}
