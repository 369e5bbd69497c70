package dev.heddle.collectives.nccl.schedule;

/** In which order a rank exchanges with its peers, and over which channels. */
public interface Peers {
  /** The number of rounds; in each a rank sends to one rank and receives from one, perhaps itself. */
  int rounds();

  /** Where a rank sends to in a round. */
  int target(int rank, int round);

  /** Where a rank receives from in a round. */
  int source(int rank, int round);

  /** Into how many parts a message is cut, each over a channel of its own; at least 1. */
  int parts();

  /** The channel of a part of the messages of a round. */
  int channel(int round, int part);

  /** How many peers share a channel at the same time; those of later rounds wait for them. */
  int concurrentPeers();

  /** The number of channels. */
  int channels();

  /** The rank of the sender's node that passes a message on to its receiver (PXN); the sender itself where none does. */
  int relay(int rank, int peer);

  /** Whether a rank's own block is copied besides, not as one message more. */
  boolean selfCopySeparate();

  /** The ranks of a rank's node in the order of their places, itself among them: it may pass on for the others. */
  int[] neighbours(int rank);

  /** The most ranks of a node. */
  int localRanks();
}
