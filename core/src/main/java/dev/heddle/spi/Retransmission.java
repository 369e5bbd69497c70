package dev.heddle.spi;

/**
 * The end-to-end retransmission of reliable connections. A receiver that sees a later packet of the connection requests
 * the missing one at once; where none follows, or the retransmission is lost too, the sender waits for a timeout.
 * Networks use it only where links lose packets.
 *
 * @param timeoutPs time for which a sender waits for an acknowledgement, in picoseconds, at least 0
 * @param retries retransmissions of one packet before the connection fails, 0 to {@value #MOST_RETRIES}
 */
public record Retransmission(long timeoutPs, int retries) {
  /** The most retries. */
  public static final int MOST_RETRIES = 62;

  // 4.096 us [InfiniBand Architecture Specification vol. 1 §9.7.6.1.3].
  private static final long UNIT_PS = 4_096_000;

  /** The default of perftest: 67 ms, seven times. */
  public static final Retransmission STANDARD = verbs(14, 7);

  /** Checks the ranges. */
  public Retransmission {
    if (timeoutPs < 0 || retries < 0 || retries > MOST_RETRIES) {
      throw new IllegalArgumentException(
          "no connection sends again after " + timeoutPs + " ps, up to " + retries + " times");
    }
  }

  /**
   * Retransmission of InfiniBand and converged Ethernet.
   *
   * @param exponent 0 to 31: the time is 4.096 us times two to this power
   * @param retries 0 to 7
   */
  public static Retransmission verbs(int exponent, int retries) {
    return new Retransmission(UNIT_PS << exponent, retries);
  }
}
