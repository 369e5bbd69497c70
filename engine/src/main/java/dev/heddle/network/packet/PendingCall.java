package dev.heddle.network.packet;

import dev.heddle.engine.CollectiveCall;
import dev.heddle.engine.CollectiveLog;
import dev.heddle.engine.Reservation;
import dev.heddle.engine.SteppedCollectives;
import dev.heddle.internal.collect.LongList;
import dev.heddle.workload.Program;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A collective call under way whose links carry nothing else: its members come within one instant, or one after another
 * while it waits, and then each continues at the time that the call's record states. Messages that come to its links
 * later make another call of it, which takes it over.
 */
final class PendingCall {

  CallShape shape;
  final int number;
  final Member[] members;
  /** The members in the order of their arrival. */
  final Member[] arrived;
  int arrivals;
  /** The messages of ranks' own programs, in the order in which they were sent. */
  final List<Guest> guests = new ArrayList<>();
  /** The begin, which is that of a record that the call is moved to. */
  long startPs;
  /** The deviation of the begins that the record has; -1 where they are the call's own. */
  long movedByPs = -1;
  /** The estimate of the error of its ends, picoseconds. */
  long errorPs;
  /** The call under way that this one takes over with more messages; null for one that begins. */
  @Nullable
  PendingCall before;
  /** The operation of the members; null without members, and for a call that takes over another. */
  @Nullable
  CollectiveCall operation;
  private int passed;
  private boolean live;
  private boolean passing;
  // Whether the call keeps its links while it waits for members, and the number of those that came before this instant.
  private boolean waiting;
  private int begun;
  /** The outcome, once all members have arrived; null for a call that runs message by message. */
  @Nullable
  CallRecord record;
  /** Whether links and messages of the call have been accounted for. */
  boolean carried;
  int released;
  /** The numbers of the messages so far. */
  final CallNumbers numbers = new CallNumbers(this);
  /** The terms on which the recording is put off; null where it is not. */
  DeferredCalls.@Nullable Terms putOff;

  /** A rank that takes part. */
  static final class Member extends Sender {
    final Reservation streams;
    private final CollectiveLog.@Nullable Call part;

    /**
     * A member.
     *
     * @param part its entry in the log; null for an aggregator
     */
    Member(PendingCall call, int position, int rank, Reservation streams, CollectiveLog.@Nullable Call part,
        Partition partition) {
      super(call, position, rank, call.shape.terminal(position), partition);
      this.streams = streams;
      this.part = part;
    }

    /** The member's program, which notes its end. */
    Program program(SteppedCollectives stepped) {
      Program steps = stepped.program(call.shape.group, call.shape.schedule(), position);
      return part == null ? steps : stepped.timed(steps, part);
    }

    /** Notes the end of the program now. */
    void end(SteppedCollectives stepped) {
      if (part != null) {
        stepped.ended(part);
      }
    }
  }

  /** A message of a rank's own program, sent as members arrive or while the call is under way. */
  static final class Guest extends Sender {
    final int peer;
    final int destination;
    final long bytes;
    final int tag;
    final int service;
    boolean arrived;
    /** The end of an instant that came before it, where it met others. */
    long instant;

    Guest(PendingCall call, int rank, int source, Partition partition, Sent sent) {
      super(call, call.size(), rank, source, partition);
      peer = sent.peer;
      destination = sent.destination;
      bytes = sent.bytes;
      tag = sent.tag;
      service = sent.service;
    }
  }

  /**
   * A message as its sender states it.
   *
   * @param destination terminal of the peer
   */
  record Sent(int peer, int destination, long bytes, int tag, int service) {}

  /** A source of messages of the call. */
  abstract static class Sender {
    PendingCall call;
    int position;
    final int rank;
    final int source;
    final Partition partition;
    long arrivalPs;
    private final int arrivalKey;
    private long stamp;
    /** The number of the event of its end, once that is planned. */
    int endNumber = ReplayedEnds.NONE;
    private int cursor;
    private int end;
    @Nullable
    Sender next;

    Sender(PendingCall call, int position, int rank, int source, Partition partition) {
      this.call = call;
      this.position = position;
      this.rank = rank;
      this.source = source;
      this.partition = partition;
      arrivalPs = partition.queue.now();
      arrivalKey = partition.eventKey();
      stamp = partition.nextStamp();
    }

    boolean hasNext() {
      return call.record != null && cursor < end;
    }

    /** The time at which the member's next message without a number is submitted. */
    long nextTime() {
      return call.startPs + call.outcome().submittedPs[cursor];
    }

