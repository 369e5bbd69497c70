package dev.heddle.collectives.nccl.timing;

/**
 * The channels of send and receive.
 *
 * @param message channels that one message is cut over, at least 1
 * @param all channels that there are, at least {@code message}
 * @param lines whether data travel with LL, not Simple
 */
public record PairChannels(int message, int all, boolean lines) {
  /**
   * Checks the numbers.
   *
   * @throws IllegalArgumentException when a message has no channel, or more than there are
   */
  public PairChannels {
    if (message < 1 || all < message) {
      throw new IllegalArgumentException(message + " of " + all + " channels carry no message");
    }
  }
}
