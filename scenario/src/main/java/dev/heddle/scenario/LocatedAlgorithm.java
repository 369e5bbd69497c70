package dev.heddle.scenario;

import dev.heddle.collective.Pipeline;
import dev.heddle.collective.Schedule;
import dev.heddle.scenario.Node.Mapping;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectiveCost;
import dev.heddle.spi.CollectiveRequest;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Retransmission;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * A collective algorithm that knows where the scenario asked for it, so that what it cannot serve is reported there.
 *
 * @param algorithm as its provider made it
 * @param path of its mapping
 * @param mapping that asks for it, or the one that lacks it where it is the default
 */
record LocatedAlgorithm(CollectiveAlgorithm algorithm, String path, Mapping mapping) implements CollectiveAlgorithm {
  @Override
  public Schedule plan(CollectiveRequest request) {
    return located(() -> algorithm.plan(request));
  }

  @Override
  public CollectiveCost cost(CollectiveRequest request) {
    return located(() -> algorithm.cost(request));
  }

  @Override
  public List<Pipeline> pipelines(CollectiveRequest request) {
    return located(() -> algorithm.pipelines(request));
  }

  @Override
  public OptionalLong uncontendedTimePs(CollectiveRequest request) {
    return located(() -> algorithm.uncontendedTimePs(request));
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

  private <T> T located(Supplier<T> asked) {
    try {
      return asked.get();
    } catch (InvalidSettingException e) {
      throw new ScenarioException(List.of(Binder.invalid(e, mapping, path)));
    }
  }
}
