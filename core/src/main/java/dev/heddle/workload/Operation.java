package dev.heddle.workload;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.MessageLabel;

/**
 * The next operation of a stream, filled in by a {@link Program}: one reusable object, so that producing operations
 * allocates nothing.
 */
public final class Operation {
  /** Kind of an operation. */
  public enum Kind {
    /** Occupies the stream for a time. */
    COMPUTE,
    /** Sends a message; the stream continues when the rank's injection queue has accepted it. */
    SEND,
    /** Waits until a message of this peer and tag has been received whole. */
    RECEIVE,
    /** Offers a one-sided message at an absolute time, independently of earlier ones. */
    GENERATE,
    /** Raises a signal of this rank by one. */
    SIGNAL,
    /** Waits until a signal of this rank has been raised to a value. */
    AWAIT,
    /** Takes part in a collective of a group, and waits until this rank's part is done. */
    COLLECTIVE
  }

  /** The tag of a message without a receive, such as a write to memory. */
  public static final int ONE_SIDED = -1;

  /** The value for no shared resource. */
  public static final int UNSHARED = -1;

  /** The value for no pass. */
  public static final int NO_PASS = -1;

  private Kind kind = Kind.COMPUTE;
  private CollectiveOp collectiveOp = CollectiveOp.ALL_REDUCE;
  private int peer;
  private int tag;
  private int service;
  private int activity;
  private int pass = NO_PASS;
  private long bytes;
  private long timePs;
  private long turnPs;

  /**
   * Occupies the stream.
   *
   * @param durationPs at least 0
   */
  public void compute(long durationPs) {
    compute(durationPs, UNSHARED);
  }

  /**
   * Occupies the stream and a resource that streams of its program share, which serves them first come, first served:
   * the stream waits for the resource first.
   *
   * @param durationPs of its use of the resource, at least 0
   * @param shared number of the resource, at least 0, small: it indexes an array; or {@link #UNSHARED}
   */
  public void compute(long durationPs, int shared) {
    kind = Kind.COMPUTE;
    timePs = durationPs;
    tag = shared;
  }

  /**
   * Sends a message.
   *
   * @param peer the receiving rank
   * @param bytes payload, at least 0
   * @param tag matched by the receiver, at least 0; or {@link #ONE_SIDED}
   * @param trafficClass 0 to 7
   */
  public void send(int peer, long bytes, int tag, int trafficClass) {
    kind = Kind.SEND;
    this.peer = peer;
    this.bytes = bytes;
    this.tag = tag;
    service = MessageLabel.of(trafficClass, MessageLabel.SAME_CLASS, 0);
    sendAfter(0, 0);
  }

  /**
   * Sets the treatment by networks between nodes of the message of {@link #send} or {@link #generate}, or of the
   * messages of a collective, whose algorithm may choose a class of its own and chooses flow labels itself.
   *
   * @param networkClass 0 to 7, or {@link MessageLabel#SAME_CLASS}
   * @param route its flow label, or 0
   */
  public void onNetwork(int networkClass, int route) {
    service = MessageLabel.of(MessageLabel.trafficClass(service), networkClass, route);
  }

  /**
   * Delays the departure of the message of {@link #send}; the stream continues at once.
   *
   * @param lagPs at least 0; the same for all delayed messages of a stream
   * @param turnPs time to the departure of the next delayed message of the program, at least 0
   */
  public void sendAfter(long lagPs, long turnPs) {
    timePs = lagPs;
    this.turnPs = turnPs;
  }

  /**
   * Waits for a message.
   *
   * @param peer the sending rank
   * @param tag as sent
   */
  public void receive(int peer, int tag) {
    kind = Kind.RECEIVE;
    this.peer = peer;
    this.tag = tag;
  }

