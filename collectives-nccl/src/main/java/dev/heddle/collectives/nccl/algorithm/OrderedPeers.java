package dev.heddle.collectives.nccl.algorithm;

import dev.heddle.collectives.nccl.p2p.PeerOrder;
import dev.heddle.collectives.nccl.schedule.Peers;

/** Messages between pairs in the order of NCCL, which RCCL has too. */
abstract class OrderedPeers implements Peers {
  private final PeerOrder order;

  OrderedPeers(PeerOrder order) {
    this.order = order;
  }

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
}
