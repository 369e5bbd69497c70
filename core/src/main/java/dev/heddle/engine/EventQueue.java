package dev.heddle.engine;

import java.util.Arrays;

/**
 * Pending events in total order of (time, event), both {@code long}: of two events of one time the smaller goes first.
 *
 * <p>An event packs its priority, its target and its argument, highest bits first, so that the order of simultaneous
 * events follows from the model and not from the order of scheduling. Pushing and popping allocate nothing once the
 * arrays have grown to the run's needs.
 */
public final class EventQueue {
  // Two structures share the work, under a small tournament tree that knows the head of each.
  //
  // Lanes: most delays of a network are one of a few constants (a link's latency, the wire time of a full packet), and
  // events of one constant delay are pushed in order of time. Each delay that recurs gets a first-in-first-out ring.
  //
  // Wheel: everything else. Time is cut into buckets of 2^shift ps; a bucket is sorted when its turn comes (the "near"
  // events). Until then leaf 0 holds the bucket's start, a lower bound, so that the wheel never runs ahead of the lanes. What lies beyond the wheel's horizon waits unsorted in "far". Width and number of buckets
  // follow the load: the aim is 32 events a bucket, which keeps a push or pop within one or two cold cache lines.

  private static final int MAX_LANES = 63;
  private static final int LANE_HITS = 24;
  private static final int DELAY_SLOTS = 512;
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;
  private static final int CHUNK_EVENTS = 16;
  private static final int CHUNK_LONGS = 2 * CHUNK_EVENTS;
  private static final int MIN_BUCKETS = 256;
  private static final int MAX_BUCKETS = 1 << 16;
  private static final int MAX_SHIFT = 39;
  private static final int INDEX_BITS = 24;
  private static final int TARGET_EVENTS = 32;
  private static final int TUNE_ACTIVATIONS = 64;
  private static final int NONE = -1;

  private long now;
  private long poppedEvent;
  private int size;

  // Tournament: leaf 0 is the wheel, leaf 1 + n is lane n. Node 1 is the root, the leaves are the nodes from `leaves` on;
  // every node holds the time, event and leaf of the earliest below it.
  private int leaves = 2;
  private long[] nodeTime = {Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE};
  private long[] nodeEvent = {Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE};
  private int[] nodeLeaf = {0, 0, 0, 1};

  // Lanes.
  private int lanes;
  private final long[][] ring = new long[MAX_LANES][];
  private final int[] ringHead = new int[MAX_LANES];
  private final int[] ringSize = new int[MAX_LANES];
  private final long[] slotDelay = new long[DELAY_SLOTS];
  private final int[] slotLane = new int[DELAY_SLOTS];
  private final int[] slotHits = new int[DELAY_SLOTS];

  // Wheel.
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

  /** An empty queue at time 0. */
  public EventQueue() {
    Arrays.fill(slotLane, NONE);
    Arrays.fill(slotDelay, Long.MIN_VALUE);
    Arrays.fill(bucketChunk, NONE);
  }

  /** The time of the event popped last, in picoseconds. */
  public long now() {
    return now;
  }

  /** The event popped last. */
  public long event() {
    return poppedEvent;
  }

  /** The number of pending events. */
  public int size() {
    return size;
  }

  /** Whether no event is pending. */
  public boolean isEmpty() {
    return size == 0;
  }

  /** The time of the next event in picoseconds; {@link Long#MAX_VALUE} when there is none. */
  public long nextTime() {
    if (nodeLeaf[1] == 0 && nearHead == nearSize) {
      settle();
    }
    return nodeTime[1];
  }

  /**
   * Adds an event.
   *
   * @param time not before {@link #now()}, below {@link Long#MAX_VALUE}
   * @param event at least 0
   */
  public void push(long time, long event) {
    if (time < now || event < 0) {
      throw new IllegalArgumentException(
          "event " + event + " at " + time + " ps would be before now, " + now + " ps, or is negative");
    }
    size++;
    long delay = time - now;
    int slot = (int) ((delay * GOLDEN) >>> 55);
    if (slotDelay[slot] == delay) {
      int lane = slotLane[slot];
      if (lane >= 0) {
        append(lane, time, event);
        return;
      }
      if (++slotHits[slot] >= LANE_HITS && lanes < MAX_LANES) {
        slotLane[slot] = addLane();
      }
    } else if (slotLane[slot] < 0 && --slotHits[slot] <= 0) {
      slotDelay[slot] = delay;
      slotHits[slot] = 1;
    }
    insert(time, event);
  }

