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
  private static final int FEW = 4;
  private static final long PUT = 1L << 33;

  private final Map<Long, Integer> numbers = new LinkedHashMap<>();
  private long[] tags = new long[64];
  private final Keys sent = new Keys();
  private final Keys received = new Keys();
  private final Map<Integer, Integer> receivedFromAny = new LinkedHashMap<>();
  private long[] sorted = new long[0];

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

  /** Notes a receipt of any sender or with any tag. */
  public void receiveAny(int to) {
    receivedFromAny.merge(to, 1, Integer::sum);
  }

  /** Notes a put, which no receipt matches, and returns the number of its tag. */
  public int put(int from, int to, long tag) {
    return send(from, to, PUT + tag);
  }

  /** The number of a tag of puts, for the receiver's list entry. */
  public int putTag(long tag) {
    return number(PUT + tag);
  }

  /** The number of a tag, for a receipt of any sender. */
  public int receiveTag(long tag) {
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

  private static int to(long message) {
    return (int) (message >>> (RANK_BITS + TAG_BITS));
  }

  private static int from(long message) {
    return (int) (message >>> TAG_BITS) & (MOST_RANKS - 1);
  }

  private static int tagNumber(long message) {
    return (int) message & (MOST_TAGS - 1);
  }

  private long tag(int number) {
    return tags[number];
  }

  /** The messages that are sent to a rank, by sender and tag. */
  Arrivals arrivals(int rank) {
    long[] all = inOrder();
    int at = Arrays.binarySearch(all, key(0, rank, 0));
    int begin = at >= 0 ? at : -1 - at;
    while (begin > 0 && to(all[begin - 1]) == rank) {
      begin--;
    }
    int kinds = 0;
    int[] from = new int[FEW];
    int[] number = new int[FEW];
    int[] count = new int[FEW];
    boolean[] put = new boolean[FEW];
    for (int i = begin; i < all.length && to(all[i]) == rank; i++) {
      if (i == begin || all[i] != all[i - 1]) {
        if (kinds == from.length) {
          from = Arrays.copyOf(from, 2 * kinds);
          number = Arrays.copyOf(number, 2 * kinds);
          count = Arrays.copyOf(count, 2 * kinds);
          put = Arrays.copyOf(put, 2 * kinds);
        }
        from[kinds] = from(all[i]);
        number[kinds] = tagNumber(all[i]);
        put[kinds] = tag(tagNumber(all[i])) >= PUT;
        kinds++;
      }
      count[kinds - 1]++;
    }
    return new Arrivals(Arrays.copyOf(from, kinds), Arrays.copyOf(number, kinds), Arrays.copyOf(count, kinds),
        Arrays.copyOf(put, kinds));
  }

  private long[] inOrder() {
    if (sorted.length != sent.size) {
      sorted = sent.sorted();
    }
    return sorted;
  }

  /**
   * Checks that every send is received, and that ranks which receive from any have as many messages left.
   *
   * @throws TraceException with the first that is not
   */
  public void check() {
    long[] all = Arrays.stream(inOrder()).filter(key -> tag(tagNumber(key)) < PUT).toArray();
    long[] taken = received.sorted();
    Map<Integer, Integer> left = new LinkedHashMap<>();
    int at = 0;
    int next = 0;
    while (at < all.length || next < taken.length) {
      boolean sends = next >= taken.length || at < all.length && all[at] <= taken[next];
      boolean receives = at >= all.length || next < taken.length && taken[next] <= all[at];
      long key = sends ? all[at] : taken[next];
      if (sends != receives && !(sends && receivedFromAny.containsKey(to(key)))) {
        throw new TraceException("rank " + from(key) + " sends " + count(all, key) + " messages with the tag "
            + tag(tagNumber(key)) + " to rank " + to(key) + ", which receives " + count(taken, key) + " such");
      }
      if (sends && !receives) {
        left.merge(to(key), 1, Integer::sum);
      }
      at += sends ? 1 : 0;
      next += receives ? 1 : 0;
    }
    receivedFromAny.forEach((rank, count) -> {
      if (left.getOrDefault(rank, 0) != (int) count) {
        throw new TraceException("rank " + rank + " has " + count + " receives from any rank or with any tag, but "
            + left.getOrDefault(rank, 0) + " messages are left for them");
      }
    });
  }

  private static long count(long[] keys, long key) {
    return Arrays.stream(keys).filter(each -> each == key).count();
  }
}
