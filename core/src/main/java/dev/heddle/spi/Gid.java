package dev.heddle.spi;

import java.util.Locale;

/**
 * A global identifier by which a NIC on converged Ethernet sends: the version of RoCE, and the family of its address.
 * Version 1 has a global route header of 40 bytes [InfiniBand Trade Association, annex A16]; version 2 has headers of
 * IP, 20 or 40 bytes, and of UDP, 8 bytes, whose source port distinguishes queue pairs [annex A17].
 */
public enum Gid {
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
   * The size of a packet's headers between those of Ethernet and of the transport, beyond the smallest of all versions.
   */
  public int extraBytes() {
    return headerBytes - V2_IPV4.headerBytes;
  }

  /** Whether switches that choose paths by hash distinguish queue pairs of the same two NICs. */
  public boolean spreads() {
    return version == 2;
  }
}
