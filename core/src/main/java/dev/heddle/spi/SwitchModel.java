package dev.heddle.spi;

/**
 * A {@link Switch} as a value, for providers that need no more.
 *
 * @param latencyPs time from a unit's eligibility to its earliest departure, in picoseconds, at least 0
 * @param switching when a unit is eligible
 * @param buffering where units wait
 * @param arbitration who goes first
 * @param inputBufferBytes buffer of each input and virtual channel; 0: as the incoming link's credits say
 * @param outputBufferBytes buffer of each output and virtual channel; 0: unlimited
 */
public record SwitchModel(
    long latencyPs,
    Switching switching,
    Buffering buffering,
    Arbitration arbitration,
    int inputBufferBytes,
    int outputBufferBytes)
    implements Switch {
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