    /** The event by which it is submitted: kind and target. */
    int nextKey() {
      int key = call.outcome().submitKey[cursor];
      return key == CallRecord.ARRIVAL ? arrivalKey : CallKeys.actual(call, key);
    }

    /** Whether the next message is submitted by an event of a time, or before it. */
    boolean isBefore(long time, int key, long lastStamp) {
      long next = nextTime();
      if (next != time) {
        return next < time;
      }
      int by = nextKey();
      return by < key || by == key && stamp <= lastStamp;
    }

    /** Kind and target of the event by which the member arrived. */
    int arrivalKey() {
      return arrivalKey;
    }

    /** The place among all members that arrived and messages that they sent. */
    long stamp() {
      return stamp;
    }

    boolean isBefore(Sender other) {
      long time = nextTime();
      long otherTime = other.nextTime();
      if (time != otherTime) {
        return time < otherTime;
      }
      int key = nextKey();
      int otherKey = other.nextKey();
      return key != otherKey ? key < otherKey : stamp < other.stamp;
    }

    /** Gives the next message its number. */
    void number(long sequence) {
      call.numbers.give(cursor++, source, sequence);
    }

    /** Gives all messages that are left their numbers, and returns the number after them. */
    long numberRest(long sequence) {
      call.numbers.fingerprint +=
          call.outcome().fingerprint(cursor, end, call.shape.group, source, sequence, call.startPs);
      int rest = end - cursor;
      cursor = end;
      return sequence + rest;
    }

    /** The member's next message without a number. */
    int cursor() {
      return cursor;
    }
  }

  PendingCall(CallShape shape, int number, long startPs) {
    this.shape = shape;
    this.number = number;
    this.startPs = startPs;
    members = new Member[shape.size()];
    arrived = new Member[shape.size()];
  }

  CallRecord outcome() {
    CallRecord known = record;
    if (known == null) {
      throw new IllegalStateException("the outcome of a call is not known yet");
    }
    return known;
  }

  /** Adds a member. */
  void add(Member member) {
    member.partition.sequence.open(member);
    members[member.position] = member;
    arrived[arrivals++] = member;
  }

  /** Whether the call is replayed since before a time, and no member has ended its part. */
  boolean isUnderWay(long now) {
    boolean goesOn = members.length > 0 && (isHeld() || putOff != null) && startPs < now;
    for (Member member : members) {
      goesOn = goesOn && !member.streams.isReleased();
    }
    return goesOn;
  }

  /** Takes over the members and the messages of a call under way. */
  void takeOver(PendingCall underWay) {
    before = underWay;
    guests.addAll(underWay.guests);
    System.arraycopy(underWay.members, 0, members, 0, members.length);
    System.arraycopy(underWay.arrived, 0, arrived, 0, members.length);
    arrivals = underWay.arrivals;
  }

  /** The bytes of the members' operation. */
  long bytes() {
    return operation == null ? 0 : operation.bytes();
  }

  /** The number of members and messages of ranks' own programs. */
  int size() {
    return members.length + guests.size();
  }

  /** A member, or after them a message of a rank's own program. */
  Sender sender(int at) {
    return at < members.length ? members[at] : guests.get(at - members.length);
  }

  /** Members and messages of ranks' own programs in the order in which they came. */
  List<Sender> inOrder() {
    return inOrder(0, arrivals);
  }

  private List<Sender> inOrder(int from, int to) {
    List<Sender> all = new ArrayList<>(guests);
    all.addAll(Arrays.asList(arrived).subList(from, to));
    all.sort(Comparator.comparingLong(Sender::stamp));
    return all;
  }

  /** Those that have begun: the members that came before this instant while the call waits, otherwise all. */
  List<Sender> begun() {
    return waiting && putOff == null ? new ArrayList<>(Arrays.asList(arrived).subList(0, begun)) : inOrder();
  }

  /** Those of this call that have yet to begin: all, or those that came in this instant while the call waits. */
  List<Sender> yetToBegin() {
    List<Sender> all = inOrder(begun, arrivals);
    all.removeIf(each -> each.call != this);
    return all;
  }

  /** Lets the call wait for members on links that it keeps. */
  void await() {
    waiting = true;
    begun = arrivals;
  }

  /** Lets the call wait for more messages, which may come until none of its parts ends, in the place of another. */
  void await(DeferredCalls.Terms terms, PendingCall other) {
    waiting = true;
    putOff = terms;
    inherit(other);
  }

