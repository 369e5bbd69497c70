package dev.heddle.spi;

/**
 * The state of congestion control of one connection, at its sender. It limits the bytes in flight by a window, the rate
 * by pacing, or both. The network calls it for every signal; bytes are bytes on the wire.
 *
 * <ul>
 * <li>CONGESTION-1: {@link #windowBytes()} MUST be at least 1, and {@link #rateBitsPerSecond()} at least 1; {@link
 * Long#MAX_VALUE} stands for no limit. A window below a packet lets single packets pass when nothing is in flight.
 * <li>CONGESTION-2: state MUST be a function of the calls and their arguments alone. One thread calls, in the order of
 * time.
 * <li>CONGESTION-3: no call may allocate, block or keep an {@link Acknowledgement}.
 * <li>CONGESTION-4: {@link #timerPs()} MUST be later than the time of the last call, or {@link Long#MAX_VALUE} for
 * none; the network calls {@link #onTimer} then, while the connection has something to send or in flight.
 * </ul>
 */
public interface CongestionControl {
  /** Bytes that may be in flight; {@link Long#MAX_VALUE} without a window. */
  default long windowBytes() {
    return Long.MAX_VALUE;
  }

  /** Rate at which packets leave, in bits per second; {@link Long#MAX_VALUE} without pacing. */
  default long rateBitsPerSecond() {
    return Long.MAX_VALUE;
  }

  /** A packet leaves the sender. */
  default void onSent(long nowPs, int bytes) {}

  /** An acknowledgement has arrived. */
  default void onAcknowledgement(Acknowledgement acknowledgement) {}

  /** A congestion notification packet of the receiver has arrived. */
  default void onNotification(long nowPs) {}

  /**
   * The header of a packet that a switch has trimmed came to the receiver, which says so.
   *
   * @param bytes of the packet
   * @param lastHop whether the switch next to the receiver trimmed it
   */
  default void onTrimmed(long nowPs, int bytes, boolean lastHop) {}

  /** Later packets, or a negative acknowledgement, tell the sender that packets of so many bytes are lost. */
  default void onLoss(long nowPs, long bytes) {}

  /** Packets of so many bytes have not been acknowledged in time. */
  default void onTimeout(long nowPs, long bytes) {}

  /** Time of the next timer in picoseconds; {@link Long#MAX_VALUE} for none. */
  default long timerPs() {
    return Long.MAX_VALUE;
  }

  /** The timer has expired. */
  default void onTimer(long nowPs) {}

  /**
   * The signals of one acknowledgement, as a connection's sender reads them. The network reuses one object for all
   * acknowledgements: a {@link CongestionControl} must not keep it. Bytes are bytes on the wire.
   */
  interface Acknowledgement {
    /** Current time in picoseconds. */
    long nowPs();

    /** Round-trip time of a packet in picoseconds; -1 where it is not known which of its transmissions arrived. */
    long roundTripPs();

    /** Bytes that are acknowledged for the first time; 0 for a duplicate. */
    long newBytes();

    /** Whether the acknowledged packet carries a congestion mark (ECN, FECN). */
    boolean marked();

    /** Bytes that were sent and are neither acknowledged nor known to be lost, after this acknowledgement. */
    long inFlightBytes();

    /** Number of the packet that caused the acknowledgement. */
    long packet();

    /** Number of the first packet that has not been sent yet. */
    long nextPacket();

    /** Number of links of which the packet carries telemetry; 0 without. */
    int hops();

    /**
     * Time at which the packet left a link's queue, in picoseconds.
     *
     * @param hop 0 for the link next to the sender
     */
    long hopTimePs(int hop);

    /** Bytes that a link had sent in all when the packet left its queue, the packet not included. */
    long hopSentBytes(int hop);

    /** Bytes in a link's queue after the packet had left it. */
    long hopQueueBytes(int hop);

    /** Rate of a link in bits per second. */
    long hopRate(int hop);
  }
}
