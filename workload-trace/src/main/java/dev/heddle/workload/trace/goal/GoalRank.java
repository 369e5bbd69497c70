package dev.heddle.workload.trace.goal;

import dev.heddle.workload.trace.graph.GraphBuilder;
import dev.heddle.workload.trace.graph.Messages;
import java.util.Arrays;
import java.util.function.IntSupplier;

/**
 * The operations of a rank, by their numbers in the file; each begins with one operation of the graph and ends with
 * one. An operation with an overhead is a computation as well: of a message before it is sent, and after it is
 * received.
 */
final class GoalRank {
  /** The sender or the tag of an operation that takes every one. */
  static final int ANY = GraphBuilder.ANY;

  /** The value for no counter. */
  static final int NO_COUNTER = -1;

  /** The number of counters of a rank. */
  static final int MOST_COUNTERS = 1 << 16;

  private static final int FEW = 16;

  private final int rank;
  private final long overheadPs;
  private final Messages messages;
  private final OneSided oneSided;
  private final GraphBuilder graph = new GraphBuilder();
  private boolean byArrival;
  private int[] first = new int[FEW];
  private int[] last = new int[FEW];
  private int count;

  /**
   * A rank without operations.
   *
   * @param rank its number
   * @param overheadPs that a processor spends on each message sent and each received
   * @param messages of all ranks
   * @param oneSided puts and appends of all ranks
   */
  GoalRank(int rank, long overheadPs, Messages messages, OneSided oneSided) {
    this.rank = rank;
    this.overheadPs = overheadPs;
    this.messages = messages;
    this.oneSided = oneSided;
  }

  /** The graph of the operations, once all ranks are read. */
  GraphBuilder graph() {
    if (byArrival) {
      graph.matchByArrival(messages, rank);
    }
    return graph;
  }

  /** Whether the rank's messages are matched by arrival. */
  boolean byArrival() {
    return byArrival;
  }

  /** The number of an operation in the file, of an operation of the graph. */
  int number(int node) {
    int at = Arrays.binarySearch(first, 0, count, node);
    return at >= 0 ? at : -2 - at;
  }

  /** Lets an operation start when another is done, or has started. */
  void require(int after, int before, boolean start) {
    if (start) {
      graph.afterStart(first[after], first[before]);
    } else {
      graph.after(first[after], last[before]);
    }
  }

  private int add(int begin, int end) {
    if (count == first.length) {
      first = Arrays.copyOf(first, 2 * count);
      last = Arrays.copyOf(last, 2 * count);
    }
    first[count] = begin;
    last[count] = end;
    return count++;
  }

  /** Adds a computation, and returns its number in the file, as all that follow do. */
  int calc(long nanoseconds, int cpu) {
    int node = graph.compute(cpu, 1000 * nanoseconds);
    return add(node, node);
  }

  /** Adds the sending of a message. */
  int send(int peer, long bytes, long tag, int cpu) {
    return send(bytes, peer, messages.send(rank, peer, tag), cpu);
  }

  private int send(long bytes, int peer, int number, int cpu) {
    int begin = overheadPs > 0 ? graph.compute(cpu, overheadPs) : graph.size();
    int end = graph.send(peer, bytes, number);
    if (begin < end) {
      graph.after(end, begin);
    }
    return add(begin, end);
  }

  /**
   * Adds a put.
   *
   * @param counter of the rank, raised when the message has left; or {@link #NO_COUNTER}
   * @param place in the file, for messages
   */
  int put(int peer, long bytes, long tag, int cpu, int counter, String place) {
    oneSided.put(rank, peer, tag, place);
    int number = send(bytes, peer, messages.put(rank, peer, tag), cpu);
    if (counter != NO_COUNTER) {
      byArrival = true;
      graph.after(graph.count(counter), last[number]);
    }
    return number;
  }

  /** Adds a receive; sender and tag may be {@link #ANY}. */
  int receive(int peer, long tag, int cpu) {
    int number;
    if (peer == ANY || tag == ANY) {
      byArrival = true;
      messages.receiveAny(rank);
      number = tag == ANY ? ANY : messages.receiveTag(tag);
    } else {
      number = messages.receive(peer, rank, tag);
    }
    int begin = graph.receive(peer, number);
    if (overheadPs == 0) {
      return add(begin, begin);
    }
    int end = graph.compute(cpu, overheadPs);
    graph.after(end, begin);
    return add(begin, end);
  }

  /**
   * Adds a list entry for puts.
   *
   * @param allowed rank whose puts it takes, or {@link #ANY}
   * @param tag of the puts, or {@link #ANY}
   * @param counter raised by each put that it takes, or {@link #NO_COUNTER}
   * @param kind of list and of entry
   */
  int append(int allowed, long tag, int cpu, int counter, EntryKind kind) {
    byArrival = true;
    oneSided.append(rank, allowed, tag);
    int number = tag == ANY ? ANY : messages.putTag(tag);
    return afterOverhead(cpu, true, () -> graph.append(allowed, number, counter, kind.overflow(), kind.once()));
  }

  /** List of an entry, and whether it serves once. */
  record EntryKind(boolean overflow, boolean once) {}

  /** Adds a wait until a counter has a value. */
  int test(int counter, long value, int cpu) {
    byArrival = true;
    return afterOverhead(cpu, false, () -> graph.test(counter, value));
  }

  // The operation itself follows the begin or the end of its overhead.
  private int afterOverhead(int cpu, boolean begins, IntSupplier operation) {
    int overhead = overheadPs > 0 ? graph.compute(cpu, overheadPs) : -1;
    int node = operation.getAsInt();
    if (overhead < 0) {
      return add(node, node);
    }
    if (begins) {
      graph.afterStart(node, overhead);
    } else {
      graph.after(node, overhead);
    }
    return add(overhead, node);
  }
}
