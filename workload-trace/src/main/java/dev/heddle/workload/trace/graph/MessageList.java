package dev.heddle.workload.trace.graph;

import java.util.Arrays;

/**
 * A list of messages or of receives in the order of their arrival. Sender and tag of a receive may be {@link #ANY}.
 * Search takes time in proportion to the length, as in LogGOPSim's queues.
 */
final class MessageList {
  /** The sender or the tag of a receive that takes every one. */
  static final int ANY = -1;

  /** The result of a search without success. */
  static final int NONE = -1;

  private int[] from = new int[4];
  private int[] tag = new int[4];
  private int[] node = new int[4];
  private int size;

  /**
   * Adds an element at the end.
   *
   * @param sender of the message, or {@link #ANY}
   * @param withTag number of the tag, or {@link #ANY}
   * @param operation of a receive; -1 for a message
   */
  void add(int sender, int withTag, int operation) {
    if (size == from.length) {
      from = Arrays.copyOf(from, 2 * size);
      tag = Arrays.copyOf(tag, 2 * size);
      node = Arrays.copyOf(node, 2 * size);
    }
    from[size] = sender;
    tag[size] = withTag;
    node[size++] = operation;
  }

  /** The position of the first element that fits sender and tag; {@link #NONE} where there is none. */
  int find(int sender, int withTag) {
    for (int i = 0; i < size; i++) {
      if (fits(from[i], sender) && fits(tag[i], withTag)) {
        return i;
      }
    }
    return NONE;
  }

  private static boolean fits(int one, int other) {
    return one == ANY || other == ANY || one == other;
  }

  /** The operation of an element. */
  int node(int at) {
    return node[at];
  }

  /** The number of elements. */
  int size() {
    return size;
  }

  /** Removes an element; those after it move up. */
  void remove(int at) {
    size--;
    System.arraycopy(from, at + 1, from, at, size - at);
    System.arraycopy(tag, at + 1, tag, at, size - at);
    System.arraycopy(node, at + 1, node, at, size - at);
  }
}
