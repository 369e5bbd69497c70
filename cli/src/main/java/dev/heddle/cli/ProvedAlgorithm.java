package dev.heddle.cli;

import dev.heddle.collective.Pipeline;
import dev.heddle.collective.Schedule;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectiveCost;
import dev.heddle.spi.CollectiveRequest;
import dev.heddle.spi.Retransmission;
import java.util.List;
import java.util.OptionalLong;

/**
 * A collective algorithm whose schedules are proved before anything is derived from them, at every fidelity.
 *
 * @param algorithm that plans
 * @param proofs of its schedules
 */
record ProvedAlgorithm(CollectiveAlgorithm algorithm, ScheduleProofs proofs) implements CollectiveAlgorithm {
  @Override
  public Schedule plan(CollectiveRequest request) {
    Schedule schedule = algorithm.plan(request);
    proofs.require(schedule, algorithm.window());
    return schedule;
  }

  @Override
  public CollectiveCost cost(CollectiveRequest request) {
    prove(request);
    return algorithm.cost(request);
  }

  @Override
  public List<Pipeline> pipelines(CollectiveRequest request) {
    prove(request);
    return algorithm.pipelines(request);
  }

  @Override
  public OptionalLong uncontendedTimePs(CollectiveRequest request) {
    return algorithm.uncontendedTimePs(request);
  }

  @Override
  public long roundPs() {
    return algorithm.roundPs();
  }

  @Override
  public Retransmission retransmission() {
    return algorithm.retransmission();
  }

  @Override
  public int window() {
    return algorithm.window();
  }

  // Planning is lazy: without a proof, it plans no rank.
  private void prove(CollectiveRequest request) {
    proofs.require(algorithm.plan(request), algorithm.window());
  }
}
