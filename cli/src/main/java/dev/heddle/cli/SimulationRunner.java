package dev.heddle.cli;

import com.google.common.base.Ticker;
import dev.heddle.results.Results;
import dev.heddle.results.Results.RunInfo;
import dev.heddle.scenario.Scenario;
import dev.heddle.sim.MetricKeys;
import dev.heddle.sim.Simulation;
import java.util.Optional;

/** Runs simulations, and adds wall-clock time and version to their results. */
final class SimulationRunner implements PointRunner {
  private final Ticker ticker;

  SimulationRunner(Ticker ticker) {
    this.ticker = ticker;
  }

  @Override
  public Results run(Scenario scenario) {
    return run(scenario.simulation());
  }

  @Override
  public Optional<MetricKeys> metrics(Scenario scenario) {
    return Optional.of(scenario.simulation().metricKeys());
  }

  Results run(Simulation simulation) {
    long start = ticker.read();
    Results results = simulation.run();
    RunInfo run = results.run();
    RunInfo noted = new RunInfo(
        run.scenario(), Version.text(), run.fidelity(), run.seed(), run.simulatedPs(), run.events(), run.packetHops(),
        run.fingerprint(), ticker.read() - start);
    return results.with(noted);
  }
}
