package dev.heddle.engine;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.internal.collect.LongLongMap;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Times of a run's collectives, from the first member's arrival to the end of the last member's part. A run has
 * millions of them, so they are summed by kind.
 */
public final class CollectiveLog {
  /**
   * A member's part of a collective, or several parts together.
   *
   * @param group number of the group
   * @param sequence number of collectives of the group before it
   * @param op operation
   * @param ranks of the group
   * @param bytes of the largest buffer of any rank
   * @param startPs arrival of the first member
   * @param endPs end of the last member's part
   * @param parts members whose part is done
   */
  public record Call(
      int group, int sequence, CollectiveOp op, int ranks, long bytes, long startPs, long endPs, int parts) {
    private boolean complete() {
      return parts == ranks;
    }

    private Call with(Call other) {
      return new Call(
          group, sequence, op, ranks, bytes, Math.min(startPs, other.startPs), Math.max(endPs, other.endPs),
          parts + other.parts);
    }
  }

  /**
   * Collectives that are repetitions of each other.
   *
   * @param op operation
   * @param bytes of the largest buffer of any rank
   * @param ranks of a group
   * @param count number of those that have ended
   * @param totalPs sum of their times
   * @param firstEndPs end of the first of them
   */
  public record Kind(CollectiveOp op, long bytes, int ranks, long count, long totalPs, long firstEndPs) {}

  private record Key(CollectiveOp op, long bytes, int ranks) {}

  /** Sum of the times of collectives of one kind. */
  public static final class Sum {
    private long count;
    private long totalPs;
    private long firstEndPs = Long.MAX_VALUE;

    /** A collective has ended. */
    public void add(long startPs, long endPs) {
      add(1, endPs - startPs, endPs);
    }

    /** A number of collectives have ended that were equal. */
    public void addEquals(int equals, long startPs, long endPs) {
      add(equals, Math.multiplyExact(equals, endPs - startPs), endPs);
    }

    private void add(long more, long ps, long endPs) {
      count += more;
      totalPs = Math.addExact(totalPs, ps);
      firstEndPs = Math.min(firstEndPs, endPs);
    }
  }

  private final Map<Key, Sum> sums = new LinkedHashMap<>();
  private final Map<Long, Call> parts = new LinkedHashMap<>();
  private final LongLongMap begun = new LongLongMap(0);

  /** The number of the collective that a member of a group comes to now, from 0, however its group does them. */
  public int begin(int group, int rank) {
    return (int) begun.increment((long) group << 32 | rank);
  }

  /** The number of the collective that a member of a group would come to now. */
  public int next(int group, int rank) {
    return (int) begun.get((long) group << 32 | rank);
  }

  /** Where the times of a kind of collectives add up. */
  public Sum of(CollectiveOp op, long bytes, int ranks) {
    return sums.computeIfAbsent(new Key(op, bytes, ranks), key -> new Sum());
  }

  /** A member has done its part of a collective. */
  public void add(Call part) {
    long key = (long) part.group() << 32 | part.sequence();
    Call whole = parts.merge(key, part, Call::with);
    if (whole.complete()) {
      parts.remove(key);
      of(whole.op(), whole.bytes(), whole.ranks()).add(whole.startPs(), whole.endPs());
    }
  }

  /** Adds the log of another part of the network. */
  public void add(CollectiveLog other) {
    other.parts.values().forEach(this::add);
    other.sums.forEach((key, sum) -> {
      if (sum.count > 0) {
        of(key.op(), key.bytes(), key.ranks()).add(sum.count, sum.totalPs, sum.firstEndPs);
      }
    });
  }

  /** The kinds of collectives of which one has ended, in the order of the first ends. */
  public List<Kind> kinds() {
    List<Kind> kinds = new ArrayList<>();
    sums.forEach((key, sum) -> {
      if (sum.count > 0) {
        kinds.add(new Kind(key.op(), key.bytes(), key.ranks(), sum.count, sum.totalPs, sum.firstEndPs));
      }
    });
    kinds.sort((a, b) -> a.firstEndPs() != b.firstEndPs() ? Long.compare(a.firstEndPs(), b.firstEndPs())
        : a.op() != b.op() ? a.op().compareTo(b.op())
        : a.bytes() != b.bytes() ? Long.compare(a.bytes(), b.bytes()) : Integer.compare(a.ranks(), b.ranks()));
    return kinds;
  }
}
