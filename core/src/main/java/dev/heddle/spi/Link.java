package dev.heddle.spi;

import dev.heddle.units.DataRate;
import java.util.List;
import java.util.Locale;

/**
 * One direction of a wire: the time for which a payload occupies it, the latency, and the receiver's buffers.
 *
 * <p>Payload travels in <em>bursts</em>: one packet, or several packets of one message that follow each other without a
 * gap. A traffic class distinguishes the protocol's classes (PCIe: 0 posted writes, 1 read requests, 2 read
 * completions); a link without classes treats all the same.
 *
 * <ul>
 *   <li>LINK-1: all methods MUST be pure functions of their arguments, thread-safe, and without effect.
 *   <li>LINK-2: {@link #wirePs} MUST be monotone in the payload, positive for every payload from 0, and never less than
 *       {@link #rate()} allows for the payload alone.
 *   <li>LINK-3: {@link #wireBytes} MUST be at least the payload and monotone; {@code wirePs} MUST NOT be less than
 *       {@code rate().wirePs(wireBytes)} by 1 ps or more.
 *   <li>LINK-4: a payload up to {@link #maxPayloadBytes()} is one packet; {@link #packets} MUST be the number of
 *       packets that carry the payload, and at least 1.
 *   <li>LINK-5: {@link #headPs} MUST be positive, at most {@code wirePs}, and the same for every payload that needs
 *       more than one packet.
 *   <li>LINK-6: {@link #latencyPs()} MUST be at least 0 and constant.
 *   <li>LINK-7: {@link #credits()} MUST have one entry per virtual channel, at least one.
 *   <li>LINK-8: {@link #ackPs} MUST be at least 0; it is 0 where acknowledgements are counted in {@code wirePs}.
 *   <li>LINK-9: methods MUST accept payloads of 0 to 2^30 bytes and traffic classes of 0 to 7, and MUST throw {@link
 *       IllegalArgumentException} for a negative payload.
 *   <li>LINK-10: {@link #medium()} MUST be constant.
 *   <li>LINK-11: {@link #memoryTransfers} MUST be at least 0, and 1 for traffic class 0.
 *   <li>LINK-12: {@link #loss()} MUST be constant, from 0 to 1.
 *   <li>LINK-13: {@link #gids()} MUST be constant.
 *   <li>LINK-14: {@link #halfDuplex()} MUST be constant and the same in both directions; where it is true, {@code
 *       ackPs} MUST be {@code wirePs}.
 * </ul>
 */
public interface Link {
  /** The data rate after line encoding, before packet overheads. */
  DataRate rate();

  /** The time from the first bit leaving the sender to its arrival at the receiver, in picoseconds. */
  long latencyPs();

  /** The largest payload of one packet in bytes (PCIe: MPS; InfiniBand: MTU). */
  int maxPayloadBytes();

  /**
   * The time for which a burst occupies this direction, in picoseconds, with all packet overheads.
   *
   * @param payloadBytes payload of the whole burst
   * @param trafficClass 0 to 7
   */
  long wirePs(int payloadBytes, int trafficClass);

  /** The bytes of a burst on the wire, overheads included. */
  long wireBytes(int payloadBytes, int trafficClass);

  /**
   * The time after which a store-and-forward receiver has the burst's first packet whole, in picoseconds: the wire time
   * of that packet alone.
   */
  long headPs(int payloadBytes, int trafficClass);

  /** The time for which the acknowledgements of a burst occupy the opposite direction, in picoseconds. */
  long ackPs(int payloadBytes, int trafficClass);

  /**
   * The number of times that a payload of a class crosses the wire: once, except for the bus of a memory, where the
   * class is a kind of access ({@link dev.heddle.collective.MemoryAccess}). Networks multiply wire time,
   * acknowledgements and payload by it.
   *
   * @param trafficClass 0 to 7
   */
  default int memoryTransfers(int trafficClass) {
    return 1;
  }

  /**
   * Whether both directions share one wire, as reads and writes share a memory's bus: traffic in one direction occupies
   * the other as well. At packet fidelity, directions that both have traffic alternate.
   */
  default boolean halfDuplex() {
    return false;
  }

  /** The number of packets of a burst. */
  default int packets(int payloadBytes) {
    if (payloadBytes < 0) {
      throw new IllegalArgumentException("payload must be at least 0 bytes: " + payloadBytes);
    }
    return Math.max(1, (payloadBytes + maxPayloadBytes() - 1) / maxPayloadBytes());
  }

  /**
   * The share of packets that do not arrive whole, independently of each other: 0 for a link with link-level
   * retransmission, whose ends acknowledge to each other.
   */
  default double loss() {
    return 0;
  }

  /**
   * The addresses that a NIC at its end may send by, by index; none where there is no choice. The headers that a link
   * counts for a packet are those of RoCE 2 with IPv4.
   */
  default List<Gid> gids() {
    return List.of();
  }

  /**
   * The network that the link belongs to, by the name under which libraries keep its times, such as {@code infiniband},
   * {@code roce}, {@code efa} or {@code slingshot}; empty where it is not said.
   */
  default String network() {
    return "";
  }

  /** The kind of wire. */
  default Medium medium() {
    return Medium.NETWORK;
  }

  /** The receiver's buffer, per virtual channel. */
  List<Credits> credits();

  /**
   * A global identifier by which a NIC on converged Ethernet sends: the version of RoCE, and the family of its address.
   * Version 1 has a global route header of 40 bytes [InfiniBand Trade Association, annex A16]; version 2 has headers of
   * IP, 20 or 40 bytes, and of UDP, 8 bytes, whose source port distinguishes queue pairs [annex A17].
   */
  enum Gid {
    /** RoCE version 1, an IPv6 address. */
    V1_IPV6(1, true, 40),
    /** RoCE version 2, an IPv6 address. */
    V2_IPV6(2, true, 48),
    /** RoCE version 1, an IPv4 address. */
    V1_IPV4(1, false, 40),
    /** RoCE version 2, an IPv4 address. */
    V2_IPV4(2, false, 28);

    private final int version;
    private final boolean longAddress;
    private final int headerBytes;

    Gid(int version, boolean longAddress, int headerBytes) {
      this.version = version;
      this.longAddress = longAddress;
      this.headerBytes = headerBytes;
    }

    /** The name in scenarios, such as {@code v2-ipv4}. */
    public String key() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The version of RoCE, 1 or 2. */
    public int version() {
      return version;
    }

    /** Whether the address is one of IPv6. */
    public boolean longAddress() {
      return longAddress;
    }

    /**
     * The size of a packet's headers between those of Ethernet and of the transport, beyond the smallest of all
     * versions.
     */
    public int extraBytes() {
      return headerBytes - V2_IPV4.headerBytes;
    }

    /** Whether switches that choose paths by hash distinguish queue pairs of the same two NICs. */
    public boolean spreads() {
      return version == 2;
    }
  }
}
