package dev.heddle.scenario;

import dev.heddle.collective.Group;
import dev.heddle.scenario.Node.Mapping;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectivePlan;
import dev.heddle.spi.Communicator;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Retransmission;
import java.util.List;
import java.util.function.Supplier;

/**
 * A collective algorithm with its position in the scenario, at which calls that it cannot serve are reported.
 *
 * @param algorithm as its provider made it
 * @param path of its mapping
 * @param mapping that asks for it, or the one that lacks it where it is the default
 */
record LocatedAlgorithm(CollectiveAlgorithm algorithm, String path, Mapping mapping) implements CollectiveAlgorithm {
  @Override
  public Communicator communicator(Cluster cluster, Group group) {
    Communicator communicator = located(() -> algorithm.communicator(cluster, group));
    return collective -> located(() -> {
      CollectivePlan plan = communicator.plan(collective);
      return CollectivePlan.of(plan.schedule()).withPipelines(() -> located(plan::pipelines));
    });
  }

  @Override
  public Retransmission retransmission() {
    return algorithm.retransmission();
  }

  private <T> T located(Supplier<T> asked) {
    try {
      return asked.get();
    } catch (InvalidSettingException e) {
      throw new ScenarioException(List.of(Binder.invalid(e, mapping, path)));
    }
  }
}
