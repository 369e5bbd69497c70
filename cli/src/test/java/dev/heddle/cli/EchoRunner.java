package dev.heddle.cli;

import dev.heddle.results.Results;
import dev.heddle.results.Results.Metric;
import dev.heddle.results.Results.RunInfo;
import dev.heddle.scenario.Scenario;
import java.util.List;

/** A replacement of the simulation that reports values of the scenario at once. */
final class EchoRunner implements PointRunner {
  @Override
  public Results run(Scenario scenario) {
    return results(scenario);
  }

  static Results results(Scenario scenario) {
    double value = scenario.workload() instanceof IdleWorkloadProvider.Idle idle ? idle.settings().variant() / 3.0 : 0;
    return new Results(
        new RunInfo(scenario.name(), "test", "packet", scenario.seed(), 1, 2, 3, 4, 0),
        List.of(
            new Metric("value", "value", "1", value),
            new Metric("links", "links", "1", scenario.fabric().links()),
            new Metric("latency", "latency", "ns", scenario.fabric().injectionLink(0).latencyPs() * 1e-3)),
        List.of(), List.of(), List.of());
  }
}
