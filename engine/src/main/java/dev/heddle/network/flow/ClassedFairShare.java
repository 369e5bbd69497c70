package dev.heddle.network.flow;

import dev.heddle.internal.collect.FairShare;
import dev.heddle.network.NetworkException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Fair rates of flows over links that divide their rate among traffic classes: first those of strict priority, the
 * highest before the others, then the rest by weights, of which a class that needs less leaves more to the others, as
 * fair queueing does packet by packet [Parekh and Gallager 1993]. Within a class rates are max-min fair. What
 * acknowledgements take of a link goes before all classes.
 *
 * <p>Each link states the most that a flow of each class may take there, if it takes elsewhere what other links let it;
 * links are visited in turn until that no longer changes [Charny, Clark and Jain 1995]. A change solves all flows anew,
 * so that the cost grows with their number, unlike that of {@link FairShare}.
 */
final class ClassedFairShare extends FairShare {
  private static final double UNLIMITED = Double.POSITIVE_INFINITY;

  /** The relative change of a rate that counts as none, and the most visits of all links. */
  private static final double SETTLED = 1e-9;
  private static final int MOST_ROUNDS = 200;

  private static final double FULL = 1 - 1e-6;

  private final LinkClasses classes;
  private final int stride;

  // Per flow.
  private byte[] ofClass = new byte[0];
  private int[] payloadLinks = new int[0];
  private int[] place = new int[0];
  private double[] rate = new double[0];
  private double[] wanted = new double[0];
  private int[] limiting = new int[0];

  private int[] active = new int[64];
  private int count;

  // Links that flows cross, by their places in a solution, with their entries: flow and number of its link.
  private int[] placeOfLink = new int[64];
  private int[] crossed = new int[64];
  private int crossedCount;
  private int[] firstEntry = new int[65];
  private int[] entryFlow = new int[256];
  private int[] entryNumber = new int[256];
  // By place of a link and class, the most that a flow may take there.
  private double[] level = new double[64];
  private double[] usage = new double[64];

  // Of the link that is visited, by class.
  private final double[] needed;
  private final double[] given;

  /** No flows over a number of links. */
  ClassedFairShare(int links, LinkClasses classes) {
    super(links);
    this.classes = classes;
    stride = classes.most();
    needed = new double[stride];
    given = new double[stride];
  }

  @Override
  public void reserve(int flows) {
    super.reserve(flows);
    if (flows > rate.length) {
      int grown = Math.max(flows, Math.max(64, 2 * rate.length));
      ofClass = Arrays.copyOf(ofClass, grown);
      payloadLinks = Arrays.copyOf(payloadLinks, grown);
      place = Arrays.copyOf(place, grown);
      rate = Arrays.copyOf(rate, grown);
      wanted = Arrays.copyOf(wanted, grown);
      limiting = Arrays.copyOf(limiting, grown);
    }
  }

  @Override
  public void treat(int flow, int trafficClass, int hops) {
    if (trafficClass >= stride) {
      throw new NetworkException(
          "a message of traffic class " + trafficClass + " is sent, but switches have classes 0 to "
              + (stride - 1) + "; add it to the 'classes' of their forwarding, or choose one of them");
    }
    ofClass[flow] = (byte) trafficClass;
    payloadLinks[flow] = hops;
  }

  @Override
  public void begin(int flow, int[] links, double[] share, double @Nullable [] copies, int length) {
    super.begin(flow, links, share, copies, length);
    if (count == active.length) {
      active = Arrays.copyOf(active, 2 * count);
    }
    place[flow] = count;
    active[count++] = flow;
    rate[flow] = 0;
    limiting[flow] = NONE;
  }

  @Override
  public void end(int flow) {
    super.end(flow);
    int last = active[--count];
    active[place[flow]] = last;
    place[last] = place[flow];
    rate[flow] = 0;
  }

  @Override
  public int solve() {
    collect();
    Arrays.fill(level, 0, crossedCount * stride, UNLIMITED);
    boolean changed = true;
    for (int round = 0; changed && round < MOST_ROUNDS; round++) {
      changed = false;
      for (int at = 0; at < crossedCount; at++) {
        changed |= visit(at);
      }
    }
    takeLevels();
    keepWithinLinks();
    return count;
  }

