package dev.heddle.internal.collect;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Max-min fair rates of flows over links, kept up to date as flows come and go.
 *
 * <p>A flow needs, of each link that it crosses, a share of {@code rate * weight}; the shares of a link sum up to at
 * most 1. A rate is max-min fair when the flow has a <em>bottleneck</em>: a link that is full and on which no flow is
 * faster. If every flow has one, the rates are the only max-min fair ones.
 *
 * <p>So a change needs no look at the whole network. {@link #solve} takes the flows whose bottleneck a change may have
 * moved, fills what the others leave, and tests whether all others still have their bottlenecks; those that have lost
 * it join, until none does. The result is exact up to rounding and costs as much as the change reaches.
 */
public class FairShare {
  /** No link. */
  public static final int NONE = -1;

  /** The part of a link, or of a rate, that counts as nothing. */
  public static final double EPSILON = 1e-9;

  /** The part of a full link that may be free. */
  private static final double FULL_TOLERANCE = 1e-6;

  private static final int LEAST_BLOCK = 3;
  private static final int BLOCK_SIZES = 31;

  // Entries: one per flow and link that it crosses; a flow's lie together in a block of 2^k, each link chains its own.
  private int entryEnd;
  private int[] entryFlow = new int[64];
  private int[] entryLink = new int[64];
  private double[] entryWeight = new double[64];
  private int[] entryNext = new int[64];
  private int[] entryPrevious = new int[64];
  // Crossings for which entries stand; null where each stands for itself.
  private @Nullable Crossings crossings;

  // Per k: the first free block of 2^k entries; each names the next in its first entry.
  private final int[] freeBlock = new int[BLOCK_SIZES];

  // Per flow.
  private int[] base = new int[0];
  private byte[] blockSize = new byte[0];
  private int[] entries = new int[0];
  private double[] rate = new double[0];
  private int[] bottleneck = new int[0];
  private int[] affectedAt = new int[0];
  private double[] wanted = new double[0];

  // Per link; after the fabric's links come those that stand for the limit of a flow.
  private int linkCount;
  private int[] first;
  private int[] flows;
  private int[] dirtyAt;
  private int[] touchedAt;
  private double[] residual;
  private double[] weights;
  private int[] open;
  private double[] level;

  private int[] dirty = new int[64];
  private int dirtyCount;
  private int[] begun = new int[64];
  private int begunCount;
  private int[] affected = new int[64];
  private int affectedCount;
  private int[] touched = new int[64];
  private int touchedCount;
  private final IntHeap heap = new IntHeap();
  private int round = 1;
  private int solution = 1;

  /** No flows over a number of links. */
  public FairShare(int links) {
    linkCount = links;
    first = new int[links];
    Arrays.fill(first, NONE);
    flows = new int[links];
    dirtyAt = new int[links];
    touchedAt = new int[links];
    residual = new double[links];
    weights = new double[links];
    open = new int[links];
    level = new double[links];
    Arrays.fill(freeBlock, NONE);
  }

  /** Lets flows stand for several that are equal, from before the first one on. */
  public void fold() {
    crossings = new Crossings();
  }

  /** Adds a link that no device has, and returns its number: a flow that alone crosses it has a limit of its own. */
  public int addLink() {
    int link = linkCount++;
    if (link == first.length) {
      int grown = Math.max(64, 2 * link);
      first = Arrays.copyOf(first, grown);
      flows = Arrays.copyOf(flows, grown);
      dirtyAt = Arrays.copyOf(dirtyAt, grown);
      touchedAt = Arrays.copyOf(touchedAt, grown);
      residual = Arrays.copyOf(residual, grown);
      weights = Arrays.copyOf(weights, grown);
      open = Arrays.copyOf(open, grown);
      level = Arrays.copyOf(level, grown);
    }
    first[link] = NONE;
    return link;
  }

  /** Makes room for flows 0 to {@code count} - 1. */
  public void reserve(int count) {
    int old = entries.length;
    if (count <= old) {
      return;
    }
    int grown = Math.max(count, Math.max(64, 2 * old));
    entries = Arrays.copyOf(entries, grown);
    rate = Arrays.copyOf(rate, grown);
    bottleneck = Arrays.copyOf(bottleneck, grown);
    affectedAt = Arrays.copyOf(affectedAt, grown);
    wanted = Arrays.copyOf(wanted, grown);
    base = Arrays.copyOf(base, grown);
    blockSize = Arrays.copyOf(blockSize, grown);
  }

  /** Notes the traffic class of a flow that is about to begin, and how many of its links carry payload, the first. */
  public void treat(int flow, int trafficClass, int hops) {}

  /**
   * Lets a flow begin; its rate is known after {@link #solve}.
   *
   * @param flow that crosses nothing now
   * @param links that it crosses
   * @param share of each link for a rate of 1; positive
   * @param copies by link, the crossings of all flows for which it stands; null where it stands for itself
   * @param count of links, at least 1
   */
  public void begin(int flow, int[] links, double[] share, double @Nullable [] copies, int count) {
    if (blockSize[flow] == 0 || count > 1 << blockSize[flow]) {
      allocate(flow, count);
    }
    for (int i = 0; i < count; i++) {
      int link = links[i];
      int entry = base[flow] + i;
      entryLink[entry] = link;
      entryWeight[entry] = share[i];
      entryPrevious[entry] = NONE;
      entryNext[entry] = first[link];
      if (first[link] != NONE) {
        entryPrevious[first[link]] = entry;
      }
      first[link] = entry;
      flows[link]++;
      if (crossings != null) {
        crossings.add(entry, link, copies == null ? 1 : copies[i]);
      }
      markDirty(link);
    }
    entries[flow] = count;
    rate[flow] = 0;
    bottleneck[flow] = NONE;
    begun = withRoom(begun, begunCount);
    begun[begunCount++] = flow;
  }

  /** Lets a flow end. */
  public void end(int flow) {
    for (int entry = base[flow]; entry < base[flow] + entries[flow]; entry++) {
      int link = entryLink[entry];
      int next = entryNext[entry];
      int previous = entryPrevious[entry];
      if (previous == NONE) {
        first[link] = next;
      } else {
        entryNext[previous] = next;
      }
      if (next != NONE) {
        entryPrevious[next] = previous;
      }
      flows[link]--;
      if (crossings != null) {
        crossings.remove(entry, link);
      }
      markDirty(link);
    }
    entries[flow] = 0;
    rate[flow] = 0;
  }

  /** Whether rates may have changed since {@link #settle}. */
  public boolean isDirty() {
    return dirtyCount > 0;
  }

  /**
   * Works out the rates after all that has begun and ended. {@link #affected} then lists the flows whose rates may have
   * changed: {@link #wanted} is the new one, {@link #rate} still the old one, until {@link #settle}.
   *
   * @return how many flows are affected
   */
  public int solve() {
    solution++;
    affectedCount = 0;
    for (int i = 0; i < begunCount; i++) {
      if (entries[begun[i]] > 0) {
        affect(begun[i]);
      }
    }
    for (int i = 0; i < dirtyCount; i++) {
      for (int entry = first[dirty[i]]; entry != NONE; entry = entryNext[entry]) {
        int flow = entryFlow[entry];
        if (bottleneck[flow] == dirty[i]) {
          affect(flow);
        }
      }
    }
    int before;
    do {
      before = affectedCount;
      fill();
      for (int i = 0; i < touchedCount; i++) {
        affectDisplaced(touched[i]);
      }
    } while (affectedCount > before);
    return affectedCount;
  }

  /** Makes the wanted rates the actual ones. */
  public void settle() {
    for (int i = 0; i < affectedCount; i++) {
      rate[affected[i]] = wanted[affected[i]];
    }
    affectedCount = 0;
    begunCount = 0;
    for (int i = 0; i < dirtyCount; i++) {
      dirtyAt[dirty[i]] = 0;
    }
    dirtyCount = 0;
  }

  /** One of the flows of the last solution. */
  public int affected(int number) {
    return affected[number];
  }

  /** The rate of a flow. */
  public double rate(int flow) {
    return rate[flow];
  }

  /** The rate that the last solution gives to an affected flow. */
  public double wanted(int flow) {
    return wanted[flow];
  }

  /** The link that limits a flow by the last solution; none before the first. */
  public int bottleneck(int flow) {
    return bottleneck[flow];
  }

  /** Whether a link is full by the last solution. */
  public boolean isFull(int link) {
    return residual[link] <= FULL_TOLERANCE;
  }

  /** The number of links that a flow crosses; 0 before it begins and after it has ended. */
  public int links(int flow) {
    return entries[flow];
  }

  /** A link that a flow crosses. */
  public int link(int flow, int number) {
    return entryLink[base[flow] + number];
  }

  /** The share of that link that a rate of 1 takes. */
  public double weight(int flow, int number) {
    return entryWeight[base[flow] + number];
  }

  /** The number of flows that cross a link. */
  public int flows(int link) {
    return flows[link];
  }

  /** The crossings of a link by flows, all of those counted for which a flow stands. */
  public double crossings(int link) {
    return crossings == null ? flows[link] : crossings.ofLink(link);
  }

  /** The crossings for which one of a flow's own stands. */
  public double crossings(int flow, int number) {
    return crossings == null ? 1 : crossings.ofEntry(base[flow] + number);
  }

  /** The share of a link that is taken, by the actual rates. */
  public double usage(int link) {
    double usage = 0;
    for (int entry = first[link]; entry != NONE; entry = entryNext[entry]) {
      usage += rate[entryFlow[entry]] * entryWeight[entry];
    }
    return usage;
  }

  private static int[] withRoom(int[] array, int count) {
    return count < array.length ? array : Arrays.copyOf(array, 2 * count);
  }

  private void markDirty(int link) {
    if (dirtyAt[link] == 0) {
      dirtyAt[link] = 1;
      dirty = withRoom(dirty, dirtyCount);
      dirty[dirtyCount++] = link;
    }
  }

  private void affect(int flow) {
    if (affectedAt[flow] == solution) {
      return;
    }
    affectedAt[flow] = solution;
    affected = withRoom(affected, affectedCount);
    affected[affectedCount++] = flow;
  }

  // Progressive filling: raises the rates of all affected flows together; a link that becomes full holds its flows. It
  // ends with the last flow, as links that are left hold none.
  private void fill() {
    touch();
    heap.clear();
    for (int i = 0; i < touchedCount; i++) {
      if (open[touched[i]] > 1) {
        heap.append(touched[i], levelOf(touched[i]));
      }
    }
    for (int i = 0; i < affectedCount; i++) {
      appendLowest(affected[i]);
    }
    heap.order();
    int rising = affectedCount;
    while (rising > 0) {
      int link = heap.first();
      double key = heap.key();
      double now = open[link] > 0 ? levelOf(link) : NONE;
      if (now > key * (1 + EPSILON / 8)) {
        heap.raise(now);
      } else {
        heap.remove();
        rising -= open[link] > 0 ? hold(link, key) : 0;
      }
    }
  }

  // Adds the link that becomes full first of those that a flow shares with no other rising flow.
  private void appendLowest(int flow) {
    int lowest = NONE;
    double least = 0;
    for (int entry = base[flow]; entry < base[flow] + entries[flow]; entry++) {
      int link = entryLink[entry];
      if (open[link] == 1) {
        double full = levelOf(link);
        if (lowest == NONE || full < least || full == least && link < lowest) {
          lowest = link;
          least = full;
        }
      }
    }
    if (lowest != NONE) {
      heap.append(lowest, least);
    }
  }

  // Sums up, for every link that an affected flow crosses, what the others leave.
  private void touch() {
    round++;
    touchedCount = 0;
    for (int i = 0; i < affectedCount; i++) {
      int flow = affected[i];
      wanted[flow] = NONE;
      for (int entry = base[flow]; entry < base[flow] + entries[flow]; entry++) {
        int link = entryLink[entry];
        if (touchedAt[link] != round) {
          touch(link);
        }
        weights[link] += entryWeight[entry];
        open[link]++;
      }
    }
  }

  private void touch(int link) {
    touchedAt[link] = round;
    touched = withRoom(touched, touchedCount);
    touched[touchedCount++] = link;
    double left = 1;
    for (int entry = first[link]; entry != NONE; entry = entryNext[entry]) {
      int flow = entryFlow[entry];
      if (affectedAt[flow] != solution) {
        left -= rate[flow] * entryWeight[entry];
      }
    }
    residual[link] = left;
    weights[link] = 0;
    open[link] = 0;
    level[link] = NONE;
  }

  private double levelOf(int link) {
    return Math.max(0, residual[link]) / weights[link];
  }

  // Holds the rising flows of a link, and returns their number.
  private int hold(int link, double share) {
    level[link] = share;
    int held = 0;
    for (int entry = first[link]; entry != NONE; entry = entryNext[entry]) {
      int flow = entryFlow[entry];
      if (affectedAt[flow] == solution && wanted[flow] < 0) {
        held++;
        wanted[flow] = share;
        bottleneck[flow] = link;
        for (int other = base[flow]; other < base[flow] + entries[flow]; other++) {
          int crossed = entryLink[other];
          residual[crossed] -= share * entryWeight[other];
          weights[crossed] -= entryWeight[other];
          open[crossed]--;
        }
      }
    }
    return held;
  }

  // Affects the other flows of a link that have lost their bottleneck here, or that must give way to those held here.
  private void affectDisplaced(int link) {
    double usage = 0;
    double fastest = 0;
    boolean alone = true;
    for (int entry = first[link]; entry != NONE; entry = entryNext[entry]) {
      int flow = entryFlow[entry];
      double speed = affectedAt[flow] == solution && wanted[flow] >= 0 ? wanted[flow] : rate[flow];
      usage += speed * entryWeight[entry];
      fastest = Math.max(fastest, speed);
      alone &= affectedAt[flow] == solution;
    }
    if (alone) {
      return;
    }
    boolean full = usage >= 1 - EPSILON;
    for (int entry = first[link]; entry != NONE; entry = entryNext[entry]) {
      int flow = entryFlow[entry];
      if (affectedAt[flow] != solution) {
        boolean lost = bottleneck[flow] == link && (!full || rate[flow] < fastest * (1 - EPSILON));
        boolean inTheWay = level[link] >= 0 && rate[flow] > level[link] * (1 + EPSILON);
        if (lost || inTheWay) {
          affect(flow);
        }
      }
    }
  }

  private void allocate(int flow, int count) {
    release(flow);
    int size = Math.max(LEAST_BLOCK, 32 - Integer.numberOfLeadingZeros(count - 1));
    int block = freeBlock[size];
    if (block != NONE) {
      freeBlock[size] = entryNext[block];
    } else {
      block = entryEnd;
      entryEnd = Math.addExact(entryEnd, 1 << size);
      growEntries();
    }
    Arrays.fill(entryFlow, block, block + (1 << size), flow);
    base[flow] = block;
    blockSize[flow] = (byte) size;
  }

  private void growEntries() {
    if (entryEnd > entryFlow.length) {
      int grown = Math.max(entryEnd, (int) Math.min(Integer.MAX_VALUE - 8, 2L * entryFlow.length));
      entryFlow = Arrays.copyOf(entryFlow, grown);
      entryLink = Arrays.copyOf(entryLink, grown);
      entryWeight = Arrays.copyOf(entryWeight, grown);
      entryNext = Arrays.copyOf(entryNext, grown);
      entryPrevious = Arrays.copyOf(entryPrevious, grown);
    }
  }

  /** Gives back the room of a flow that crosses nothing now. */
  public void release(int flow) {
    if (blockSize[flow] > 0) {
      entryNext[base[flow]] = freeBlock[blockSize[flow]];
      freeBlock[blockSize[flow]] = base[flow];
      blockSize[flow] = 0;
    }
  }
}
