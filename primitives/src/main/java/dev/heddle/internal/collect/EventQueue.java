package dev.heddle.internal.collect;

import java.util.Arrays;

/**
 * Pending events in total order of (time, event), both {@code long}: of two events of one time the smaller goes first.
 *
 * <p>An event packs its priority, its target and its argument, highest bits first, so that the order of simultaneous
 * events follows from the model and not from the order of scheduling. Pushing and popping allocate nothing once the
 * arrays have grown to the run's needs.
 */
public final class EventQueue {
  // Two structures share the work, and the earlier of their heads is next.
  //
  // Lanes: most delays of a network are one of a few constants (a link's latency, the wire time of a full packet), and
  // events of one constant delay are pushed in order of time. Each delay that recurs gets a first-in-first-out ring,
  // and a small tournament tree knows the earliest head of all.
  //
  // Wheel: everything else.
  //
  // Events of one time are sorted only when it comes. Until then their leaf holds a lower bound: their time, or one
  // before, with an event of -1, so that no structure runs ahead of the others.

  private static final int MAX_LANES = 63;
  private static final int LANE_HITS = 24;
  private static final int DELAY_SLOTS = 512;
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;
  private static final int NONE = -1;
  private static final long BOUND = -1;
  // An event passes over as many of its time; where it would pass over more, they are sorted when their time comes.
  private static final int MOST_MOVED = 8;
  // Words of the events of a lane that are shown at once: so many misses of a cache overlap.
  private static final int SHOWN = 32;

  private long now;
  private long poppedEvent;
  private int size;

  // The wheel's head.
  private long wheelTime = Long.MAX_VALUE;
  private long wheelEvent = Long.MAX_VALUE;

  // The earlier of both heads, and whether it is the wheel's.
  private long headTime = Long.MAX_VALUE;
  private long headEvent = Long.MAX_VALUE;
  private boolean wheelLeads;

  // Tournament of the lanes: node 1 is the root, the lanes are the nodes from `leaves` on; every node holds the time,
  // event and lane of the earliest below it.
  private int leaves = 2;
  private long[] nodeTime = {Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE};
  private long[] nodeEvent = {Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE};
  private int[] nodeLeaf = {0, 0, 0, 1};

  // Lanes.
  private int lanes;
  private long[][] ring = new long[MAX_LANES][];
  private int[] ringHead = new int[MAX_LANES];
  private int[] ringSize = new int[MAX_LANES];
  // The latest time whose events may be out of order, and the time whose events have been sorted.
  private long[] unsorted = new long[MAX_LANES];
  private long[] sorted = new long[MAX_LANES];
  private long[] slotDelay = new long[DELAY_SLOTS];
  private int[] slotLane = new int[DELAY_SLOTS];
  private int[] slotHits = new int[DELAY_SLOTS];

  private final InstantSort sorter = new InstantSort();
  private EventWheel wheel = new EventWheel(sorter);
  private final EventPreview preview;

  /** An empty queue at time 0. */
  public EventQueue() {
    this(EventPreview.NONE);
  }

  /** An empty queue at time 0 that shows most events some time before they come. */
  public EventQueue(EventPreview preview) {
    this.preview = preview;
    Arrays.fill(slotLane, NONE);
    Arrays.fill(slotDelay, Long.MIN_VALUE);
    Arrays.fill(unsorted, NONE);
    Arrays.fill(sorted, NONE);
  }

  /** An empty queue at a time. */
  public EventQueue(long now) {
    this();
    this.now = now;
  }

  /** Exchanges time and events with another queue. */
  public void exchange(EventQueue other) {
    EventQueue held = new EventQueue(this);
    take(other);
    other.take(held);
  }

  private EventQueue(EventQueue other) {
    preview = other.preview;
    take(other);
  }

  private void take(EventQueue other) {
    now = other.now;
    poppedEvent = other.poppedEvent;
    size = other.size;
    wheelTime = other.wheelTime;
    wheelEvent = other.wheelEvent;
    headTime = other.headTime;
    headEvent = other.headEvent;
    wheelLeads = other.wheelLeads;
    leaves = other.leaves;
    nodeTime = other.nodeTime;
    nodeEvent = other.nodeEvent;
    nodeLeaf = other.nodeLeaf;
    lanes = other.lanes;
    ring = other.ring;
    ringHead = other.ringHead;
    ringSize = other.ringSize;
    unsorted = other.unsorted;
    sorted = other.sorted;
    slotDelay = other.slotDelay;
    slotLane = other.slotLane;
    slotHits = other.slotHits;
    wheel = other.wheel;
  }

  /** The time of the event popped last, in picoseconds. */
  public long now() {
    return now;
  }

  /** Sets the clock forward, to a time not after the next event. */
  public void advance(long time) {
    if (time < now || time > nextTime()) {
      throw new IllegalArgumentException("from " + now + " ps to " + time + " ps, past " + nextTime() + " ps");
    }
    now = time;
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
    settle();
    return headTime;
  }

  /** The next event; {@link Long#MAX_VALUE} when there is none. */
  public long nextEvent() {
    settle();
    return headEvent;
  }

  private void compareHeads() {
    long time = nodeTime[1];
    long event = nodeEvent[1];
    wheelLeads = wheelTime < time || wheelTime == time && wheelEvent < event;
    headTime = wheelLeads ? wheelTime : time;
    headEvent = wheelLeads ? wheelEvent : event;
  }

