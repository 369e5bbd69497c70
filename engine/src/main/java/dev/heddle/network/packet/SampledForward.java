package dev.heddle.network.packet;

import dev.heddle.internal.collect.LongList;
import dev.heddle.network.SamplingError;
import dev.heddle.units.RandomStream;
import java.util.Arrays;

/**
 * Skipping of a steady state that does not recur: of long messages whose packets take drawn routes, or routes by the
 * load of links, so that the state is another at each instant while its rates stay. The payload that each message is
 * cut by is sampled over {@value #SAMPLES} equal parts of a message. As long messages of one network mostly differ by
 * chance, the rate of each is drawn to the mean of all by as much as the samples explain the differences [empirical
 * Bayes: Efron and Morris, JASA 70 (1975)]. Rates count as steady once the standard error of each is within the
 * tolerance, neither their sum nor the number of units in the network drifts, and a second set of samples agrees with
 * the first; until then samples become longer [batch means: Law, Simulation Modeling and Analysis, §9.5]. Then the
 * network moves on as it is, and each message by its rate and by a normal deviation like that of its samples, so that
 * messages end as far apart as they would.
 */
final class SampledForward {
  private static final int NONE = NetworkState.NONE;
  private static final int SAMPLES = 8;
  private static final int LEAST_UNITS_OF_A_SAMPLE = 32;
  /** A message must be as long as so many times all samples, or as much again would be run as is skipped. */
  private static final int LEAST_TIMES = 3;
  /** Messages that tell by their own differences how far apart they go, which is less where they catch up. */
  private static final int MANY = 8;
  /** Sets of samples that one set vouches for: rates of messages change in time, as routes follow loads. */
  private static final int MOST_PERIODS = 4;
  /** Share by which the units in the network may differ between both halves of the samples. */
  private static final double DRIFT = 0.1;

  private final Partition partition;
  private final Messages messages;
  private final double tolerance;
  private final RelativeState relative;
  private final int[] links;
  private final int[] devices;
  private final VirtualChannels channels;
  private final int[] injecting;
  private final RandomStream random;

  // The message by whose progress samples are taken: of those that are cut, the one with the fewest units left.
  private int anchor = NONE;
  private long anchorId;
  private long sampledLeft;
  private long sampleBytes;
  private long seekAt;

  private final LongList[] progress = new LongList[SAMPLES + 1];
  private final long[] times = new long[SAMPLES + 1];
  private final long[] live = new long[SAMPLES + 1];
  private int taken;
  private LongList cut = new LongList();
  private LongList cutNow = new LongList();
  private final LongList state = new LongList();
  private final LongList placed = new LongList();

  // Estimates of the samples: rates in bytes a picosecond, of all messages and of each, and the standard deviation of a
  // sample's from its message's; the mean of the samples before, or 0.
  private double mean;
  private double[] rates = {};
  private double walk;
  private double before;

  private long skippedPs;
  private double errorPs;

  SampledForward(Partition partition, NetworkPlan plan, NetworkState state, RunContext setup) {
    this.partition = partition;
    messages = partition.messages;
    tolerance = setup.sampling;
    relative = new RelativeState(partition, plan, state, setup);
    links = new int[plan.links];
    Arrays.setAll(links, link -> link);
    devices = new int[plan.devices];
    Arrays.setAll(devices, device -> device);
    channels = state.channels;
    injecting = new ActiveLinks(plan, setup.rankOf).injecting(links);
    random = RandomStream.of(setup.seed, "network", "sampling");
    Arrays.setAll(progress, i -> new LongList());
  }

  /** The part of a run up to a time that was skipped, and the standard error by that of the rates. */
  SamplingError error(long endPs) {
    return new SamplingError((double) skippedPs / Math.max(1, endPs), errorPs / Math.max(1, endPs));
  }

  /** An instant has ended, after which nothing but events is to be done before a time. */
  void look(long untilPs) {
    if (partition.aside != null) {
      return;
    }
    if (anchor != NONE && (messages.id(anchor) != anchorId || messages.remaining(anchor) == 0)) {
      leave();
    }
    if (anchor == NONE) {
      if (partition.events >= seekAt) {
        seek();
      }
    } else if (sampledLeft - messages.remaining(anchor) >= sampleBytes) {
      sample(untilPs);
    }
  }

  private void leave() {
    anchor = NONE;
    taken = 0;
    before = 0;
    seekAt = partition.events + injecting.length;
  }

  private void seek() {
    int found = messages.shortest(channels, injecting);
    leave();
    if (found != NONE && isLong(found, LEAST_UNITS_OF_A_SAMPLE * messages.unit(found))) {
      anchor = found;
      anchorId = messages.id(found);
      sampledLeft = messages.remaining(found);
      sampleBytes = LEAST_UNITS_OF_A_SAMPLE * messages.unit(found);
    }
  }

  private boolean isLong(int message, long bytesOfASample) {
    return messages.remaining(message) / SAMPLES / LEAST_TIMES >= bytesOfASample;
  }

  private void sample(long untilPs) {
    sampledLeft = messages.remaining(anchor);
    state.clear();
    cutNow.clear();
    for (int channel : injecting) {
      int head = channels.injectionHead(channel);
      cutNow.add(head == NONE ? NONE : messages.id(head));
    }
    if (!cutNow.holdsSame(cut)) {
      taken = 0;
      before = 0;
    }
    LongList before = cut;
    cut = cutNow;
    cutNow = before;
    progress[taken].clear();
    relative.describe(RelativeClock.ofSame(partition.queue.now()), links, devices, state, progress[taken]);
    times[taken] = partition.queue.now();
    live[taken] = partition.units.live();
    if (++taken > SAMPLES) {
      judge(untilPs);
    }
  }

