package dev.heddle.spi;

/**
 * The signals of one acknowledgement, as a connection's sender reads them. The network reuses one object for all
 * acknowledgements: a {@link CongestionControl} must not keep it. Bytes are bytes on the wire.
 */
public interface Acknowledgement {
  /** Current time in picoseconds. */
  long nowPs();

  /** Round-trip time of the acknowledged packet in picoseconds; -1 where the packet was sent more than once. */
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
