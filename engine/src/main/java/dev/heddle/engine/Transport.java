package dev.heddle.engine;

/** The injection of messages into a network, as a {@link ProgramRunner} uses it. */
public interface Transport {
  /** Whether a rank's injection queue takes another message now. */
  boolean hasRoom(int rank);

  /**
   * Takes a message into a rank's injection queue, now. There must be room, but for a message that lags: it has left
   * its stream before.
   *
   * @param tag at least 0 for a message that the peer receives, -1 for a one-sided one
   * @param service its label ({@link dev.heddle.collective.MessageLabel})
   */
  void submit(int rank, int peer, long bytes, int tag, int service);

  /** Counts a one-sided message that found the injection queue full. */
  void refuse(int rank, int peer, long bytes);
}
