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

  /**
   * The sender concludes from later packets, or from a negative acknowledgement, that packets of so many bytes are
   * lost.
   */
  default void onLoss(long nowPs, long bytes) {}

  /** Packets of so many bytes have not been acknowledged in time. */
  default void onTimeout(long nowPs, long bytes) {}

  /** Time of the next timer in picoseconds; {@link Long#MAX_VALUE} for none. */
  default long timerPs() {
    return Long.MAX_VALUE;
  }

  /** The timer has expired. */
  default void onTimer(long nowPs) {}
}
