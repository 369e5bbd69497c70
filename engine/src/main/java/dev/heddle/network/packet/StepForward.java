package dev.heddle.network.packet;

import dev.heddle.engine.ProgramState;
import dev.heddle.internal.collect.StatePair;
import org.jspecify.annotations.Nullable;

/**
 * Skipping of periods in which the members of a collective call that is recorded do the same again with later messages,
 * such as the steps of a ring. The state of packets and programs, relative to the clock, to the messages so far and to
 * the signals raised, is compared word by word with the one a period before. The next periods are those in which the
 * programs, which are read in advance, issue the same operations. What the run would have recorded meanwhile is added.
 */
final class StepForward {
  // The longest period that is looked for, in messages of one member.
  private static final int MOST_MESSAGES = 1 << 14;

  // Words that may be looked at without an event that was carried out.
  private static final long FREE_WORDS = 1 << 18;

  private final Partition partition;
  private final RelativeState relative;
  private final ProgramState programs;
  // The links that the call has used so far.
  private final ActiveLinks used;

  private @Nullable IsolatedRun run;
  private int seen;
  private long spent;

  // The state with which later ones are compared, the number of states since, and the number until it is replaced,
  // which doubles (Brent 1980).
  private final StatePair states = new StatePair();
  private long statePs = -1;
  private int stateCount;
  private int stateGuestEvents;
  private int distance;
  private int power;
  /** Events that were skipped. */
  long skipped;

  StepForward(Partition partition, RelativeState relative, ProgramState programs, ActiveLinks used) {
    this.partition = partition;
    this.relative = relative;
    this.programs = programs;
    this.used = used;
  }

  /** A call is simulated aside from now on, or everything again. */
  void turnTo(@Nullable IsolatedRun aside) {
    run = aside != null && aside.recording ? aside : null;
    seen = 0;
    spent = 0;
    restart();
  }

  private void restart() {
    statePs = -1;
    power = 1;
    distance = 0;
  }

  /** Looks at the end of an instant whether periods can be skipped; whether they were. */
  boolean look(long untilPs) {
    IsolatedRun recording = run;
    if (recording == null || recording.count == seen || recording.call.members.length == 0) {
      return false;
    }
    boolean sent = recording.sent(0, seen);
    seen = recording.count;
    if (!sent || spent + states.size() > FREE_WORDS + partition.events) {
      return false;
    }
    states.clear();
    boolean told = describe(recording);
    spent += states.later.size();
    if (!told) {
      return false;
    }
    if (statePs >= 0 && stateGuestEvents == recording.guestEvents && states.recurs() && skip(recording, untilPs)) {
      return true;
    }
    distance++;
    if (statePs < 0 || distance == power) {
      keep(recording);
    }
    return false;
  }

  private boolean describe(IsolatedRun recording) {
    RelativeClock clock = RelativeClock.ofOthers(partition.queue.now(), recording);
    programs.describeMail(states.later::add);
    for (PendingCall.Member member : recording.call.members) {
      if (!programs.isForeseen(member.streams)) {
        return false;
      }
      programs.describe(member.streams, states.later::add);
    }
    return relative.describe(clock, used.links(), used.devices(), states.later, states.laterProgress);
  }

  private void keep(IsolatedRun recording) {
    states.keep();
    power = statePs < 0 ? 1 : Math.min(2 * power, MOST_MESSAGES);
    statePs = partition.queue.now();
    stateCount = recording.count;
    stateGuestEvents = recording.guestEvents;
    distance = 0;
    for (PendingCall.Member member : recording.call.members) {
      programs.begin(member.streams);
    }
  }

  // Where the programs do otherwise in the next period, a longer one may recur, in which they come to the same place.
  private boolean skip(IsolatedRun recording, long untilPs) {
    long now = partition.queue.now();
    long period = now - statePs;
    int messages = recording.count - stateCount;
    long most = (untilPs - 1 - now) / period;
    long periods = recording.takesRoutesInFull(stateCount) ? repetitions(recording, Math.min(most, 1 << 20)) : 0;
    if (periods > 0) {
      long byPs = Math.multiplyExact(period, periods);
      long[] change = states.change(periods);
      skipped += change[0];
      relative.delay(
          new RelativeClock.Jump(byPs, byPs, periods * messages), used.links(), used.devices(), change);
      for (PendingCall.Member member : recording.call.members) {
        programs.delay(member.streams, periods, byPs);
      }
      recording.repeat(stateCount, statePs, periods, period);
      if (partition.lastTimer > statePs) {
        partition.lastTimer += byPs;
      }
      seen = recording.count;
      restart();
    }
    return periods > 0;
  }

  private long repetitions(IsolatedRun recording, long most) {
    for (long done = 0; done < most; done++) {
      for (PendingCall.Member member : recording.call.members) {
        if (!programs.repeats(member.streams, done + 1)) {
          return done;
        }
      }
      for (PendingCall.Member member : recording.call.members) {
        programs.pass(member.streams);
      }
    }
    return most;
  }
}
