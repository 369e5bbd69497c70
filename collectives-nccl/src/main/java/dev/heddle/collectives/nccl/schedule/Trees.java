package dev.heddle.collectives.nccl.schedule;

/** The trees of a communicator: one for each channel, over all ranks. */
public interface Trees {
  /** The number of trees. */
  int channels();

  /** The number of ranks. */
  int ranks();

  /** The parent of a rank in a channel's tree; -1 for the root. */
  int parent(int channel, int rank);

  /** The children of a rank in a channel's tree, at most three. */
  int[] children(int channel, int rank);
}
