package dev.heddle.spi;

/**
 * What a collective costs along its longest chain of messages, in the terms of the α-β-γ model: time is
 * {@code rounds * α + bytes * β + reducedBytes * γ}.
 *
 * @param rounds messages that follow one another
 * @param bytes that follow one another over one link
 * @param reducedBytes that one rank adds one after the other
 */
public record CollectiveCost(long rounds, long bytes, long reducedBytes) {
  /** Checks that nothing is negative. */
  public CollectiveCost {
    if (rounds < 0 || bytes < 0 || reducedBytes < 0) {
      throw new IllegalArgumentException(
          "a cost is at least 0: " + rounds + " rounds, " + bytes + " B, " + reducedBytes + " B reduced");
    }
  }

  /**
   * The time.
   *
   * @param alpha seconds per message
   * @param beta seconds per byte sent
   * @param gamma seconds per byte added
   */
  public double seconds(double alpha, double beta, double gamma) {
    return rounds * alpha + bytes * beta + reducedBytes * gamma;
  }
}