  /**
   * Offers a one-sided message.
   *
   * @param atPs absolute time of generation, not before the previous one of this stream
   * @param peer the receiving rank
   * @param bytes payload, at least 1
   * @param trafficClass 0 to 7
   */
  public void generate(long atPs, int peer, long bytes, int trafficClass) {
    kind = Kind.GENERATE;
    timePs = atPs;
    this.peer = peer;
    this.bytes = bytes;
    service = MessageLabel.of(trafficClass, MessageLabel.SAME_CLASS, 0);
  }

  /**
   * Raises a signal of this rank by one.
   *
   * @param signal number of the signal, at least 0; small numbers, they index an array
   */
  public void signal(int signal) {
    kind = Kind.SIGNAL;
    tag = signal;
  }

  /**
   * Waits until a signal of this rank has been raised {@code count} times in all.
   *
   * @param signal number of the signal
   * @param count total number of times that it must have been raised since the start
   */
  public void await(int signal, long count) {
    kind = Kind.AWAIT;
    tag = signal;
    bytes = count;
  }

  /**
   * Takes part in a collective. The calls of a group's members match in the order in which each member makes them, so a
   * rank issues all collectives of one group in the same stream.
   *
   * @param group number of the group among {@link dev.heddle.spi.WorkloadPlan#groups}
   * @param op the operation; not {@link CollectiveOp#ALL_TO_ALL_V}, see {@link #allToAllV}
   * @param bytes of the largest buffer of any rank, at least 0
   * @param root rank within the group, or 0
   */
  public void collective(int group, CollectiveOp op, long bytes, int root) {
    kind = Kind.COLLECTIVE;
    tag = group;
    collectiveOp = op;
    this.bytes = bytes;
    peer = root;
    service = 0;
  }

  /**
   * Takes part in an all_to_all with a size per pair.
   *
   * @param group number of the group among {@link dev.heddle.spi.WorkloadPlan#groups}
   * @param number of the sizes among {@link dev.heddle.spi.WorkloadPlan#allToAllVSizes}
   * @param bytes of the largest buffer of any rank
   */
  public void allToAllV(int group, int number, long bytes) {
    collective(group, CollectiveOp.ALL_TO_ALL_V, bytes, number);
  }

  /**
   * Sets the activity that the time until the stream continues counts towards; called before or after the operation
   * itself. It applies until another is set.
   *
   * @param number position among {@link dev.heddle.spi.WorkloadPlan#activities}
   */
  public void activity(int number) {
    activity = number;
  }

  /**
   * Sets the pass that the operation belongs to, where the workload has passes. It applies until another is set.
   *
   * @param number as {@link dev.heddle.spi.WorkloadPlan#pass} defines it, at least 0; or {@link #NO_PASS}
   */
  public void pass(int number) {
    pass = number;
  }

  /** The pass that the operation belongs to; {@link #NO_PASS} for none. */
  public int pass() {
    return pass;
  }

  /** The activity of the workload that the time counts towards. */
  public int activity() {
    return activity;
  }

  /** The kind of the operation. */
  public Kind kind() {
    return kind;
  }

  /** The collective's operation. */
  public CollectiveOp collectiveOp() {
    return collectiveOp;
  }

  /** The other rank, the root of the collective, or the number of its sizes where pairs differ. */
  public int peer() {
    return peer;
  }

  /** The message's tag, or the number of the signal, of the group or of the shared resource. */
  public int tag() {
    return tag;
  }

  /** The message's traffic class within a node. */
  public int trafficClass() {
    return MessageLabel.trafficClass(service);
  }

  /** The treatment of the message by networks ({@link MessageLabel}). */
  public int label() {
    return service;
  }

  /** The message's payload or the collective's size in bytes, or the value awaited. */
  public long bytes() {
    return bytes;
  }

  /** The duration, the absolute time of generation, or the delay of a message, in picoseconds. */
  public long timePs() {
    return timePs;
  }

  /** The time to the departure of the program's next delayed message, in picoseconds. */
  public long turnPs() {
    return turnPs;
  }
}
