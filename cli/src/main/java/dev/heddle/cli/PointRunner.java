package dev.heddle.cli;

import dev.heddle.results.Results;
import dev.heddle.scenario.Scenario;
import dev.heddle.sim.MetricKeys;
import java.util.Optional;

/** Runs one bound scenario. */
interface PointRunner {
  /**
   * Runs the scenario.
   *
   * @throws dev.heddle.sim.SimulationException when it cannot be carried out
   */
  Results run(Scenario scenario);

  /** The keys that the scenario's results can have; empty where they are not known before. */
  default Optional<MetricKeys> metrics(Scenario scenario) {
    return Optional.empty();
  }
}