  /**
   * Removes the next event; {@link #now()} and {@link #event()} then tell which.
   *
   * @return whether there was one
   */
  public boolean pop() {
    if (nodeLeaf[1] == 0 && nearHead == nearSize) {
      settle();
    }
    long time = nodeTime[1];
    if (time == Long.MAX_VALUE) {
      return false;
    }
    now = time;
    poppedEvent = nodeEvent[1];
    size--;
    int leaf = nodeLeaf[1];
    if (leaf == 0) {
      nearHead++;
      if (nearHead == nearSize) {
        nearHead = 0;
        nearSize = 0;
        nextBucket = wheelSize + farSize > 0 ? findNextBucket() : Long.MAX_VALUE;
        showBound();
      } else {
        later(0, near[2 * nearHead], near[2 * nearHead + 1]);
      }
      return true;
    }
    int lane = leaf - 1;
    if (--ringSize[lane] == 0) {
      ringHead[lane] = 0;
      later(leaf, Long.MAX_VALUE, Long.MAX_VALUE);
    } else {
      long[] events = ring[lane];
      int head = (ringHead[lane] + 2) & (events.length - 1);
      ringHead[lane] = head;
      later(leaf, events[head], events[head + 1]);
    }
    return true;
  }

  // --- lanes ---

  private int addLane() {
    int lane = lanes++;
    ring[lane] = new long[128];
    if (lane + 2 > leaves) {
      growTree();
    }
    return lane;
  }

  private void growTree() {
    int grown = 2 * leaves;
    long[] times = new long[2 * grown];
    long[] events = new long[2 * grown];
    int[] winners = new int[2 * grown];
    Arrays.fill(times, Long.MAX_VALUE);
    Arrays.fill(events, Long.MAX_VALUE);
    for (int leaf = 0; leaf < grown; leaf++) {
      winners[grown + leaf] = leaf;
      if (leaf < leaves) {
        times[grown + leaf] = nodeTime[leaves + leaf];
        events[grown + leaf] = nodeEvent[leaves + leaf];
      }
    }
    leaves = grown;
    nodeTime = times;
    nodeEvent = events;
    nodeLeaf = winners;
    for (int leaf = 0; leaf < grown; leaf += 2) {
      later(leaf, times[grown + leaf], events[grown + leaf]);
    }
  }

  private void append(int lane, long time, long event) {
    long[] events = ring[lane];
    int count = ringSize[lane];
    if (2 * count == events.length) {
      events = growRing(lane);
    }
    int mask = events.length - 1;
    int head = ringHead[lane];
    int at = (head + 2 * count) & mask;
    int before = (at - 2) & mask;
    int ahead = count;
    // Times are pushed in order; among equal times the smaller event goes first.
    while (ahead > 0 && events[before] == time && events[before + 1] > event) {
      events[at] = events[before];
      events[at + 1] = events[before + 1];
      at = before;
      before = (at - 2) & mask;
      ahead--;
    }
    events[at] = time;
    events[at + 1] = event;
    ringSize[lane] = count + 1;
    if (ahead == 0) {
      earlier(lane + 1, time, event);
    }
  }

  private long[] growRing(int lane) {
    long[] old = ring[lane];
    long[] grown = new long[2 * old.length];
    int head = ringHead[lane];
    System.arraycopy(old, head, grown, 0, old.length - head);
    System.arraycopy(old, 0, grown, old.length - head, head);
    ring[lane] = grown;
    ringHead[lane] = 0;
    return grown;
  }

  // --- tournament ---

