package dev.heddle.engine;

/**
 * Layout of an event in a {@code long}: kind, target, argument, highest bits first. Simultaneous events run in the
 * order of their kinds and, within a kind, of their targets: both come from the model, so the order is the same for
 * every division into partitions. Numbers 0, 6 and 7 stand for different events in networks of flows, of packets, and
 * of packets under a transport protocol.
 */
public final class Events {
  /** Credit has come back to a link that waited for it; target: link. */
  public static final int CREDIT = 0;

  /** Flows: controls of rates take their next step. */
  public static final int STEP = 0;

  /** A link's transmitter has become free; target: link. */
  public static final int FREE = 1;

  /** The next unit of an input queue shows itself; target: channel. */
  public static final int EXPOSE = 2;

  /** A unit is eligible at the device at which a link ends; target: link, argument: unit. */
  public static final int ARRIVE = 3;

  /** A unit has reached its destination whole; target: link, argument: unit. */
  public static final int DELIVER = 4;

  /** A stream's time has come; target: stream slot. */
  public static final int STREAM = 5;

  /** Flows: a flow's last byte may have left its source; target: flow, argument: version of its end. */
  public static final int FINISH = 6;

  /** Flows: a collective has ended; target: its number. */
  public static final int COLLECTIVE = 7;

  /** Packets: the sender of a unit may learn that a link has lost it; target: link, argument: unit. */
  public static final int LOST = 6;

  /** Packets: the wait of a lost unit ends; target: its place among those that wait. */
  public static final int TIMEOUT = 7;

  /** Transport protocols: pacing or a timer of a connection; target: connection, argument: one of the two below. */
  public static final int CONNECTION = 6;

  /** Argument of {@link #CONNECTION}: pacing lets the next packet go. */
  public static final int PACE = 0;

  /** Argument of {@link #CONNECTION}: a timer has expired. */
  public static final int TIMER = 1;

  /**
   * Transport protocols: control of a link or a receiver; target: link or terminal, argument: one of the three below.
   */
  public static final int CONTROL = 7;

  /** Argument of {@link #CONTROL}: priority flow control lets a virtual channel of a link go on. */
  public static final int RESUME = 0;

  /** Argument of {@link #CONTROL}: priority flow control pauses a virtual channel of a link. */
  public static final int PAUSE = 1;

  /** Argument of {@link #CONTROL}: a receiver may grant credit to its senders. */
  public static final int GRANT = 2;

  /** The most targets of one kind. */
  public static final int MAX_TARGETS = 1 << 28;

  private static final int CONTROL_BITS = 2;

  private Events() {}

  /** Argument of {@link #CONTROL} for a pause of a virtual channel, or its end. */
  public static int pause(int virtual, boolean on) {
    return virtual << CONTROL_BITS | (on ? PAUSE : RESUME);
  }

  /** The virtual channel of {@link #pause}. */
  public static int paused(int argument) {
    return argument >>> CONTROL_BITS;
  }

  /** Whether {@link #pause} begins one. */
  public static boolean pauses(int argument) {
    return (argument & (1 << CONTROL_BITS) - 1) == PAUSE;
  }

  /** Packs an event. */
  public static long pack(int kind, int target, int argument) {
    return (long) kind << 60 | (long) target << 32 | (argument & 0xFFFFFFFFL);
  }

  /** The kind of an event. */
  public static int kind(long event) {
    return (int) (event >>> 60);
  }

  /** The target of an event. */
  public static int target(long event) {
    return (int) (event >>> 32) & (MAX_TARGETS - 1);
  }

  /** The argument of an event. */
  public static int argument(long event) {
    return (int) event;
  }
}
