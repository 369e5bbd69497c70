package dev.heddle.network;

import java.util.Arrays;

/** Table of the messages under way in a network; rows are used again. */
public class MessageTable {
  /** No message. */
  public static final int NONE = -1;

  private static final long MAX_BYTES = (1L << 40) - 1;

  private int[] next = new int[1024];
  private int[] destination = new int[1024];
  private int[] tagAndClass = new int[1024];
  private long[] id = new long[1024];
  private long[] generated = new long[1024];
  private long[] bytes = new long[1024];
  private int count;
  private int live;
  private int free = NONE;

  /** An empty table. */
  protected MessageTable() {}

  /**
   * Requires that a rank can send another so many bytes.
   *
   * @param reachable whether there is a path from one to the other
   * @throws IllegalArgumentException when it cannot
   */
  public static void require(int rank, int peer, long bytes, boolean reachable) {
    if (bytes < 0 || bytes > MAX_BYTES || !reachable) {
      throw new IllegalArgumentException(
          "rank " + rank + " cannot send " + bytes + " bytes to rank " + peer + "; 0 to 2^40 - 1 to another rank can");
    }
  }

  /**
   * Takes a row.
   *
   * @param messageId its number ({@link MessageNumbers})
   * @param to the terminal that it goes to
   * @param payload in bytes
   * @param time at which it was generated, in picoseconds
   */
  public final int allocate(long messageId, int to, long payload, long time) {
    live++;
    int message = free;
    if (message != NONE) {
      free = next[message];
    } else {
      if (count == next.length) {
        grow(2 * count);
      }
      message = count++;
    }
    next[message] = NONE;
    id[message] = messageId;
    destination[message] = to;
    bytes[message] = payload;
    generated[message] = time;
    return message;
  }

  /** Sets the tag by which a message is received, and its traffic class. */
  protected final void treat(int message, int tag, int trafficClass) {
    tagAndClass[message] = (tag + 1) << 3 | trafficClass;
  }

  /** Gives a row back. */
  public final void release(int message) {
    live--;
    next[message] = free;
    free = message;
  }

  /** Rows that are taken. */
  public final int live() {
    return live;
  }

  /** The message behind one in its queue. */
  public final int next(int message) {
    return next[message];
  }

  /** Puts a message behind one in its queue. */
  public final void next(int message, int following) {
    next[message] = following;
  }

  /** The terminal that a message comes from. */
  public final int source(int message) {
    return MessageNumbers.source(id[message]);
  }

  /** The terminal that a message goes to. */
  public final int destination(int message) {
    return destination[message];
  }

  /** The tag by which it is received; -1 for a one-sided message. */
  public final int tag(int message) {
    return (tagAndClass[message] >>> 3) - 1;
  }

  /** Its traffic class. */
  public final int trafficClass(int message) {
    return tagAndClass[message] & 7;
  }

  /** Its number. */
  public final long id(int message) {
    return id[message];
  }

  /** Time of its generation, in picoseconds. */
  public final long generated(int message) {
    return generated[message];
  }

  /** Its payload in bytes. */
  public final long bytes(int message) {
    return bytes[message];
  }

  /** Gives a message another number and time of generation. */
  public final void renumber(int message, long byNumbers, long byPs) {
    id[message] += byNumbers;
    generated[message] += byPs;
  }

  /** Makes room for more rows. */
  protected void grow(int rows) {
    next = Arrays.copyOf(next, rows);
    destination = Arrays.copyOf(destination, rows);
    tagAndClass = Arrays.copyOf(tagAndClass, rows);
    id = Arrays.copyOf(id, rows);
    generated = Arrays.copyOf(generated, rows);
    bytes = Arrays.copyOf(bytes, rows);
  }
}
