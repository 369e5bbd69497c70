package dev.heddle.collectives.nccl.algorithm;

import dev.heddle.collectives.nccl.p2p.PeerOrder;

/** Messages between pairs that all go at once, on channels in turn and without relays. */
final class DirectPeers extends OrderedPeers {
  // A channel for each peer of smaller groups, within the limit of a schedule.
  private static final int MOST_CHANNELS = 256;

  DirectPeers(PeerOrder order) {
    super(order);
  }

  @Override
  public int parts() {
    return 1;
  }

  @Override
  public int channel(int round, int part) {
    return round % channels();
  }

  @Override
  public int concurrentPeers() {
    return rounds();
  }

  @Override
  public int channels() {
    return Math.min(rounds(), MOST_CHANNELS);
  }

  @Override
  public int relay(int rank, int peer) {
    return rank;
  }

  @Override
  public boolean selfCopySeparate() {
    return true;
  }

  @Override
  public int[] neighbours(int rank) {
    return new int[] {rank};
  }

  @Override
  public int localRanks() {
    return 1;
  }
}
