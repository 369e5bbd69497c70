package dev.heddle.network.packet;

import dev.heddle.engine.Events;
import dev.heddle.internal.collect.EventQueue;
import dev.heddle.internal.collect.LongList;
import dev.heddle.network.Meter;
import java.util.Arrays;

/**
 * The state of a partition's packets, links and buffers relative to the clock, apart from its progress: the payload of
 * messages that is left, and counters. A state that is followed by an equal one recurs from then on, until a message is
 * cut to its end or an event comes about that is not one of packets: those of programs, whose times are not relative.
 */
final class RelativeState {
  private static final int NONE = NetworkState.NONE;
  private static final int[] KINDS = {Meter.INTRA, Meter.INTER};

  private final Partition partition;
  private final NetworkPlan plan;
  private final NetworkState state;
  private final Links links;
  private final VirtualChannels channels;
  private final PacketTable units;
  private final Messages messages;
  private final EventQueue queue;

  private final RunContext setup;
  private final LongList heads = new LongList();

  // The pending events, two words to each, and those of packets in the order of their kinds, targets and times.
  private long[] pending = new long[256];
  private long[] order = new long[128];
  private int own;
  private long foreignPs;

  RelativeState(Partition partition, NetworkPlan plan, NetworkState state, RunContext setup) {
    this.partition = partition;
    this.plan = plan;
    this.state = state;
    this.setup = setup;
    links = state.links;
    channels = state.channels;
    units = partition.units;
    messages = partition.messages;
    queue = partition.queue;
  }

  /**
   * Adds state and progress at the end of an instant to lists; whether the state can be told, as the progress always
   * can.
   *
   * @param clock what times and numbers are relative to
   * @param within the links in question
   * @param devices the sources of these links
   */
  boolean describe(RelativeClock clock, int[] within, int[] devices, LongList into, LongList progress) {
    long now = clock.now();
    boolean told = describeEvents(clock, into);
    progress.add(partition.events);
    progress.add(partition.hops);
    for (int kind : KINDS) {
      progress.add(partition.meter.deliveredBytes(kind));
    }
    for (int link : within) {
      if (partition.isOpen(link)) {
        links.describe(link, now, into);
        into.add(partition.returns.pendingAckPs(link, now));
        links.count(link, progress);
        int first = links.firstChannel(link);
        for (int channel = first; channel < first + links.channelCount(link); channel++) {
          describe(channel, clock, into, progress);
        }
      }
    }
    for (int device : devices) {
      partition.bridge.describe(device, clock, into, progress);
    }
    return told;
  }

  private void describe(int channel, RelativeClock clock, LongList into, LongList progress) {
    long now = clock.now();
    partition.ledger.covers(channel, 0, 0, now);
    channels.describe(channel, now, into);
    partition.ledger.copyReturning(channel, now, into);
    int source = links.source(channels.link(channel));
    int head = channels.injectionHead(channel);
    if (head != NONE) {
      if (clock.isOfSame()) {
        into.add(messages.id(channels.injectionTail(channel)));
        into.add(messages.next(head) == NONE ? NONE : messages.id(messages.next(head)));
        messages.describe(head, clock, into);
      } else {
        for (int message = head; message != NONE; message = messages.next(message)) {
          into.add(messages.remaining(message));
          messages.describe(message, clock, into);
        }
      }
      progress.add(messages.remaining(head));
    }
    if (channels.injectionUnit(channel) != NONE) {
      units.describe(channels.injectionUnit(channel), clock, into);
    }
    for (int word = 0; word < channels.requestWords(channel); word++) {
      long bits = state.requests.word(channel, word);
      into.add(bits);
      if (isVirtual(source)) {
        for (long left = word == 0 ? bits & ~1L : bits; left != 0; left &= left - 1) {
          int requester = (word << 6) + Long.numberOfTrailingZeros(left);
          describeQueue(channels.firstVirtualQueue(channel) + requester, clock, into);
        }
      }
    }
    describeQueue(plan.firstInputQueue + channel, clock, into);
    describeQueue(plan.firstOutputQueue + channel, clock, into);
  }

