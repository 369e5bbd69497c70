package dev.heddle.network.packet;

import dev.heddle.internal.collect.LongList;
import java.util.Arrays;

/**
 * The state of the links of a collective call's footprint while no message of anybody is on them: the times until which
 * transmitters and inputs are busy, credits and acknowledgements on their way back, and whose turn it is.
 */
final class FootprintState {
  /** The time since which a link has been kept that is not. */
  static final long FREE = -1;
  private static final long UNCHANGED = Long.MIN_VALUE;
  private static final int WORDS_OF_LINK = 3;
  // Without those of credits; the last one is 1 + their number.
  private static final int WORDS_OF_CHANNEL = 4;
  private static final int WORDS_OF_CREDIT = 3;

  final int[] links;
  final int[] channels;
  // Per channel the place of its link.
  private final int[] linkAt;
  // Per channel the requesters of its device that belong to the footprint, ascending.
  private final int[][] requesters;
  private final Links linkState;
  private final VirtualChannels channelState;
  private final Requests requests;
  private final CreditLedger ledger;
  private final ReverseTraffic returns;

  /**
   * The state of a call's links at its end, as changes since its begin. Times count from its begin.
   *
   * @param freeAt per link the time until which the transmitter is busy
   * @param debt per link acknowledgements that wait, and the time at which they were counted
   * @param turn per link the virtual channel, and the direction, that went last
   * @param counters per link time busy, time stalled, payload, units, most bytes that waited
   * @param inputFreeAt per channel the time until which the input is busy
   * @param granted per channel the place of the requester that was granted last
   * @param injectedLast per channel whether the injection went last
   * @param returning per channel credits on their way back: time, bytes, headers
   */
  record Outcome(
      long[] freeAt, long[] debt, int[] turn, long[] counters, long[] inputFreeAt, int[] granted,
      boolean[] injectedLast, long[][] returning) {}

  /** A copy of the state. */
  record Saved(long[] links, long[] channels, long[][] returning) {}

  FootprintState(
      int[] links, int[] channels, int[] linkAt, int[][] requesters, Partition partition, NetworkState state) {
    this.links = links;
    this.channels = channels;
    this.linkAt = linkAt;
    this.requesters = requesters;
    linkState = state.links;
    channelState = state.channels;
    requests = state.requests;
    ledger = partition.ledger;
    returns = partition.returns;
  }

  /** Whether nothing waits for any of the links. */
  boolean isIdle() {
    for (int link : links) {
      if (requests.asked(link) != 0 || linkState.isMarked(link) || linkState.queuedBytes(link) != 0
          || linkState.stalledSince(link) != NetworkState.NONE) {
        return false;
      }
    }
    for (int channel : channels) {
      if (channelState.injectionHead(channel) != NetworkState.NONE
          || channelState.injectionUnit(channel) != NetworkState.NONE || channelState.isFillMarked(channel)) {
        return false;
      }
    }
    return true;
  }

  /** Times since which links are kept, all free. */
  long[] allFree() {
    long[] since = new long[links.length];
    Arrays.fill(since, FREE);
    return since;
  }

  /**
   * Brings the state of free links into a form that depends on nothing before now, without any effect.
   *
   * @param since per link the time since which it is kept, {@link #FREE} or, from then on, now
   */
  void normalize(long now, long[] since) {
    for (int i = 0; i < channels.length; i++) {
      if (since[linkAt[i]] == FREE) {
        ledger.covers(channels[i], 0, 0, now);
        channelState.exposeScheduled(channels[i], false);
      }
    }
    for (int i = 0; i < links.length; i++) {
      if (since[i] == FREE) {
        linkState.addAckDebt(links[i], returns.pendingAckPs(links[i], now), now);
        linkState.creditWakeAt(links[i], Long.MAX_VALUE);
        linkState.freeScheduled(links[i], false);
        since[i] = now;
      }
    }
  }

  /** Counts the credits that have come back by a time. */
  void normalizeAt(long time) {
    for (int channel : channels) {
      ledger.covers(channel, 0, 0, time);
    }
  }

  /** Adds the normalized state to a key, all times from that since which a link is kept. */
  void describe(LongList key, long[] since) {
    for (int i = 0; i < links.length; i++) {
      int link = links[i];
      key.add(Math.max(0, linkState.freeAt(link) - since[i]));
      key.add(linkState.ackDebtPs(link));
      key.add(linkState.turn(link));
    }
    for (int i = 0; i < channels.length; i++) {
      int channel = channels[i];
      long from = since[linkAt[i]];
      key.add(Math.max(0, channelState.inputFreeAt(channel) - from));
      int place = Arrays.binarySearch(requesters[i], channelState.lastGranted(channel));
      key.add(place >= 0 ? 2L * place + 1 : -2L * (place + 1));
      key.add(channelState.isInjectedLast(channel) ? 1 : 0);
      int at = key.size();
      key.add(0);
      ledger.copyReturning(channel, from, key);
      key.set(at, key.size() - at);
    }
  }

