package dev.heddle.collectives.nccl.schedule;

/** The rings of a communicator: one for each channel, through all ranks. */
public interface Rings {
  /** The number of rings. */
  int channels();

  /** The number of ranks. */
  int ranks();

  /** The position of a rank on a channel's ring, from 0. */
  int position(int channel, int rank);

  /**
   * The rank at a position of a channel's ring.
   *
   * @param position from 0 to the number of ranks less 1
   */
  int rank(int channel, int position);

  /** The rank at a distance behind another rank on a channel's ring; ahead for a negative distance. */
  default int behind(int channel, int rank, int distance) {
    return rank(channel, Math.floorMod(position(channel, rank) - distance, ranks()));
  }

  /** The rank through whose memory and NIC a rank sends to the next one on a channel; the rank itself by default. */
  default int relay(int channel, int rank) {
    return rank;
  }
}
