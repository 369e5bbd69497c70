package dev.heddle.spi;

/**
 * How reliable connections send again what a link has lost. A receiver that sees a later packet of the connection asks for
 * the missing one at once; where none follows, or what was sent again is lost too, the sender waits out a time. Networks
 * ask for it only where links lose packets.
 *
 * @param timeoutPs what a sender waits for an acknowledgement, in picoseconds, at least 0
 * @param retries how often one packet is sent again before the connection fails, 0 to {@value #MOST_RETRIES}
 */
public record Retransmission(long timeoutPs, int retries) {
  /** The most retries. */
  public static final int MOST_RETRIES = 62;

  // 4.096 us [InfiniBand Architecture Specification vol. 1 §9.7.6.1.3].
  private static final long UNIT_PS = 4_096_000;

  /** What perftest asks for: 67 ms, seven times. */
  public static final Retransmission STANDARD = verbs(14, 7);

  /** Checks the ranges. */
  public Retransmission {
    if (timeoutPs < 0 || retries < 0 || retries > MOST_RETRIES) {
      throw new IllegalArgumentException(
          "no connection sends again after " + timeoutPs + " ps, up to " + retries + " times");
    }
  }

  /**
   * What InfiniBand and converged Ethernet have.
   *
   * @param exponent 0 to 31: the time is 4.096 us times two to this power
   * @param retries 0 to 7
   */
  public static Retransmission verbs(int exponent, int retries) {
    return new Retransmission(UNIT_PS << exponent, retries);
  }
}
