package dev.heddle.network.packet;

import dev.heddle.engine.ProgramState;
import dev.heddle.internal.collect.StatePair;
import dev.heddle.units.RandomStream;
import org.jspecify.annotations.Nullable;

/**
 * Skipping of periods in which messages move on and nothing else happens. Long messages on fixed routes soon bring the
 * network into a state that recurs, relative to the clock, after one or a few packets of each. Such a period is
 * compared word by word with the one before it; then time, counters and messages move on by as many periods as there
 * are before a message is cut to its end or a program acts. Results are those of a run of every packet, to the
 * picosecond.
 */
final class FastForward {
  private static final int NONE = NetworkState.NONE;

  // Events whose work pays for a look at a word of the state: a word takes some nanoseconds, an event some hundred.
  private static final int EVENTS_PER_WORD = 4;

  // Messages of fewer units are left alone.
  private static final int LEAST_UNITS = 8;

  // The longest period that is looked for, in units of the message by which states are taken.
  private static final int MOST_UNITS = 64;

  // A power of 2.
  private static final int SIGNS = 64;

  // Events between searches for messages while none is long enough.
  private static final int SEEK_EVENTS = 64;

  // Words that may be looked at for each event that is skipped.
  private static final int WORDS_PER_SKIPPED = 16;

  // Words that may be saved up, and states: the skips of one part of a run do not pay for hopeless looks at another.
  private static final long MOST_SAVED = 1 << 20;
  private static final int MOST_STATES_SAVED = 16;

  private final Partition partition;
  private final NetworkPlan plan;
  private final RunContext setup;
  private final VirtualChannels channels;
  private final Messages messages;
  private final RelativeState relative;
  private final StepForward steps;

  // The links in use. A link without a unit takes no part in a period.
  private final ActiveLinks active;

  // A call that is simulated aside: the links that it has used so far, as messages that come to it later have links of
  // their own, on whose state until then the time of the call says nothing; and its terminals' channels.
  private boolean isAside;
  private final ActiveLinks used;
  private int[] injecting = new int[0];

  // The message by whose units the states are taken: of all that are cut now, the one with the fewest left.
  private int anchor = NONE;
  private long anchorId;
  private long anchorLeft;
  private int unitsSent;
  // Signs of the last states, by which those are told that cannot recur.
  private final long[] signs = new long[SIGNS];
  private long signPs;
  private long signEvents;
  private long stateSign;

  // The state with which later ones are compared. As neither the time from which states recur nor the period is
  // known, it is replaced after numbers of units that suit both.
  private final StatePair states = new StatePair();
  private long statePs = -1;
  private int window;
  private int windows;
  private int distance;

  // Words looked at, and events carried out or skipped, whose work pays for it.
  private long spent;
  private long earned = 1 << 16;
  private long lastEvents;
  private long seekAt;
  private long skipped;

  FastForward(Partition partition, NetworkPlan plan, NetworkState state, RunContext setup) {
    this.partition = partition;
    this.plan = plan;
    this.setup = setup;
    channels = state.channels;
    messages = partition.messages;
    relative = new RelativeState(partition, plan, state, setup);
    active = new ActiveLinks(plan, setup.rankOf);
    used = new ActiveLinks(plan, setup.rankOf);
    steps = new StepForward(partition, relative, new ProgramState(partition.runner, partition.queue), used);
  }

  /** Events that were skipped. */
  long skipped() {
    return skipped + steps.skipped;
  }

  /** A unit comes to a link. */
  void enter(int link) {
    inUse().enter(link);
  }

  /** Something else is simulated from now on: a call aside, or everything again. */
  void turnTo(@Nullable IsolatedRun aside) {
    anchor = NONE;
    statePs = -1;
    lastEvents = NONE;
    seekAt = 0;
    active.clear();
    isAside = aside != null;
    if (aside != null) {
      used.clear();
      injecting = active.injecting(aside.call.shape.state.links);
    }
    steps.turnTo(aside);
  }

  /** An instant has ended, after which nothing but events is to be done before a time. */
  void look(long untilPs) {
    if (steps.look(untilPs)) {
      anchor = NONE;
      seekAt = partition.events;
    }
    if (anchor == NONE) {
      if (partition.events >= seekAt) {
        seek();
      }
    } else if (messages.remaining(anchor) != anchorLeft || messages.id(anchor) != anchorId) {
      step(untilPs);
    }
  }