  /** Counts those that have come in this instant as begun, or no longer; returns how many were before. */
  int begin(int members) {
    int before = begun;
    begun = members;
    return before;
  }

  /** Whether the call waits for members on links that it keeps, or has yet to decide about those that have come now. */
  boolean isWaiting() {
    return waiting;
  }

  /** Lets the call run message by message. */
  void live() {
    live = true;
    waiting = false;
    putOff = null;
    record = null;
  }

  /** Whether the call runs message by message. */
  boolean isLive() {
    return live;
  }

  /** Members have arrived at a call that runs message by message. */
  void passed(int more) {
    passed += more;
  }

  /** Whether all members have arrived. */
  boolean hasAll() {
    return arrivals + passed == members.length;
  }

  /** Whether all members have arrived, and the shape has the messages of ranks' own programs. */
  boolean isTraced() {
    return hasAll() && shape.guests() == guests.size();
  }

  /** Lets a message begin later, as it passes by a call on links that this keeps. */
  void pass(long laterPs) {
    startPs += laterPs;
    movedByPs = Math.max(0, movedByPs) + laterPs;
    passing = true;
  }

  /** Whether the call is a message that passes by another one on links that are that one's. */
  boolean isPassing() {
    return passing;
  }

  /** Whether the call keeps its links to itself. */
  boolean isHeld() {
    return record != null && !carried && !passing;
  }

  /** Whether a rank has arrived as a member, or sent the messages of a call without members. */
  boolean hasMember(int rank) {
    for (int i = 0; i < arrivals; i++) {
      if (arrived[i].rank == rank) {
        return true;
      }
    }
    for (int i = 0; members.length == 0 && i < guests.size(); i++) {
      if (guests.get(i).rank == rank) {
        return true;
      }
    }
    return false;
  }

  /** Adds order and times of the arrivals, and the order of the members' streams' slots, to a key. */
  void describe(LongList key) {
    key.add(members.length);
    boolean ascending = true;
    int last = -1;
    for (Member member : members) {
      for (int stream = 0; stream < member.streams.streams(); stream++) {
        ascending &= member.streams.slot(stream) > last;
        last = member.streams.slot(stream);
      }
    }
    for (Sender each : inOrder()) {
      key.add(each.position);
      key.add(each.arrivalPs - startPs);
    }
    if (!ascending) {
      int[] slots = slots();
      int[] sorted = slots.clone();
      Arrays.sort(sorted);
      for (int slot : slots) {
        key.add(Arrays.binarySearch(sorted, slot));
      }
    }
  }

  private int[] slots() {
    int count = 0;
    for (Member member : members) {
      count += member.streams.streams();
    }
    int[] slots = new int[count];
    int at = 0;
    for (Member member : members) {
      for (int stream = 0; stream < member.streams.streams(); stream++) {
        slots[at++] = member.streams.slot(stream);
      }
    }
    return slots;
  }

  /** States the outcome. */
  void begin(CallRecord known) {
    record = known;
    waiting = false;
    putOff = null;
    for (int i = 0; i < size(); i++) {
      Sender each = sender(i);
      each.cursor = known.first[i];
      each.end = known.first[i + 1];
    }
  }

  /** Moves the begins of all to those of a record, in its order. */
  void move(MovedStart moved) {
    startPs += moved.shiftPs();
    movedByPs = moved.deviationPs();
    List<Sender> before = inOrder();
    long[] stamps = new long[before.size()];
    for (int i = 0; i < stamps.length; i++) {
      stamps[i] = before.get(i).stamp;
    }
    for (int i = 0; i < stamps.length; i++) {
      Sender each = sender(moved.start().sender(i));
      each.arrivalPs = startPs + moved.start().beginPs(i);
      each.stamp = stamps[i];
    }
  }

  /** Makes members and messages of the call its own, in their order. */
  void claim() {
    for (int i = 0; i < size(); i++) {
      Sender each = sender(i);
      each.call = this;
      each.position = i;
    }
  }

  /** States the outcome of a call whose first senders belonged to others, with the numbers that their messages have. */
  void goOn(CallRecord known, List<PendingCall> before) {
    before.forEach(this::inherit);
    begin(known);
    numbers.restore();
  }

  private void inherit(PendingCall other) {
    released += other.released;
    errorPs = Math.max(errorPs, other.errorPs);
    numbers.inherit(other);
  }

  /** The most messages of each member in its injection queue, as far as is known. */
  int[] room() {
    return putOff == null ? outcome().queued : putOff.room();
  }
}
