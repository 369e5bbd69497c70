package dev.heddle.internal.collect;

/**
 * A state relative to the clock that is kept, and the latest one: words that are equal where the state recurs, and
 * counters that have gone on.
 */
public final class StatePair {
  private LongList kept = new LongList();
  private LongList keptProgress = new LongList();
  /** Words of the latest state. */
  public LongList later = new LongList();
  /** Counters of the latest state. */
  public LongList laterProgress = new LongList();

  /** Empties the latest state, before another is described. */
  public void clear() {
    later.clear();
    laterProgress.clear();
  }

  /** Whether the latest state is the one that is kept. */
  public boolean recurs() {
    return later.holdsSame(kept);
  }

  /** Words of the state that is kept. */
  public int size() {
    return kept.size();
  }

  /** Keeps the latest state in place of the other. */
  public void keep() {
    LongList freed = kept;
    kept = later;
    later = freed;
    freed = keptProgress;
    keptProgress = laterProgress;
    laterProgress = freed;
  }

  /** The progress of each counter in so many times what lies between both states. */
  public long[] change(long periods) {
    long[] change = new long[laterProgress.size()];
    for (int i = 0; i < change.length; i++) {
      change[i] = Math.multiplyExact(laterProgress.get(i) - keptProgress.get(i), periods);
    }
    return change;
  }
}
