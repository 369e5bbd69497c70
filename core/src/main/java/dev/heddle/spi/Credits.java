package dev.heddle.spi;

/**
 * The buffer that a receiver advertises for one virtual channel, and its accounting.
 *
 * <p>A burst of {@code p} packets and {@code w} buffered bytes takes {@code p} headers and {@code w} rounded up to the
 * granule; both are returned when its last byte has left the buffer and the update has travelled back.
 *
 * @param bufferBytes buffer for data in bytes; {@link #UNLIMITED} for none worth modelling
 * @param headers buffer for packet headers, in packets; {@link #UNLIMITED} where headers need no credit of their own
 * @param granuleBytes size of one data credit (PCIe 16, InfiniBand 64), at least 1
 * @param wholePacket whether headers and trailers occupy the data buffer too (InfiniBand) or payload alone (PCIe)
 * @param returnPs time from a byte's departure from the buffer until the sender may use its credit, in picoseconds:
 * processing, the update's own wire time, and the latency of the return path
 */
public record Credits(int bufferBytes, int headers, int granuleBytes, boolean wholePacket, long returnPs) {
  /** More than any run takes. */
  public static final int UNLIMITED = Integer.MAX_VALUE;

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException when a buffer or the granule is below 1 or the return time is negative
   */
  public Credits {
    if (bufferBytes < 1 || headers < 1 || granuleBytes < 1 || returnPs < 0) {
      throw new IllegalArgumentException(
          "credits need a buffer, headers and a granule of at least 1 and a return time of at least 0: "
              + bufferBytes + ", " + headers + ", " + granuleBytes + ", " + returnPs);
    }
  }

  /** Credits that never run out. */
  public static Credits unlimited() {
    return new Credits(UNLIMITED, UNLIMITED, 1, false, 0);
  }

  /**
   * The bytes of buffer that a burst takes.
   *
   * @param payloadBytes payload of the burst
   * @param wireBytes bytes of the burst on the wire
   */
  public int taken(int payloadBytes, long wireBytes) {
    long bytes = wholePacket ? wireBytes : payloadBytes;
    return Math.toIntExact((bytes + granuleBytes - 1) / granuleBytes * granuleBytes);
  }
}
