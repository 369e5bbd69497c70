package dev.heddle.engine;

import dev.heddle.workload.Operation;
import java.util.Arrays;
import java.util.function.LongConsumer;

/** Messages that leave later than they were sent: one line per stream slot, first in, first out. */
final class DelayedSends {
  private static final int NONE = -1;

  private int[] head = new int[16];
  private int[] tail = new int[16];
  private long[] lastPs = new long[16];
  private int[] peer = new int[16];
  private int[] tag = new int[16];
  private int[] service = new int[16];
  private long[] bytes = new long[16];
  private int[] next = new int[16];
  private int free = NONE;
  private int count;

  DelayedSends() {
    Arrays.fill(head, NONE);
  }

  /**
   * Adds a message at the end of a slot's line.
   *
   * @param departPs when it is ready to leave
   * @return when it leaves: not before the messages ahead of it, which may be of a program that has ended
   */
  long add(int slot, Operation message, long departPs) {
    while (slot >= head.length) {
      int old = head.length;
      head = Arrays.copyOf(head, 2 * old);
      tail = Arrays.copyOf(tail, 2 * old);
      lastPs = Arrays.copyOf(lastPs, 2 * old);
      Arrays.fill(head, old, 2 * old, NONE);
    }
    int entry = allocate();
    peer[entry] = message.peer();
    tag[entry] = message.tag();
    service[entry] = message.label();
    bytes[entry] = message.bytes();
    next[entry] = NONE;
    if (head[slot] == NONE) {
      head[slot] = entry;
      lastPs[slot] = departPs;
    } else {
      next[tail[slot]] = entry;
      lastPs[slot] = Math.max(lastPs[slot], departPs);
    }
    tail[slot] = entry;
    return lastPs[slot];
  }

  private int allocate() {
    if (free != NONE) {
      int entry = free;
      free = next[entry];
      return entry;
    }
    if (count == peer.length) {
      peer = Arrays.copyOf(peer, 2 * count);
      tag = Arrays.copyOf(tag, 2 * count);
      service = Arrays.copyOf(service, 2 * count);
      bytes = Arrays.copyOf(bytes, 2 * count);
      next = Arrays.copyOf(next, 2 * count);
    }
    return count++;
  }

  /** Whether a slot's line is empty. */
  boolean isEmpty(int slot) {
    return slot >= head.length || head[slot] == NONE;
  }

  /** Takes a slot's line away as a value for {@link #attach}. */
  long detach(int slot) {
    if (isEmpty(slot)) {
      return NONE;
    }
    long line = (long) head[slot] << 32 | tail[slot];
    head[slot] = NONE;
    return line;
  }

  /** Adds a line at the end of a slot's line. */
  void attach(int slot, long line) {
    if (line == NONE) {
      return;
    }
    lastPs[slot] = 0;
    if (head[slot] == NONE) {
      head[slot] = (int) (line >> 32);
    } else {
      next[tail[slot]] = (int) (line >> 32);
    }
    tail[slot] = (int) line;
  }

  /** Adds the messages of a slot's line to a list. */
  void describe(int slot, LongConsumer into) {
    for (int entry = isEmpty(slot) ? NONE : head[slot]; entry != NONE; entry = next[entry]) {
      into.accept((long) peer[entry] << 32 | tag[entry] & 0xFFFFFFFFL);
      into.accept(service[entry]);
      into.accept(bytes[entry]);
    }
  }

  /**
   * Submits the first message of a slot's line, which does not wait for room: its thread block goes on, and a proxy
   * holds the data that the queue does not.
   */
  void submitFirst(int slot, int rank, Transport transport) {
    int entry = head[slot];
    head[slot] = next[entry];
    next[entry] = free;
    free = entry;
    transport.submit(rank, peer[entry], bytes[entry], tag[entry], service[entry]);
  }
}
