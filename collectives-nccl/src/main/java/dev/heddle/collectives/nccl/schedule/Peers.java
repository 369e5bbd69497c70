package dev.heddle.collectives.nccl.schedule;

/** The order in which ranks exchange messages with their peers, and the channels of these messages. */
public interface Peers {
  /** The number of rounds; in each a rank sends to one rank and receives from one, perhaps itself. */
  int rounds();

  /** The rank to which a rank sends in a round. */
  int target(int rank, int round);

  /** The rank from which a rank receives in a round. */
  int source(int rank, int round);

  /** The number of parts of a message, each on its own channel; at least 1. */
  int parts();

  /** The channel of a part of a message of a round. */
  int channel(int round, int part);

  /** The number of peers that share a channel concurrently; peers of later rounds wait for them. */
  int concurrentPeers();

  /** The number of channels. */
  int channels();

  /** The rank of the sender's node that relays a message to its receiver (PXN); the sender itself without a relay. */
  int relay(int rank, int peer);

  /** Whether a rank copies its own block separately, not as an additional message. */
  boolean selfCopySeparate();

  /**
   * The ranks of a rank's node, itself included, in the order of their places; it may relay messages for the others.
   */
  int[] neighbours(int rank);

  /** The largest number of ranks of a node. */
  int localRanks();
}