  @Override
  public void settle() {
    super.settle();
    for (int i = 0; i < count; i++) {
      rate[active[i]] = wanted[active[i]];
    }
  }

  @Override
  public int affected(int number) {
    return active[number];
  }

  @Override
  public double rate(int flow) {
    return rate[flow];
  }

  @Override
  public double wanted(int flow) {
    return wanted[flow];
  }

  @Override
  public int bottleneck(int flow) {
    return limiting[flow];
  }

  @Override
  public boolean isFull(int link) {
    int at = link < placeOfLink.length ? placeOfLink[link] : 0;
    return at > 0 && at <= crossedCount && crossed[at - 1] == link && usage[at - 1] >= FULL;
  }

  @Override
  public double usage(int link) {
    double sum = 0;
    for (int i = 0; i < count; i++) {
      for (int n = 0; n < links(active[i]); n++) {
        sum += link(active[i], n) == link ? rate[active[i]] * weight(active[i], n) : 0;
      }
    }
    return sum;
  }

  // --- links and their entries ---

  private void collect() {
    crossedCount = 0;
    int entries = 0;
    for (int i = 0; i < count; i++) {
      for (int n = 0; n < links(active[i]); n++) {
        note(link(active[i], n));
        entries++;
      }
    }
    if (entries > entryFlow.length) {
      entryFlow = new int[2 * entries];
      entryNumber = new int[2 * entries];
    }
    int total = 0;
    for (int at = 0; at <= crossedCount; at++) {
      int own = firstEntry[at];
      firstEntry[at] = total;
      total += own;
    }
    for (int i = 0; i < count; i++) {
      for (int n = 0; n < links(active[i]); n++) {
        int entry = firstEntry[at(active[i], n)]++;
        entryFlow[entry] = active[i];
        entryNumber[entry] = n;
      }
    }
    for (int at = crossedCount; at > 0; at--) {
      firstEntry[at] = firstEntry[at - 1];
    }
    firstEntry[0] = 0;
  }

  // Gives a link a place, or counts one more entry of it.
  private void note(int link) {
    if (link >= placeOfLink.length) {
      placeOfLink = Arrays.copyOf(placeOfLink, 2 * link);
    }
    int known = placeOfLink[link];
    if (known > 0 && known <= crossedCount && crossed[known - 1] == link) {
      firstEntry[known - 1]++;
      return;
    }
    if (crossedCount == crossed.length) {
      crossed = Arrays.copyOf(crossed, 2 * crossedCount);
      firstEntry = Arrays.copyOf(firstEntry, 2 * crossedCount + 1);
      usage = Arrays.copyOf(usage, 2 * crossedCount);
    }
    if ((crossedCount + 1) * stride > level.length) {
      level = Arrays.copyOf(level, 2 * level.length + stride);
    }
    crossed[crossedCount] = link;
    firstEntry[crossedCount] = 1;
    firstEntry[crossedCount + 1] = 0;
    placeOfLink[link] = ++crossedCount;
  }

  private int at(int flow, int number) {
    return placeOfLink[link(flow, number)] - 1;
  }

  private boolean carriesPayload(int flow, int number) {
    return number < payloadLinks[flow] || !classes.isOfFabric(link(flow, number));
  }

  private int classAt(int at, int flow) {
    int[] weights = classes.ofLink(crossed[at]);
    return weights == null ? 0 : Math.min(ofClass[flow], weights.length - 1);
  }

  // The rate that all links but one let a flow have.
  private double elsewhere(int flow, int except) {
    double least = UNLIMITED;
    for (int n = 0; n < links(flow); n++) {
      int at = at(flow, n);
      if (at != except && carriesPayload(flow, n)) {
        least = Math.min(least, level[at * stride + classAt(at, flow)]);
      }
    }
    return least;
  }

  // --- one link ---

