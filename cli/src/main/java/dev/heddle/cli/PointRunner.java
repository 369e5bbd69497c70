package dev.heddle.cli;

import dev.heddle.results.Results;
import dev.heddle.scenario.Scenario;

/** Runs one bound scenario. */
interface PointRunner {
  /**
   * Runs the scenario.
   *
   * @throws dev.heddle.sim.SimulationException when it cannot be carried out
   */
  Results run(Scenario scenario);
}
