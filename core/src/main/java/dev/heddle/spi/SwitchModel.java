package dev.heddle.spi;

/**
 * A {@link Switch} as a value, for providers that need no more.
 *
 * @param latencyPs time from a burst's eligibility to its earliest departure, in picoseconds, at least 0
 * @param switching condition for a burst's eligibility
 * @param buffering queues in which bursts wait
 * @param arbitration order of requests
 * @param inputBufferBytes buffer of each input and virtual channel; 0: as given by the incoming link's credits
 * @param outputBufferBytes buffer of each output and virtual channel; 0: unlimited
 */
public record SwitchModel(
    long latencyPs, Switching switching, Buffering buffering, Arbitration arbitration, int inputBufferBytes,
    int outputBufferBytes) implements Switch {
  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException when the latency or a buffer is negative
   */
  public SwitchModel {
    if (latencyPs < 0 || inputBufferBytes < 0 || outputBufferBytes < 0) {
      throw new IllegalArgumentException(
          "a switch needs a latency and buffers of at least 0: " + latencyPs + " ps, " + inputBufferBytes + " B, "
              + outputBufferBytes + " B");
    }
  }
}
