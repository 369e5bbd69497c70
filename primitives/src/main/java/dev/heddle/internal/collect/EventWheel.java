package dev.heddle.internal.collect;

import java.util.Arrays;

/**
 * Events in order of time and number, in buckets of time.
 *
 * <p>A bucket of 2^shift ps is sorted when its turn comes: its events are then the "near" ones. Until then its start
 * bounds the head's time. Events beyond the wheel's horizon wait unsorted in "far". Width and number of buckets follow
 * the load: the aim is 32 events a bucket, which keeps a push or pop within one or two cold cache lines.
 */
public final class EventWheel {
  private static final int CHUNK_EVENTS = 16;
  private static final int CHUNK_LONGS = 2 * CHUNK_EVENTS;
  private static final int MIN_BUCKETS = 256;
  private static final int MAX_BUCKETS = 1 << 16;
  private static final int MAX_SHIFT = 39;
  private static final int INDEX_BITS = 24;
  private static final int TARGET_EVENTS = 32;
  private static final int TUNE_ACTIVATIONS = 64;
  private static final int NONE = -1;

  private final InstantSort sorter;
  private int shift = 17;
  private int buckets = MIN_BUCKETS;
  private long current;
  private int[] bucketChunk = new int[MIN_BUCKETS];
  private int[] bucketSize = new int[MIN_BUCKETS];
  private long[] occupied = new long[MIN_BUCKETS / 64];
  private long[] pool = new long[CHUNK_LONGS * 64];
  private int[] chunkNext = new int[64];
  private int freeChunk = NONE;
  private int chunks;
  private int wheelSize;
  private long[] near = new long[4 * TARGET_EVENTS];
  private int nearHead;
  private int nearSize;
  private long[] keys = new long[2 * TARGET_EVENTS];
  private long[] sorted = new long[2 * TARGET_EVENTS];
  private int[] slotStart = new int[8 * TARGET_EVENTS];
  private long[] farEvents = new long[256];
  private long[] moving = new long[256];
  private int farSize;
  private long farMin = Long.MAX_VALUE;
  private long nextBucket = Long.MAX_VALUE;
  private int activations;
  private long activatedEvents;

  /**
   * A wheel without events.
   *
   * @param sorter of the events of a bucket
   */
  public EventWheel(InstantSort sorter) {
    this.sorter = sorter;
    Arrays.fill(bucketChunk, NONE);
  }

  /** Shows the events of the bucket that has been sorted last. */
  public void show(EventPreview preview) {
    preview.look(near, 2 * nearHead, nearSize - nearHead);
  }

  /** Whether there are events, but of the head's time only a bound is known, with an event of -1. */
  public boolean isBound() {
    return nearHead == nearSize && nextBucket != Long.MAX_VALUE;
  }

  /** The head's time, or its bound; {@link Long#MAX_VALUE} without events. */
  public long headTime() {
    if (nearHead < nearSize) {
      return near[2 * nearHead];
    }
    return nextBucket == Long.MAX_VALUE ? Long.MAX_VALUE : nextBucket << shift;
  }

  /** The head; {@link Long#MAX_VALUE} without events. */
  public long headEvent() {
    if (nearHead < nearSize) {
      return near[2 * nearHead + 1];
    }
    return nextBucket == Long.MAX_VALUE ? Long.MAX_VALUE : -1;
  }

  /** Removes the head, which is an event. */
  public void remove() {
    nearHead++;
    if (nearHead == nearSize) {
      nearHead = 0;
      nearSize = 0;
      nextBucket = wheelSize + farSize > 0 ? findNextBucket() : Long.MAX_VALUE;
    }
  }

  /**
   * Adds an event.
   *
   * @param now the queue's time
   * @return whether it is the head now, or bounds its time
   */
  public boolean insert(long time, long event, long now) {
    long bucket = time >>> shift;
    boolean idle = nearHead == nearSize;
    if (idle) {
      // Nothing pending lies before nextBucket, so the wheel may follow the clock.
      long follow = Math.min(now >>> shift, nextBucket) - 1;
      if (follow > current) {
        current = follow;
      }
    }
    if (bucket <= current) {
      return insertNear(time, event);
    }
    if (bucket - current < buckets) {
      toBucket((int) (bucket & (buckets - 1)), time, event);
    } else {
      toFar(time, event);
    }
    if (idle && bucket < nextBucket) {
      nextBucket = bucket;
      return true;
    }
    return false;
  }

