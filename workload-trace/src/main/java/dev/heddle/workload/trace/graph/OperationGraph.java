package dev.heddle.workload.trace.graph;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.workload.Program;
import java.util.Arrays;

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

  OperationGraph(GraphBuilder builder, ResourcePlan plan, IntRows afterEnd, IntRows afterStart, int[] unmet) {
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
    this.unmet = unmet;
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

  CollectiveOp collectiveOp(int node) {
    return OPS[op[node]];
  }
}
