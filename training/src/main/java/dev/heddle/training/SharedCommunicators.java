package dev.heddle.training;

import dev.heddle.collective.Group;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.Communicator;
import dev.heddle.spi.Retransmission;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * An algorithm whose communicators several simulations share: a job's groups are timed with one operation of one size
 * after another. Plans are pure functions of cluster, group and collective (COLLECTIVE-1), so that times are those of
 * communicators of their own. Any number of threads may use it.
 */
final class SharedCommunicators implements CollectiveAlgorithm {
  private final CollectiveAlgorithm algorithm;
  private final ConcurrentMap<Members, Communicator> known = new ConcurrentHashMap<>();

  private record Members(Cluster cluster, Group group) {}

  SharedCommunicators(CollectiveAlgorithm algorithm) {
    this.algorithm = algorithm;
  }

  @Override
  public Communicator communicator(Cluster cluster, Group group) {
    return known.computeIfAbsent(new Members(cluster, group), members -> algorithm.communicator(cluster, group));
  }

  @Override
  public Retransmission retransmission() {
    return algorithm.retransmission();
  }
}