  /**
   * Adds an event.
   *
   * @param time not before {@link #now()}, below {@link Long#MAX_VALUE}
   * @param event at least 0
   */
  public void push(long time, long event) {
    requireOrder(time, event);
    long delay = time - now;
    int slot = (int) ((delay * GOLDEN) >>> 55);
    if (slotDelay[slot] == delay) {
      int lane = slotLane[slot];
      if (lane >= 0) {
        size++;
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
    toWheel(time, event);
  }

  /** Adds an event like {@link #push}, of a delay that does not recur: it was scheduled at another time than now. */
  public void pushLate(long time, long event) {
    requireOrder(time, event);
    toWheel(time, event);
  }

  private void requireOrder(long time, long event) {
    if (time < now || event < 0) {
      if (time < 0 && event >= 0) {
        throw new ArithmeticException("an event after " + now + " ps");
      }
      throw new IllegalArgumentException(
          "event " + event + " at " + time + " ps would be before now, " + now + " ps, or is negative");
    }
  }

  private void toWheel(long time, long event) {
    size++;
    if (wheel.insert(time, event, now)) {
      readWheel();
    }
  }

  private void readWheel() {
    wheelTime = wheel.headTime();
    wheelEvent = wheel.headEvent();
    compareHeads();
  }

  /**
   * Removes the next event; {@link #now()} and {@link #event()} then tell which.
   *
   * @return whether there was one
   */
  public boolean pop() {
    settle();
    if (headTime == Long.MAX_VALUE) {
      return false;
    }
    now = headTime;
    poppedEvent = headEvent;
    size--;
    if (wheelLeads) {
      wheel.remove();
      readWheel();
      return true;
    }
    int lane = nodeLeaf[1];
    int left = --ringSize[lane];
    if (left == 0) {
      ringHead[lane] = 0;
      later(lane, Long.MAX_VALUE, Long.MAX_VALUE);
    } else {
      long[] events = ring[lane];
      int mask = events.length - 1;
      int head = (ringHead[lane] + 2) & mask;
      ringHead[lane] = head;
      if ((head & SHOWN - 1) == 0) {
        preview.look(events, head, Math.min(SHOWN / 2, left));
      }
      long next = events[head];
      boolean isKnown = next > unsorted[lane] || next == sorted[lane] || left == 1 || next != events[(head + 2) & mask];
      later(lane, next, isKnown ? events[head + 1] : BOUND);
    }
    return true;
  }

  /** Copies time and event of all pending events, in no order; the array holds two words for each. */
  public void copyTo(long[] into) {
    int place = wheel.copyTo(into, 0);
    for (int lane = 0; lane < lanes; lane++) {
      int mask = ring[lane].length - 1;
      for (int i = 0; i < 2 * ringSize[lane]; i++) {
        into[place++] = ring[lane][(ringHead[lane] + i) & mask];
      }
    }
  }

  /** Sets the clock forward, to a time before or at those of new events that take the place of all pending ones. */
  public void jump(long time, long[] events, int count) {
    if (time < now) {
      throw new IllegalArgumentException("a jump from " + now + " ps back to " + time + " ps");
    }
    now = time;
    size = 0;
    wheel = new EventWheel(sorter);
    Arrays.fill(ringHead, 0);
    Arrays.fill(ringSize, 0);
    Arrays.fill(unsorted, NONE);
    Arrays.fill(sorted, NONE);
    Arrays.fill(nodeTime, Long.MAX_VALUE);
    Arrays.fill(nodeEvent, Long.MAX_VALUE);
    readWheel();
    for (int i = 0; i < 2 * count; i += 2) {
      push(events[i], events[i + 1]);
    }
  }

  // Turns lower bounds into events, for as long as one leads.
  private void settle() {
    while (headEvent == BOUND) {
      if (wheelLeads) {
        wheel.activate(now);
        wheel.show(preview);
        readWheel();
      } else {
        sort(nodeLeaf[1]);
      }
    }
  }

  private void sort(int lane) {
    long[] events = ring[lane];
    int mask = events.length - 1;
    int head = ringHead[lane];
    long time = events[head];
    int count = 1;
    while (count < ringSize[lane] && events[(head + 2 * count) & mask] == time) {
      count++;
    }
    sorter.sort(events, head, count, mask);
    sorted[lane] = time;
    later(lane, time, events[head + 1]);
  }

  // --- lanes ---

  private int addLane() {
    int lane = lanes++;
    ring[lane] = new long[128];
    if (lane + 1 > leaves) {
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
    if (unsorted[lane] == time && sorted[lane] != time) {
      put(lane, at, time, event);
      if (events[head] == time) {
        earlier(lane, time, BOUND);
      }
      return;
    }
    // Times are pushed in order; among equal times the smaller event goes first.
    while (ahead > 0 && events[before] == time && events[before + 1] > event) {
      if (count - ahead == MOST_MOVED) {
        unsorted[lane] = time;
        sorted[lane] = sorted[lane] == time ? NONE : sorted[lane];
        if (events[head] == time) {
          earlier(lane, time, BOUND);
        }
        break;
      }
      events[at] = events[before];
      events[at + 1] = events[before + 1];
      at = before;
      before = (at - 2) & mask;
      ahead--;
    }
    put(lane, at, time, event);
    if (ahead == 0) {
      earlier(lane, time, event);
    }
  }

  private void put(int lane, int at, long time, long event) {
    ring[lane][at] = time;
    ring[lane][at + 1] = event;
    ringSize[lane]++;
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
    compareHeads();
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
    compareHeads();
  }
}
