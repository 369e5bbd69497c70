package dev.heddle.collectives.nccl.timing;

/**
 * The channels of send and receive.
 *
 * @param message channels that one message is cut over, at least 1
 * @param all channels that there are, at least {@code message}
 * @param lines whether data travel with LL, not Simple
 * @param rails GPUs of a rank's node, at least 1, by whose ports its messages leave, where no other rank sends
 * @param apart whether a rank's own block is copied besides, not as one message more
 * @param chunk bytes of a channel that go to another node at a time, at least 1
 * @param held chunks that one buffer of a connection to another node holds; 0 for any number
 */
public record PairChannels(int message, int all, boolean lines, int rails, boolean apart, long chunk, int held) {
  /** Where messages leave by the rank's own port, or all ranks' by all, byte by byte. */
  public PairChannels(int message, int all, boolean lines) {
    this(message, all, lines, 1, true, 1, 0);
  }

  /**
   * Checks the numbers.
   *
   * @throws IllegalArgumentException when a message has no channel, or more than there are, or no rail, or nothing goes at a
   *     time, or less than nothing is held
   */
  public PairChannels {
    if (message < 1 || all < message || rails < 1 || chunk < 1 || held < 0) {
      throw new IllegalArgumentException(message + " of " + all + " channels carry no message by " + rails + " rails, "
          + chunk + " bytes at a time, " + held + " times");
    }
  }
}