  private void judge(long untilPs) {
    double error = error();
    if (error <= tolerance && Math.abs(mean / before - 1) <= tolerance) {
      before = mean;
      skip(untilPs, error);
      if (isLong(anchor, sampleBytes)) {
        taken = 0;
        sampledLeft = messages.remaining(anchor);
      } else {
        leave();
      }
    } else if (error <= tolerance && isLong(anchor, sampleBytes)) {
      before = mean;
      LongList last = progress[SAMPLES];
      progress[SAMPLES] = progress[0];
      progress[0] = last;
      times[0] = times[SAMPLES];
      live[0] = live[SAMPLES];
      taken = 1;
    } else if (isLong(anchor, 2 * sampleBytes)) {
      lengthen();
    } else {
      leave();
      seekAt = partition.events + (long) SAMPLES * SAMPLES * injecting.length;
    }
  }

  // Joins samples in pairs.
  private void lengthen() {
    for (int i = 1; i <= SAMPLES / 2; i++) {
      LongList freed = progress[i];
      progress[i] = progress[2 * i];
      progress[2 * i] = freed;
      times[i] = times[2 * i];
      live[i] = live[2 * i];
    }
    taken = SAMPLES / 2 + 1;
    sampleBytes *= 2;
  }

  // Estimates the rates of all messages; the standard error of the rate of one, infinite where something drifts.
  private double error() {
    placed.clear();
    relative.heads(links, placed);
    int count = placed.size() / 2;
    double[] own = new double[count];
    double span = span(0, SAMPLES);
    double within = 0;
    double early = 0;
    mean = 0;
    for (int i = 0; i < count; i++) {
      int place = (int) placed.get(2 * i + 1);
      own[i] = bytes(place, 0, SAMPLES) / span;
      mean += own[i] / count;
      early += bytes(place, 0, SAMPLES / 2) / span(0, SAMPLES / 2) / count;
      within += variance(place, own[i]) / count;
    }
    double between = 0;
    for (double rate : own) {
      between += (rate - mean) * (rate - mean) / Math.max(1, count - 1);
    }
    double share = between > 0 ? Math.max(0, 1 - within / SAMPLES / between) : 0;
    rates = own;
    for (int i = 0; i < count; i++) {
      rates[i] = mean + share * (own[i] - mean);
    }
    walk = Math.sqrt(count >= MANY ? Math.min(within, SAMPLES * between) : within);
    double units = (double) (live[SAMPLES] - live[SAMPLES / 2]) / Math.max(1, live[SAMPLES / 2]);
    boolean steady = Math.abs(early / mean - 1) <= tolerance && Math.abs(units) <= DRIFT;
    return steady ? Math.sqrt(within) / mean * Math.sqrt(Math.max(share, 1.0 / count) / SAMPLES)
        : Double.POSITIVE_INFINITY;
  }

  private double variance(int place, double rate) {
    double squares = 0;
    for (int i = 0; i < SAMPLES; i++) {
      double apart = bytes(place, i, i + 1) / span(i, i + 1) - rate;
      squares += apart * apart;
    }
    return squares / (SAMPLES - 1);
  }

  private double bytes(int place, int from, int to) {
    return progress[from].get(place) - progress[to].get(place);
  }

  private double span(int from, int to) {
    return times[to] - times[from];
  }

  private void skip(long untilPs, double error) {
    long now = partition.queue.now();
    long period = times[SAMPLES] - times[0];
    long end = Math.min(untilPs, relative.foreignPs());
    long periods = Math.min((end - 1 - now) / period, mostPeriods(period));
    if (periods <= 0) {
      return;
    }
    long[] change = new long[progress[0].size()];
    for (int i = 0; i < change.length; i++) {
      change[i] = Math.multiplyExact(progress[SAMPLES].get(i) - progress[0].get(i), periods);
    }
    long byPs = Math.multiplyExact(period, periods);
    double apart = walk * period / SAMPLES * Math.sqrt(periods * SAMPLES);
    for (int i = 0; i < rates.length; i++) {
      long most = messages.remaining((int) placed.get(2 * i)) - 1;
      double cutNow = rates[i] * byPs + apart * gaussian();
      change[(int) placed.get(2 * i + 1)] = -Math.max(0, Math.min(most, Math.round(cutNow)));
    }
    relative.deliverWhatIsCut(links, change);
    relative.delay(new RelativeClock.Jump(byPs, 0, 0), links, devices, change);
    skippedPs += byPs;
    errorPs += byPs * error;
  }

  // Normal deviation [Box and Muller 1958].
  private double gaussian() {
    return Math.sqrt(2 * random.nextExponential()) * StrictMath.cos(2 * Math.PI * random.nextDouble());
  }

  // One period less than the first message would be cut to its end in, and no more than the samples vouch for.
  private long mostPeriods(long period) {
    double most = Double.MAX_VALUE;
    for (int i = 0; i < rates.length; i++) {
      most = Math.min(most, messages.remaining((int) placed.get(2 * i)) / (rates[i] * period));
    }
    return Math.min((long) most - 1, MOST_PERIODS);
  }
}
