package dev.heddle.cli;

import dev.heddle.results.Results;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.scenario.ScenarioFile;
import dev.heddle.sim.SimulationException;
import dev.heddle.spi.InvalidSettingException;
import java.util.Optional;

/**
 * A point of a sweep that was run.
 *
 * @param point that was run
 * @param results of the run; empty where it failed, or where they were left out
 * @param failure reason why it failed; empty where it did not
 */
record Attempt(ScenarioFile.Point point, Optional<Results> results, String failure) {
  private static final String OUT_OF_MEMORY = "out of memory, also alone; give the virtual machine more, as in"
      + " HEDDLE_JAVA_OPTS=-Xmx8g, or make the point smaller";

  /** Runs a point; the sweep continues after failures that the point itself causes. */
  static Attempt of(ScenarioFile.Point point, PointRunner runner) {
    try {
      return new Attempt(point, Optional.of(runner.run(point.scenario())), "");
    } catch (SimulationException | ScenarioException | InvalidSettingException e) {
      return new Attempt(point, Optional.empty(), String.valueOf(e.getMessage()));
    } catch (OutOfMemoryError e) {
      return new Attempt(point, Optional.empty(), OUT_OF_MEMORY);
    }
  }

  boolean failed() {
    return !failure.isEmpty();
  }

  /** The same without its results, which are large. */
  Attempt withoutResults() {
    return new Attempt(point, Optional.empty(), failure);
  }

  /** Whether the point ran out of memory, which it may not where fewer points run at once. */
  boolean outOfMemory() {
    return failure.equals(OUT_OF_MEMORY);
  }
}
