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
  private final Optional<LiveFile> live;

  SimulationRunner(Ticker ticker) {
    this(ticker, Optional.empty());
  }

  /**
   * A runner.
   *
   * @param ticker of wall-clock time
   * @param live file that shows figures of a running simulation
   */
  SimulationRunner(Ticker ticker, Optional<LiveFile> live) {
    this.ticker = ticker;
    this.live = live;
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
    Results results = live.map(file -> observed(simulation, file)).orElseGet(simulation::run);
    RunInfo run = results.run();
    RunInfo noted = new RunInfo(
        run.scenario(), Version.text(), run.fidelity(), run.seed(), run.simulatedPs(), run.events(), run.packetHops(),
        run.fingerprint(), ticker.read() - start);
    return results.with(noted);
  }

  private static Results observed(Simulation simulation, LiveFile file) {
    LiveRecorder recorder = new LiveRecorder(simulation, file);
    recorder.write();
    Results results = simulation.run(recorder, recorder);
    recorder.write();
    return results;
  }
}