  // Finds the message that limits the number of periods.
  private void seek() {
    earn();
    int[] entries = isAside ? injecting : active.injecting();
    seekAt = partition.events + entries.length;
    if (spent + entries.length > earned) {
      return;
    }
    spent += entries.length;
    anchor = messages.shortest(channels, entries);
    if (anchor != NONE && messages.unitsLeft(anchor) < LEAST_UNITS) {
      anchor = NONE;
      seekAt = partition.events + SEEK_EVENTS + entries.length;
    } else if (anchor != NONE) {
      anchorId = messages.id(anchor);
      anchorLeft = messages.remaining(anchor);
      unitsSent = 0;
      restart();
    }
  }

  private void restart() {
    windows = 0;
    statePs = -1;
  }

  private void earn() {
    long events = lastEvents == NONE ? 0 : (partition.events - lastEvents) / EVENTS_PER_WORD;
    earned = Math.min(earned + events, spent + Math.max(MOST_SAVED, (long) MOST_STATES_SAVED * states.size()));
    lastEvents = lastEvents == NONE ? partition.events : lastEvents + events * EVENTS_PER_WORD;
  }

  // The message has gone on by a unit.
  private void step(long untilPs) {
    anchorLeft = messages.remaining(anchor);
    if (anchorLeft == 0 || messages.id(anchor) != anchorId) {
      drop();
      return;
    }
    long sign = sign();
    distance++;
    boolean hopeful = statePs >= 0 ? sign == stateSign : recurs(sign);
    signs[++unitsSent & SIGNS - 1] = sign;
    earn();
    if (!hopeful || !affords(statePs >= 0 ? 1 : 2)) {
      if (statePs >= 0 && distance > MOST_UNITS) {
        statePs = -1;
        active.clear();
      }
      return;
    }
    states.clear();
    boolean told = relative.describe(
        RelativeClock.ofSame(partition.queue.now()), inUse().links(), inUse().devices(), states.later,
        states.laterProgress);
    spent += states.later.size() + partition.queue.size();
    if (told && statePs >= 0 && states.recurs()) {
      skip(untilPs);
    } else if (told) {
      keep(sign);
    }
  }

  // A number that is the same whenever a state recurs, known without a look at all of it.
  private long sign() {
    long now = partition.queue.now();
    long sign = RandomStream.mix(now - signPs ^ RandomStream.mix(partition.events - signEvents));
    signPs = now;
    signEvents = partition.events;
    return RandomStream.mix(sign ^ (long) partition.queue.size() << 32 ^ partition.units.live());
  }

  private boolean recurs(long sign) {
    for (int before = 0; before < Math.min(unitsSent, SIGNS); before++) {
      if (signs[unitsSent - before & SIGNS - 1] == sign) {
        return true;
      }
    }
    return false;
  }

  private boolean affords(int looks) {
    return spent + (long) looks * states.size() <= earned;
  }

  // Compares later states with this one, unless the one before has not been compared with enough of them.
  private void keep(long sign) {
    if (statePs >= 0 && distance < window) {
      return;
    }
    states.keep();
    windows++;
    window = luby(windows);
    statePs = partition.queue.now();
    stateSign = sign;
    distance = 0;
  }

  /** The terms 1, 1, 2, 1, 1, 2, 4, ... from 1 on (Luby, Sinclair and Zuckerman 1993), up to a limit. */
  static int luby(int term) {
    int rest = term;
    while (Integer.bitCount(rest + 1) != 1) {
      rest -= Integer.highestOneBit(rest) - 1;
    }
    return Math.min(MOST_UNITS, (rest + 1) / 2);
  }

  private ActiveLinks inUse() {
    return isAside ? used : active;
  }

  // Another message is looked for among those that go on.
  private void drop() {
    anchor = NONE;
    statePs = -1;
    seekAt = partition.events;
    active.clear();
  }

  private void skip(long untilPs) {
    int[] within = inUse().links();
    long now = partition.queue.now();
    long period = now - statePs;
    long[] change = states.change(1);
    long end = Math.min(untilPs, relative.foreignPs());
    long periods = relative.holdsAllHops(within, change)
        ? Math.min((end - 1 - now) / period, relative.mostPeriods(within, change)) : 0;
    if (periods > 0) {
      change = states.change(periods);
      relative.delay(
          new RelativeClock.Jump(Math.multiplyExact(period, periods), 0, 0), within, inUse().devices(), change);
      skipped += change[0];
      earned += (WORDS_PER_SKIPPED - 1) * change[0];
      anchorLeft = messages.remaining(anchor);
    }
    restart();
    if (messages.unitsLeft(anchor) < LEAST_UNITS) {
      drop();
    }
  }
}