  private boolean insertNear(long time, long event) {
    if (2 * nearSize == near.length) {
      if (nearHead > 0) {
        System.arraycopy(near, 2 * nearHead, near, 0, 2 * (nearSize - nearHead));
        nearSize -= nearHead;
        nearHead = 0;
      } else {
        near = Arrays.copyOf(near, 2 * near.length);
      }
    }
    int low = nearHead;
    int high = nearSize;
    while (low < high) {
      int middle = (low + high) >>> 1;
      long t = near[2 * middle];
      if (t < time || (t == time && near[2 * middle + 1] <= event)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    System.arraycopy(near, 2 * low, near, 2 * low + 2, 2 * (nearSize - low));
    near[2 * low] = time;
    near[2 * low + 1] = event;
    nearSize++;
    activatedEvents++;
    return low == nearHead;
  }

  private void toBucket(int index, long time, long event) {
    int count = bucketSize[index];
    int within = count & (CHUNK_EVENTS - 1);
    if (within == 0) {
      int chunk = allocateChunk();
      chunkNext[chunk] = bucketChunk[index];
      bucketChunk[index] = chunk;
      if (count == 0) {
        occupied[index >> 6] |= 1L << index;
      }
    }
    int at = bucketChunk[index] * CHUNK_LONGS + 2 * within;
    pool[at] = time;
    pool[at + 1] = event;
    bucketSize[index] = count + 1;
    wheelSize++;
  }

  private int allocateChunk() {
    int chunk = freeChunk;
    if (chunk != NONE) {
      freeChunk = chunkNext[chunk];
      return chunk;
    }
    if (chunks == chunkNext.length) {
      chunkNext = Arrays.copyOf(chunkNext, 2 * chunks);
      pool = Arrays.copyOf(pool, 2 * pool.length);
    }
    return chunks++;
  }

  private void toFar(long time, long event) {
    if (2 * farSize == farEvents.length) {
      farEvents = Arrays.copyOf(farEvents, 2 * farEvents.length);
    }
    farEvents[2 * farSize] = time;
    farEvents[2 * farSize + 1] = event;
    farSize++;
    farMin = Math.min(farMin, time);
  }

  /** Sorts the next bucket that has events, for its first to be the head; there is no head yet, only its bound. */
  public void activate(long now) {
    if (++activations >= TUNE_ACTIVATIONS) {
      tune(now);
    }
    if (farSize > 0 && farMin >>> shift <= nextBucket) {
      current = nextBucket - 1;
      migrateFar();
    }
    current = nextBucket;
    int index = (int) (current & (buckets - 1));
    int count = bucketSize[index];
    activatedEvents += count;
    sortIntoNear(index, count);
    bucketSize[index] = 0;
    bucketChunk[index] = NONE;
    occupied[index >> 6] &= ~(1L << index);
    wheelSize -= count;
  }

  private long findNextBucket() {
    long next = wheelSize > 0 ? nextOccupied() : Long.MAX_VALUE;
    return farSize > 0 ? Math.min(next, farMin >>> shift) : next;
  }

  private long nextOccupied() {
    int mask = buckets - 1;
    int start = (int) ((current + 1) & mask);
    int word = start >> 6;
    int words = occupied.length;
    long bits = occupied[word] & (-1L << start);
    while (bits == 0) {
      word = (word + 1) & (words - 1);
      bits = occupied[word];
    }
    int index = (word << 6) + Long.numberOfTrailingZeros(bits);
    return current + 1 + ((index - start) & mask);
  }

  private void migrateFar() {
    long min = Long.MAX_VALUE;
    int kept = 0;
    for (int i = 0; i < farSize; i++) {
      long time = farEvents[2 * i];
      long event = farEvents[2 * i + 1];
      long bucket = time >>> shift;
      if (bucket - current < buckets) {
        toBucket((int) (bucket & (buckets - 1)), time, event);
      } else {
        farEvents[2 * kept] = time;
        farEvents[2 * kept + 1] = event;
        kept++;
        min = Math.min(min, time);
      }
    }
    farSize = kept;
    farMin = min;
  }

  private void sortIntoNear(int index, int count) {
    if (near.length < 2 * count + 16) {
      near = new long[4 * count];
    }
    if (keys.length < count) {
      keys = new long[2 * count];
      sorted = new long[2 * count];
    }
    long base = current << shift;
    int chunk = bucketChunk[index];
    int filled = 0;
    int inChunk = ((count - 1) & (CHUNK_EVENTS - 1)) + 1;
    while (chunk != NONE) {
      int at = chunk * CHUNK_LONGS;
      for (int i = 0; i < inChunk; i++) {
        keys[filled++] = (pool[at + 2 * i] - base) << INDEX_BITS | (at / 2 + i);
      }
      int next = chunkNext[chunk];
      chunkNext[chunk] = freeChunk;
      freeChunk = chunk;
      chunk = next;
      inChunk = CHUNK_EVENTS;
    }
    sortKeys(count);
    long indexMask = (1L << INDEX_BITS) - 1;
    int first = 0;
    for (int i = 0; i < count; i++) {
      int at = 2 * (int) (sorted[i] & indexMask);
      near[2 * i] = pool[at];
      near[2 * i + 1] = pool[at + 1];
      if (near[2 * i] != near[2 * first]) {
        sortInstant(first, i);
        first = i;
      }
    }
    sortInstant(first, count);
    nearSize = count;
  }

  private void sortInstant(int from, int to) {
    if (to > from + 1) {
      sorter.sort(near, 2 * from, to - from, -1);
    }
  }

  // Counts into about twice as many slots of time as there are keys, then mends the few that are out of order. The
  // library's sort allocates for every partition since JDK 22, and a plain quicksort mispredicts its branches.
  private void sortKeys(int count) {
    int bits = Math.min(shift, 33 - Integer.numberOfLeadingZeros(count));
    int slots = 1 << bits;
    if (slotStart.length <= slots) {
      slotStart = new int[2 * slots];
    }
    Arrays.fill(slotStart, 0, slots + 1, 0);
    int down = shift - bits + INDEX_BITS;
    for (int i = 0; i < count; i++) {
      slotStart[(int) (keys[i] >>> down) + 1]++;
    }
    for (int slot = 1; slot < slots; slot++) {
      slotStart[slot] += slotStart[slot - 1];
    }
    for (int i = 0; i < count; i++) {
      long key = keys[i];
      sorted[slotStart[(int) (key >>> down)]++] = key;
    }
    for (int i = 1; i < count; i++) {
      long key = sorted[i];
      int at = i - 1;
      while (at >= 0 && sorted[at] >>> INDEX_BITS > key >>> INDEX_BITS) {
        sorted[at + 1] = sorted[at];
        at--;
      }
      sorted[at + 1] = key;
    }
  }

  // Halves or doubles the buckets' width until they hold about the intended number of events, and their number until
  // the wheel spans about twice the pending events.
  private void tune(long now) {
    long average = activatedEvents / activations;
    activations = 0;
    activatedEvents = 0;
    int pending = wheelSize + farSize;
    int newShift = shift;
    if (average > 4 * TARGET_EVENTS) {
      newShift -= 63 - Long.numberOfLeadingZeros(average / TARGET_EVENTS);
    } else if (average < TARGET_EVENTS / 4 && pending > TARGET_EVENTS) {
      newShift += 2;
    }
    newShift = Math.max(0, Math.min(MAX_SHIFT, newShift));
    int wanted = Integer.highestOneBit(Math.max(1, pending / (TARGET_EVENTS / 4)) * 2 - 1);
    int newBuckets = Math.max(MIN_BUCKETS, Math.min(MAX_BUCKETS, wanted));
    if (newShift != shift || newBuckets > 2 * buckets || newBuckets < buckets / 4) {
      rebuild(newShift, newBuckets, now);
    }
  }

  /** The number of events. */
  public int size() {
    return nearSize - nearHead + wheelSize + farSize;
  }

  /** Copies time and event of all events, in no order; returns the place behind them. */
  public int copyTo(long[] into, int place) {
    int count = 2 * (nearSize - nearHead);
    System.arraycopy(near, 2 * nearHead, into, place, count);
    return copyLater(into, place + count);
  }

  private int copyLater(long[] into, int place) {
    int filled = place;
    for (int index = 0; index < buckets; index++) {
      int count = bucketSize[index];
      int inChunk = ((count - 1) & (CHUNK_EVENTS - 1)) + 1;
      for (int chunk = bucketChunk[index]; chunk != NONE; chunk = chunkNext[chunk]) {
        System.arraycopy(pool, chunk * CHUNK_LONGS, into, filled, 2 * inChunk);
        filled += 2 * inChunk;
        inChunk = CHUNK_EVENTS;
      }
    }
    System.arraycopy(farEvents, 0, into, filled, 2 * farSize);
    return filled + 2 * farSize;
  }

  private void rebuild(int newShift, int newBuckets, long now) {
    int pending = 2 * (wheelSize + farSize);
    if (moving.length < pending) {
      moving = new long[2 * pending];
    }
    long[] events = moving;
    int filled = copyLater(events, 0);
    shift = newShift;
    if (newBuckets != buckets) {
      buckets = newBuckets;
      bucketChunk = new int[newBuckets];
      bucketSize = new int[newBuckets];
      occupied = new long[newBuckets / 64];
    } else {
      Arrays.fill(bucketSize, 0);
      Arrays.fill(occupied, 0);
    }
    Arrays.fill(bucketChunk, NONE);
    freeChunk = NONE;
    chunks = 0;
    wheelSize = 0;
    farSize = 0;
    farMin = Long.MAX_VALUE;
    // No pending event is before now, and near is empty: the wheel may start in the bucket before.
    current = (now >>> newShift) - 1;
    for (int i = 0; i < filled; i += 2) {
      long time = events[i];
      long bucket = time >>> newShift;
      if (bucket - current < buckets) {
        toBucket((int) (bucket & (buckets - 1)), time, events[i + 1]);
      } else {
        toFar(time, events[i + 1]);
      }
    }
    nextBucket = filled > 0 ? findNextBucket() : Long.MAX_VALUE;
  }
}