  /**
   * The greatest difference between the times of two states that {@link #describe} has added to starts. Whose turn it
   * is may differ.
   *
   * @param shiftPs by which the begin of the second is later
   * @return picoseconds; {@link CallStart#FAR} where it is greater than a limit, or other credits are on their way
   */
  long deviation(CallStart one, CallStart other, long shiftPs, long limitPs) {
    long[] own = one.words;
    long[] its = other.words;
    if (own.length - one.state != its.length - other.state) {
      return CallStart.FAR;
    }
    int at = one.state;
    int apart = other.state - one.state;
    long most = 0;
    for (int i = 0; i < links.length; i++) {
      long laterPs = one.sincePs[i] - other.sincePs[i] - shiftPs;
      long debtPs = Math.abs(own[at + 1] - its[at + 1 + apart]);
      most = Math.max(most, Math.max(apart(own[at], its[at + apart], laterPs), debtPs));
      at += WORDS_OF_LINK;
    }
    for (int i = 0; i < channels.length && most <= limitPs; i++) {
      long laterPs = one.sincePs[linkAt[i]] - other.sincePs[linkAt[i]] - shiftPs;
      most = Math.max(most, apart(own[at], its[at + apart], laterPs));
      int returning = returning(own, at);
      if (returning != returning(its, at + apart)) {
        return CallStart.FAR;
      }
      at += WORDS_OF_CHANNEL;
      for (int credit = at; credit < at + returning; credit += WORDS_OF_CREDIT) {
        int before = credit + apart;
        most = Math.max(most, Math.abs(own[credit] - its[before] + laterPs));
        if (own[credit + 1] != its[before + 1] || own[credit + 2] != its[before + 2]) {
          return CallStart.FAR;
        }
      }
      at += returning;
    }
    return most <= limitPs ? most : CallStart.FAR;
  }

  // The difference of two times from which on something is free, where either comes after the begin of its use.
  private static long apart(long freeInPs, long otherInPs, long laterPs) {
    return freeInPs == 0 && otherInPs == 0 ? 0 : Math.abs(freeInPs - otherInPs + laterPs);
  }

  // The number of words of a channel's credits on their way back.
  private static int returning(long[] words, int at) {
    return (int) words[at + WORDS_OF_CHANNEL - 1] - 1;
  }

  /** Brings about a start, of which the present state has the same credits on their way back, at a time. */
  void begin(CallStart start, long startPs) {
    long[] words = start.words;
    int at = start.state;
    for (int i = 0; i < links.length; i++) {
      int link = links[i];
      long sincePs = startPs + start.sincePs[i];
      linkState.freeAt(link, words[at] > 0 ? sincePs + words[at] : Math.min(linkState.freeAt(link), sincePs));
      linkState.addAckDebt(link, words[at + 1], sincePs);
      linkState.turn(link, (int) words[at + 2]);
      at += WORDS_OF_LINK;
    }
    for (int i = 0; i < channels.length; i++) {
      int channel = channels[i];
      long sincePs = startPs + start.sincePs[linkAt[i]];
      channelState.inputFreeAt(
          channel, words[at] > 0 ? sincePs + words[at] : Math.min(channelState.inputFreeAt(channel), sincePs));
      if (requesters[i].length > 0) {
        channelState.lastGranted(channel, requesters[i][lastGranted(words[at + 1], requesters[i].length)]);
      }
      channelState.injectedLast(channel, words[at + 2] != 0);
      int returning = returning(words, at);
      at += WORDS_OF_CHANNEL;
      ledger.forget(channel);
      for (int credit = at; credit < at + returning; credit += WORDS_OF_CREDIT) {
        ledger.returnCredit(channel, (int) words[credit + 1], (int) words[credit + 2], sincePs + words[credit]);
      }
      at += returning;
    }
  }

  // The place of the requester that went last; of one outside of the footprint that of the one before it in turn.
  private static int lastGranted(long word, int requesters) {
    int place = (int) word >> 1;
    return (word & 1) != 0 ? place : (place + requesters - 1) % requesters;
  }

  /** Copies the state. */
  Saved save() {
    long[] ofLinks = new long[links.length * Links.STRIDE];
    for (int i = 0; i < links.length; i++) {
      linkState.copyOut(links[i], ofLinks, i * Links.STRIDE);
    }
    long[] ofChannels = new long[channels.length * VirtualChannels.STRIDE];
    for (int i = 0; i < channels.length; i++) {
      channelState.copyOut(channels[i], ofChannels, i * VirtualChannels.STRIDE);
    }
    return new Saved(ofLinks, ofChannels, returning(0));
  }

