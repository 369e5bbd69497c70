package dev.heddle.workload.trace.graph;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The messages of a file: numbers their tags from 0, and checks that every send is received. Ranks below 2^20, at most
 * 2^20 different tags.
 */
public final class Messages {
  /** The most ranks of a file. */
  public static final int MOST_RANKS = 1 << 20;

  private static final int MOST_TAGS = 1 << 20;
  private static final int RANK_BITS = 20;
  private static final int TAG_BITS = 20;

  private final Map<Long, Integer> numbers = new LinkedHashMap<>();
  private long[] tags = new long[64];
  private final Keys sent = new Keys();
  private final Keys received = new Keys();

  private static final class Keys {
    private long[] keys = new long[64];
    private int size;

    void add(long key) {
      if (size == keys.length) {
        keys = Arrays.copyOf(keys, 2 * size);
      }
      keys[size++] = key;
    }

    long[] sorted() {
      long[] copy = Arrays.copyOf(keys, size);
      Arrays.sort(copy);
      return copy;
    }
  }

  /** Notes a message, and returns the number of its tag. */
  public int send(int from, int to, long tag) {
    sent.add(key(from, to, number(tag)));
    return number(tag);
  }

  /** Notes a receipt, and returns the number of its tag. */
  public int receive(int from, int to, long tag) {
    received.add(key(from, to, number(tag)));
    return number(tag);
  }

  private int number(long tag) {
    Integer known = numbers.get(tag);
    if (known != null) {
      return known;
    }
    if (numbers.size() == MOST_TAGS) {
      throw new TraceException("has more than " + MOST_TAGS + " different tags");
    }
    int number = numbers.size();
    if (number == tags.length) {
      tags = Arrays.copyOf(tags, 2 * number);
    }
    tags[number] = tag;
    numbers.put(tag, number);
    return number;
  }

  /** A number for sender, receiver and number of a tag. */
  static long key(int from, int to, int tag) {
    return ((long) to << RANK_BITS | from) << TAG_BITS | tag;
  }

  /** The receiver of a message that {@link #left} names. */
  public static int to(long message) {
    return (int) (message >>> (RANK_BITS + TAG_BITS));
  }

  /** The sender of such a message. */
  public static int from(long message) {
    return (int) (message >>> TAG_BITS) & (MOST_RANKS - 1);
  }

  /** The number of the tag of such a message. */
  public static int tagNumber(long message) {
    return (int) message & (MOST_TAGS - 1);
  }

  /** The tag as written of a number. */
  public long tag(int number) {
    return tags[number];
  }

  /** The messages that nothing receives yet, in order of receiver, sender and tag. */
  public long[] left() {
    long[] all = sent.sorted();
    long[] taken = received.sorted();
    int count = 0;
    int at = 0;
    for (long message : all) {
      while (at < taken.length && taken[at] < message) {
        at++;
      }
      if (at < taken.length && taken[at] == message) {
        at++;
      } else {
        all[count++] = message;
      }
    }
    return Arrays.copyOf(all, count);
  }

  /**
   * Checks that every send is received.
   *
   * @throws TraceException with the first that is not
   */
  public void check() {
    long[] all = sent.sorted();
    long[] taken = received.sorted();
    for (int at = 0; at < Math.max(all.length, taken.length); at++) {
      if (at >= all.length || at >= taken.length || all[at] != taken[at]) {
        long odd = at >= all.length ? taken[at] : at >= taken.length ? all[at] : Math.min(all[at], taken[at]);
        throw new TraceException("rank " + from(odd) + " sends " + count(all, odd) + " messages with the tag "
            + tag(tagNumber(odd)) + " to rank " + to(odd) + ", which receives " + count(taken, odd) + " such");
      }
    }
  }

  private static long count(long[] keys, long key) {
    return Arrays.stream(keys).filter(each -> each == key).count();
  }
}
