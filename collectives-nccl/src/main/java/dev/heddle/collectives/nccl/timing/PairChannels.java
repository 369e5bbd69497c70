package dev.heddle.collectives.nccl.timing;

/**
 * The channels of send and receive.
 *
 * @param message channels of one message, at least 1
 * @param all all channels, at least {@code message}
 * @param lines whether the protocol is LL instead of Simple
 * @param rails number of GPUs of a rank's node, at least 1, through which its messages leave when no other rank sends
 * @param selfCopySeparate whether a rank's own block is copied separately, not as an additional message
 * @param chunk bytes of a channel that go to another node at a time, at least 1
 * @param held chunks that one buffer of a connection to another node holds; 0 for unlimited
 */
public record PairChannels(int message, int all, boolean lines, int rails, boolean selfCopySeparate, long chunk,
    int held) {
  /** Channels without relays, with an unlimited number of chunks of one byte. */
  public PairChannels(int message, int all, boolean lines) {
    this(message, all, lines, 1, true, 1, 0);
  }

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException when a component is out of its range
   */
  public PairChannels {
    if (message < 1 || all < message || rails < 1 || chunk < 1 || held < 0) {
      throw new IllegalArgumentException(message + " of " + all + " channels carry no message by " + rails + " rails, "
          + chunk + " bytes at a time, " + held + " times");
    }
  }
}
