package dev.heddle.collectives.nccl.algorithm;

import dev.heddle.collectives.nccl.p2p.PeerOrder;
import dev.heddle.collectives.nccl.schedule.Peers;

/**
 * Messages between pairs in the order of NCCL, which RCCL has too, on channels in turn and without relays.
 *
 * @param order of the messages of each rank
 */
record DirectPeers(PeerOrder order) implements Peers {
  private static final int MOST_CHANNELS = 256;

  @Override
  public int rounds() {
    return order.rounds();
  }

  @Override
  public int target(int rank, int round) {
    return order.sendsTo(rank, round);
  }

  @Override
  public int source(int rank, int round) {
    return order.receivesFrom(rank, round);
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
