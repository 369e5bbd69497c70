package dev.heddle.spi;

/**
 * The idle network between the ends of a connection.
 *
 * @param rateBitsPerSecond of the slowest link
 * @param baseRttPs round-trip time of a full packet and its acknowledgement in an idle network, in picoseconds
 * @param packetBytes bytes of a full packet on the wire
 * @param payloadBytes payload of a full packet
 * @param controlBytes bytes of a control packet on the wire
 * @param hops links from sender to receiver
 */
public record ConnectionPath(
    long rateBitsPerSecond, long baseRttPs, int packetBytes, int payloadBytes, int controlBytes, int hops) {
  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException when a component is below 1
   */
  public ConnectionPath {
    if (rateBitsPerSecond < 1 || baseRttPs < 1 || packetBytes < 1 || payloadBytes < 1 || controlBytes < 1 || hops < 1) {
      throw new IllegalArgumentException("a path needs a rate, a round-trip time, packets and hops of at least 1");
    }
  }

  /** Bandwidth-delay product in bytes: the bytes that fill the path. */
  public long bandwidthDelayBytes() {
    return Math.max(1, Math.round(rateBitsPerSecond / 8e12 * baseRttPs));
  }
}