  private boolean isVirtual(int device) {
    return plan.buffering[device] != NetworkPlan.INPUT && plan.buffering[device] != NetworkPlan.OUTPUT;
  }

  private void describeQueue(int number, RelativeClock clock, LongList into) {
    int unit = state.head(number);
    if (unit != NONE) {
      while (unit != NONE) {
        units.describe(unit, clock, into);
        unit = units.next(unit);
      }
      into.add(NONE);
    }
  }

  // Events of packets by kind and target, then by time; of two that agree in all three the order would not be known.
  // The first of the other events stays the same as long as none of them comes about.
  private boolean describeEvents(RelativeClock clock, LongList into) {
    sort(clock.isOfSame());
    into.add(own);
    into.add(foreignPs);
    boolean told = true;
    for (int i = 0; i < own; i++) {
      int at = (int) order[i];
      long event = pending[at + 1];
      told &= i == 0 || pending[at] != pending[(int) order[i - 1]] || event >>> 32 != order[i - 1] >>> 32;
      into.add(event >>> 32);
      into.add(pending[at] - clock.now());
      if (carriesUnit(event)) {
        units.describe(Events.argument(event), clock, into);
      } else {
        into.add(Events.argument(event));
      }
    }
    return told;
  }

  private void sort(boolean packetsAlone) {
    int count = queue.size();
    if (pending.length < 2 * count) {
      pending = new long[4 * count];
      order = new long[2 * count];
    }
    queue.copyTo(pending);
    own = 0;
    foreignPs = Long.MAX_VALUE;
    for (int at = 0; at < 2 * count; at += 2) {
      if (isOwn(pending[at + 1]) || !packetsAlone && Events.kind(pending[at + 1]) == Events.STREAM) {
        order[own++] = pending[at + 1] & 0xFFFFFFFF00000000L | at;
      } else {
        foreignPs = Math.min(foreignPs, pending[at]);
      }
    }
    Arrays.sort(order, 0, own);
    for (int i = 1; i < own; i++) {
      long key = order[i];
      int place = i;
      while (place > 0 && order[place - 1] >>> 32 == key >>> 32
          && pending[(int) order[place - 1]] > pending[(int) key]) {
        order[place] = order[place - 1];
        place--;
      }
      order[place] = key;
    }
  }

  private static boolean carriesUnit(long event) {
    return Events.kind(event) == Events.ARRIVE || Events.kind(event) == Events.DELIVER;
  }

  // Whether an event is one of packets on links that may be used now.
  private boolean isOwn(long event) {
    int kind = Events.kind(event);
    if (kind > Events.DELIVER || ReplayedEnds.is(event)) {
      return false;
    }
    int target = Events.target(event);
    return partition.isOpen(kind == Events.EXPOSE ? channels.link(target) : target);
  }

  /** The time of the first event that is not one of packets; {@link Long#MAX_VALUE} without one. */
  long foreignPs() {
    return foreignPs;
  }

  /**
   * Whether links are all those that units crossed within a period. Then no other took part in it: a link from which a
   * unit came, or to which credit came back, carried another such unit within the period, as the state recurred.
   *
   * @param change of the progress within the period
   */
  boolean holdsAllHops(int[] within, long[] change) {
    long hops = 0;
    int place = 2 + KINDS.length;
    for (int link : within) {
      if (partition.isOpen(link)) {
        hops += change[place + Links.UNIT_COUNTER];
        place += Links.COUNTERS;
        int first = links.firstChannel(link);
        for (int channel = first; channel < first + links.channelCount(link); channel++) {
          place += channels.injectionHead(channel) == NONE ? 0 : 1;
        }
      }
    }
    return hops == change[1];
  }

  /**
   * The messages that are being cut, with their places in the progress.
   *
   * @param messageAt receives a message and the place of its payload that is left, in turn
   */
  void heads(int[] within, LongList messageAt) {
    int place = 2 + KINDS.length;
    for (int link : within) {
      if (partition.isOpen(link)) {
        place += Links.COUNTERS;
        int first = links.firstChannel(link);
        for (int channel = first; channel < first + links.channelCount(link); channel++) {
          if (channels.injectionHead(channel) != NONE) {
            messageAt.add(channels.injectionHead(channel));
            messageAt.add(place++);
          }
        }
      }
    }
  }