  private long[][] returning(long startPs) {
    long[][] all = new long[channels.length][];
    LongList list = new LongList();
    for (int i = 0; i < channels.length; i++) {
      list.clear();
      ledger.copyReturning(channels[i], startPs, list);
      all[i] = list.toArray();
    }
    return all;
  }

  /** Restores a copy. */
  void restore(Saved saved) {
    for (int i = 0; i < links.length; i++) {
      linkState.copyIn(links[i], saved.links, i * Links.STRIDE);
    }
    for (int i = 0; i < channels.length; i++) {
      ledger.forget(channels[i]);
      channelState.copyIn(channels[i], saved.channels, i * VirtualChannels.STRIDE);
      channelState.returning(channels[i], NetworkState.NONE, NetworkState.NONE);
      addReturning(channels[i], saved.returning[i], 0);
    }
  }

  private void addReturning(int channel, long[] credits, long startPs) {
    for (int at = 0; at < credits.length; at += 3) {
      ledger.returnCredit(channel, (int) credits[at + 1], (int) credits[at + 2], startPs + credits[at]);
    }
  }

  /** Sets the counter of the most bytes that wait to 0, so that a recording finds its own. */
  void clearMostQueued() {
    for (int link : links) {
      linkState.clearMaxQueued(link);
    }
  }

  /** The state after a call, as changes of a copy that was made before it. */
  Outcome outcome(Saved before, long startPs) {
    long[] freeAt = new long[links.length];
    long[] debt = new long[2 * links.length];
    int[] turn = new int[links.length];
    long[] counters = new long[links.length * Links.COUNTERS];
    for (int i = 0; i < links.length; i++) {
      int link = links[i];
      long free = linkState.freeAt(link);
      freeAt[i] = free == Links.freeAt(before.links, i * Links.STRIDE) ? UNCHANGED : free - startPs;
      debt[2 * i] = linkState.ackDebtPs(link);
      debt[2 * i + 1] = linkState.ackAt(link) - startPs;
      turn[i] = linkState.turn(link);
      linkState.countersSince(link, before.links, i * Links.STRIDE, counters, i * Links.COUNTERS);
    }
    long[] inputFreeAt = new long[channels.length];
    int[] granted = new int[channels.length];
    boolean[] injectedLast = new boolean[channels.length];
    for (int i = 0; i < channels.length; i++) {
      int channel = channels[i];
      int at = i * VirtualChannels.STRIDE;
      long free = channelState.inputFreeAt(channel);
      inputFreeAt[i] = free == VirtualChannels.inputFreeAt(before.channels, at) ? UNCHANGED : free - startPs;
      int last = channelState.lastGranted(channel);
      granted[i] = last == VirtualChannels.lastGranted(before.channels, at)
          ? NetworkState.NONE : Arrays.binarySearch(requesters[i], last);
      injectedLast[i] = channelState.isInjectedLast(channel);
    }
    return new Outcome(freeAt, debt, turn, counters, inputFreeAt, granted, injectedLast, returning(startPs));
  }

  /** Brings about the state after a call that began at a time. */
  void apply(Outcome outcome, long startPs) {
    for (int i = 0; i < links.length; i++) {
      int link = links[i];
      if (outcome.freeAt[i] != UNCHANGED) {
        linkState.freeAt(link, startPs + outcome.freeAt[i]);
      }
      linkState.addAckDebt(link, outcome.debt[2 * i], startPs + outcome.debt[2 * i + 1]);
      linkState.turn(link, outcome.turn[i]);
      linkState.addCounters(link, outcome.counters, i * Links.COUNTERS);
    }
    for (int i = 0; i < channels.length; i++) {
      int channel = channels[i];
      if (outcome.inputFreeAt[i] != UNCHANGED) {
        channelState.inputFreeAt(channel, startPs + outcome.inputFreeAt[i]);
      }
      if (outcome.granted[i] != NetworkState.NONE) {
        channelState.lastGranted(channel, requesters[i][outcome.granted[i]]);
      }
      channelState.injectedLast(channel, outcome.injectedLast[i]);
      ledger.forget(channel);
      channelState.fillCredit(channel);
      takeReturning(channel, outcome.returning[i], startPs);
    }
  }

  /** Adds the counters of links alone, as of a message on links whose state is another call's. */
  void count(Outcome outcome) {
    for (int i = 0; i < links.length; i++) {
      linkState.addCounters(links[i], outcome.counters, i * Links.COUNTERS);
    }
  }

  private void takeReturning(int channel, long[] credits, long startPs) {
    for (int at = 0; at < credits.length; at += 3) {
      ledger.take(channel, (int) credits[at + 1], (int) credits[at + 2]);
    }
    addReturning(channel, credits, startPs);
  }
}
