package dev.heddle.cli;

import dev.heddle.collective.Group;
import dev.heddle.report.ReportKeys;
import dev.heddle.scenario.Problem;
import dev.heddle.scenario.Scenario;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.scenario.ScenarioFile;
import dev.heddle.sim.MetricKeys;
import dev.heddle.sim.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Checks of a scenario before its run: proofs of schedules, keys of metrics, collectives that move nothing. */
final class RunChecks {
  private @Nullable ScheduleProofs proofs;

  @Option(
      names = "--no-verify",
      description = "Do not prove the schedules of collectives before they run.")
  private boolean unproved;

  /** The options as arguments of another process. */
  List<String> arguments() {
    return unproved ? List.of("--no-verify") : List.of();
  }

  /**
   * The scenario with collectives that are proved when they are planned; proofs are shared by all points of a sweep.
   */
  Scenario checked(Scenario scenario, Console console, boolean quiet) {
    if (unproved) {
      return scenario;
    }
    return scenario.with(new ProvedAlgorithm(scenario.collectives(), proofs(console, quiet)));
  }

  private synchronized ScheduleProofs proofs(Console console, boolean quiet) {
    ScheduleProofs known = proofs;
    if (known == null) {
      known = new ScheduleProofs(text -> {
        if (!quiet) {
          console.message("heddle: warning: " + text);
        }
      });
      proofs = known;
    }
    return known;
  }

  /**
   * Checks that plots and rankings name metrics that some point has.
   *
   * @param place makes a problem of a key and a message, at the key's place in the scenario
   * @throws ScenarioException with every key that no point can have
   */
  static void requireMetrics(ScenarioFile file, PointRunner runner, BiFunction<String, String, Problem> place) {
    List<String> missing = ReportKeys.named(file.plots(), file.rankings());
    Optional<MetricKeys> keys = Optional.empty();
    for (ScenarioFile.Point point : missing.isEmpty() ? List.<ScenarioFile.Point>of() : file.points()) {
      keys = runner.metrics(point.scenario());
      if (keys.isEmpty()) {
        return;
      }
      MetricKeys of = keys.get();
      missing = missing.stream().filter(key -> !of.has(key) && !ReportKeys.isFigure(key, of.distributions())).toList();
      if (missing.isEmpty()) {
        return;
      }
    }
    if (keys.isPresent()) {
      List<String> known = ReportKeys.all(keys.get().metrics(), keys.get().distributions());
      throw new ScenarioException(
          missing.stream().map(key -> place.apply(key, ReportKeys.unknown(key, known))).toList());
    }
  }

  /** Warnings about a scenario whose run moves nothing, or leaves a part of the scenario or of its options out. */
  static List<String> warnings(Scenario scenario) {
    Simulation simulation = scenario.simulation();
    List<Group> groups = simulation.workload().plan(simulation.fabric()).groups();
    List<String> warnings = new ArrayList<>(simulation.warnings());
    warnings.addAll(simulation.divisionWarnings());
    if (!groups.isEmpty() && groups.stream().allMatch(group -> group.size() == 1)) {
      warnings.add("every group of the workload's collectives has one rank: its collectives move nothing");
    }
    return warnings;
  }
}