  /**
   * The number of periods that can be skipped before a message is cut to its end.
   *
   * @param change of the progress within a period
   */
  long mostPeriods(int[] within, long[] change) {
    long most = Long.MAX_VALUE;
    heads.clear();
    heads(within, heads);
    for (int i = 0; i < heads.size(); i += 2) {
      long cut = -change[(int) heads.get(i + 1)];
      most = cut > 0 ? Math.min(most, (messages.remaining((int) heads.get(i)) - 1) / cut) : most;
    }
    return most;
  }

  /** Counts the payload that messages are cut by as delivered, by their kind, as in a steady state. */
  void deliverWhatIsCut(int[] within, long[] change) {
    heads.clear();
    heads(within, heads);
    for (int kind : KINDS) {
      change[2 + kind] = 0;
    }
    for (int i = 0; i < heads.size(); i += 2) {
      int message = (int) heads.get(i);
      int source = setup.ranks[messages.rank(message)];
      change[2 + Meter.kind(plan.fabric.sameNode(source, messages.destination(message)))] -=
          change[(int) heads.get(i + 1)];
    }
  }

  /**
   * Moves the state to a later time, as it was described last.
   *
   * @param by change of time and numbers
   * @param more by which the progress changes meanwhile
   */
  void delay(RelativeClock.Jump by, int[] within, int[] devices, long[] more) {
    long byPs = by.ps();
    int place = 0;
    partition.events += more[place++];
    partition.hops += more[place++];
    for (int kind : KINDS) {
      partition.meter.received(kind, more[place++], queue.now());
    }
    for (int link : within) {
      if (partition.isOpen(link)) {
        links.delay(link, byPs, more, place);
        place += Links.COUNTERS;
        int first = links.firstChannel(link);
        for (int channel = first; channel < first + links.channelCount(link); channel++) {
          place = delay(channel, by, more, place);
        }
      }
    }
    for (int device : devices) {
      place = partition.bridge.delay(device, by, more, place);
    }
    partition.delivery.renumber(by);
    for (int i = 0; i < own; i++) {
      int at = (int) order[i];
      pending[at] += byPs;
      if (carriesUnit(pending[at + 1])) {
        units.delay(Events.argument(pending[at + 1]), by);
      }
    }
    queue.jump(Math.addExact(queue.now(), byPs), pending, queue.size());
  }

  private int delay(int channel, RelativeClock.Jump by, long[] more, int from) {
    int place = from;
    long byPs = by.ps();
    channels.inputFreeAt(channel, channels.inputFreeAt(channel) + byPs);
    partition.ledger.delay(channel, byPs);
    int source = links.source(channels.link(channel));
    int head = channels.injectionHead(channel);
    if (head != NONE) {
      long cut = -more[place++];
      messages.skip(head, cut);
      if (cut > 0) {
        partition.delivery.skip(messages.id(head), cut);
      }
      for (int message = head; by.numbers() != 0 && message != NONE; message = messages.next(message)) {
        messages.renumber(message, by.numbers(), by.generations());
      }
    }
    if (channels.injectionUnit(channel) != NONE) {
      units.delay(channels.injectionUnit(channel), by);
    }
    for (int word = 0; isVirtual(source) && word < channels.requestWords(channel); word++) {
      long bits = state.requests.word(channel, word);
      for (long left = word == 0 ? bits & ~1L : bits; left != 0; left &= left - 1) {
        int requester = (word << 6) + Long.numberOfTrailingZeros(left);
        delayQueue(channels.firstVirtualQueue(channel) + requester, by);
      }
    }
    delayQueue(plan.firstInputQueue + channel, by);
    delayQueue(plan.firstOutputQueue + channel, by);
    return place;
  }

  private void delayQueue(int number, RelativeClock.Jump by) {
    for (int unit = state.head(number); unit != NONE; unit = units.next(unit)) {
      units.delay(unit, by);
    }
  }
}