  // States what each class may take of a link; whether that has changed.
  private boolean visit(int at) {
    int[] weights = classes.ofLink(crossed[at]);
    double free = 1;
    Arrays.fill(needed, 0);
    for (int entry = firstEntry[at]; entry < firstEntry[at + 1]; entry++) {
      int flow = entryFlow[entry];
      double weight = weight(flow, entryNumber[entry]);
      double rates = elsewhere(flow, carriesPayload(flow, entryNumber[entry]) ? at : NONE);
      if (carriesPayload(flow, entryNumber[entry])) {
        needed[classAt(at, flow)] += weight * rates;
      } else if (rates < UNLIMITED) {
        free -= weight * rates;
      }
    }
    divide(weights, Math.max(0, free));
    boolean changed = false;
    for (int each = 0; each < (weights == null ? 1 : weights.length); each++) {
      double before = level[at * stride + each];
      double now = needed[each] <= given[each] ? UNLIMITED : fill(at, each, given[each]);
      changed |= before != now && !(Math.abs(now - before) <= SETTLED * now);
      level[at * stride + each] = now;
    }
    return changed;
  }

  // Divides a link among classes: the need of those that go first, then the rest by weights.
  private void divide(int @Nullable [] weights, double free) {
    if (weights == null) {
      given[0] = free;
      return;
    }
    double left = free;
    for (int each = weights.length - 1; each >= 0; each--) {
      if (weights[each] == LinkClasses.STRICT) {
        given[each] = left;
        left -= Math.min(left, needed[each]);
      }
    }
    double share;
    double next = 0;
    do {
      share = next;
      double rest = left;
      double sum = 0;
      for (int each = 0; each < weights.length; each++) {
        if (weights[each] != LinkClasses.STRICT && needed[each] > 0) {
          boolean served = needed[each] <= share * weights[each];
          rest -= served ? needed[each] : 0;
          sum += served ? 0 : weights[each];
        }
      }
      next = sum == 0 ? share : rest / sum;
    } while (next > share);
    for (int each = 0; each < weights.length; each++) {
      if (weights[each] != LinkClasses.STRICT) {
        given[each] = share * weights[each];
      }
    }
  }

  // The rate of the flows of a class that take all that it is given, less what flows that others limit take of it.
  private double fill(int at, int each, double room) {
    double now;
    double next = 0;
    do {
      now = next;
      double left = room;
      double open = 0;
      for (int entry = firstEntry[at]; entry < firstEntry[at + 1]; entry++) {
        int flow = entryFlow[entry];
        if (carriesPayload(flow, entryNumber[entry]) && classAt(at, flow) == each) {
          double rates = elsewhere(flow, at);
          double weight = weight(flow, entryNumber[entry]);
          left -= rates <= now ? weight * rates : 0;
          open += rates <= now ? 0 : weight;
        }
      }
      next = open == 0 ? now : Math.max(0, left) / open;
    } while (next > now * (1 + SETTLED / 8));
    return next;
  }

  // --- rates ---

  // Lets each flow have the least that its links let it.
  private void takeLevels() {
    for (int i = 0; i < count; i++) {
      int flow = active[i];
      double least = UNLIMITED;
      int by = NONE;
      for (int n = 0; n < links(flow); n++) {
        int at = at(flow, n);
        double most = carriesPayload(flow, n) ? level[at * stride + classAt(at, flow)] : UNLIMITED;
        if (most < least) {
          least = most;
          by = crossed[at];
        }
      }
      wanted[flow] = least;
      limiting[flow] = by;
    }
  }

  // Slows flows of links that are beyond their rate, as they are where the last visit has not settled; and keeps rates
  // that have not changed to the last bit.
  private void keepWithinLinks() {
    load();
    for (int i = 0; i < count; i++) {
      int flow = active[i];
      double most = 1;
      for (int n = 0; n < links(flow); n++) {
        most = Math.max(most, usage[at(flow, n)]);
      }
      wanted[flow] /= most;
      if (Math.abs(wanted[flow] - rate[flow]) <= 2 * SETTLED * rate[flow]) {
        wanted[flow] = rate[flow];
      }
    }
    load();
  }

  private void load() {
    Arrays.fill(usage, 0, crossedCount, 0);
    for (int i = 0; i < count; i++) {
      for (int n = 0; n < links(active[i]); n++) {
        usage[at(active[i], n)] += wanted[active[i]] * weight(active[i], n);
      }
    }
  }
}
