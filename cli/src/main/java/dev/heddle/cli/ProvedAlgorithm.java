package dev.heddle.cli;

import dev.heddle.collective.Group;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectivePlan;
import dev.heddle.spi.Communicator;
import dev.heddle.spi.Retransmission;

/**
 * A collective algorithm whose schedules are proved before any fidelity executes them.
 *
 * @param algorithm planner of the schedules
 * @param proofs of its schedules
 */
record ProvedAlgorithm(CollectiveAlgorithm algorithm, ScheduleProofs proofs) implements CollectiveAlgorithm {
  @Override
  public Communicator communicator(Cluster cluster, Group group) {
    Communicator communicator = algorithm.communicator(cluster, group);
    return collective -> {
      CollectivePlan plan = communicator.plan(collective);
      proofs.require(plan.schedule());
      return plan;
    };
  }

  @Override
  public Retransmission retransmission() {
    return algorithm.retransmission();
  }
}