  // A leaf's head has become earlier: it climbs until it meets one that is earlier still.
  private void earlier(int leaf, long time, long event) {
    int node = leaves + leaf;
    nodeTime[node] = time;
    nodeEvent[node] = event;
    for (node >>= 1; node >= 1; node >>= 1) {
      long best = nodeTime[node];
      if (best < time || (best == time && nodeEvent[node] < event)) {
        return;
      }
      nodeTime[node] = time;
      nodeEvent[node] = event;
      nodeLeaf[node] = leaf;
    }
  }

  // A leaf's head has become later: the matches on its way to the root are played again.
  private void later(int leaf, long leafTime, long leafEvent) {
    long[] times = nodeTime;
    long[] events = nodeEvent;
    int node = leaves + leaf;
    long time = leafTime;
    long event = leafEvent;
    int best = leaf;
    times[node] = time;
    events[node] = event;
    while (node > 1) {
      int rival = node ^ 1;
      long rivalTime = times[rival];
      if (rivalTime < time || (rivalTime == time && events[rival] < event)) {
        time = rivalTime;
        event = events[rival];
        best = nodeLeaf[rival];
      }
      node >>= 1;
      times[node] = time;
      events[node] = event;
      nodeLeaf[node] = best;
    }
  }

  // --- wheel ---

  private void insert(long time, long event) {
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
      insertNear(time, event);
      return;
    }
    if (bucket - current < buckets) {
      toBucket((int) (bucket & (buckets - 1)), time, event);
    } else {
      toFar(time, event);
    }
    if (idle && bucket < nextBucket) {
      nextBucket = bucket;
      earlier(0, bucket << shift, -1);
    }
  }

  // Leaf 0 with no near events: the start of the next bucket, or nothing.
  private void showBound() {
    if (nextBucket == Long.MAX_VALUE) {
      later(0, Long.MAX_VALUE, Long.MAX_VALUE);
    } else {
      later(0, nextBucket << shift, -1);
    }
  }

  // Turns the lower bound at leaf 0 into an event, for as long as it leads.
  private void settle() {
    while (nodeLeaf[1] == 0 && nearHead == nearSize && nextBucket != Long.MAX_VALUE) {
      activate();
    }
  }

  private void insertNear(long time, long event) {
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
    if (low == nearHead) {
      earlier(0, time, event);
    }
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

  // Makes the next bucket that has events the near one; the near events are all gone.
  private void activate() {
    if (++activations >= TUNE_ACTIVATIONS) {
      tune();
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
    later(0, near[0], near[1]);
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
    for (int i = 0; i < count; i++) {
      int at = 2 * (int) (sorted[i] & indexMask);
      long time = pool[at];
      long event = pool[at + 1];
      int place = i;
      while (place > 0 && near[2 * place - 2] == time && near[2 * place - 1] > event) {
        near[2 * place] = near[2 * place - 2];
        near[2 * place + 1] = near[2 * place - 1];
        place--;
      }
      near[2 * place] = time;
      near[2 * place + 1] = event;
    }
    nearSize = count;
  }

  // Counts into about twice as many slots of time as there are keys, then mends what little is out of order. The
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
      while (at >= 0 && sorted[at] > key) {
        sorted[at + 1] = sorted[at];
        at--;
      }
      sorted[at + 1] = key;
    }
  }

  // Halves or doubles the buckets' width until they hold about the intended number of events, and their number until
  // the wheel spans about twice the pending events.
  private void tune() {
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
      rebuild(newShift, newBuckets);
    }
  }

  private void rebuild(int newShift, int newBuckets) {
    int pending = 2 * (wheelSize + farSize);
    if (moving.length < pending) {
      moving = new long[2 * pending];
    }
    long[] events = moving;
    int filled = 0;
    for (int index = 0; index < buckets; index++) {
      int count = bucketSize[index];
      int inChunk = ((count - 1) & (CHUNK_EVENTS - 1)) + 1;
      for (int chunk = bucketChunk[index]; chunk != NONE; chunk = chunkNext[chunk]) {
        System.arraycopy(pool, chunk * CHUNK_LONGS, events, filled, 2 * inChunk);
        filled += 2 * inChunk;
        inChunk = CHUNK_EVENTS;
      }
    }
    System.arraycopy(farEvents, 0, events, filled, 2 * farSize);
    filled += 2 * farSize;
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
