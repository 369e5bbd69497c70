package dev.heddle.cli;

import dev.heddle.registry.Registry;
import dev.heddle.scenario.Problem;
import dev.heddle.scenario.ScenarioFile;
import dev.heddle.scenario.ScenarioReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Options that {@code run} and {@code sweep} share. */
final class ScenarioOptions {
  @Parameters(paramLabel = "SCENARIO", description = "The scenario file.")
  private @Nullable Path scenario;

  @Option(
      names = "--set",
      paramLabel = "PATH=VALUE",
      description = "Overrides a field, as in --set workload.load='50 %%'; an overridden axis is not swept.")
  private final Map<String, String> overrides = new LinkedHashMap<>();

  @Option(names = "--out", paramLabel = "DIR", description = "The folder for results.")
  private @Nullable Path out;

  @Option(names = "--json", description = "Print the results as JSON instead of a table.")
  private boolean json;

  /** Reads the scenario with the plug-ins and presets of the registry. */
  ScenarioFile read(Registry registry) {
    if (scenario == null) {
      throw new IllegalStateException("picocli requires SCENARIO");
    }
    return new ScenarioReader(registry).read(scenario, overrides);
  }

  /** A problem with a metric that the scenario's plots or rankings name, at its place. */
  Problem problem(Registry registry, String metric, String message) {
    return new ScenarioReader(registry).problem(Path.of(file()), overrides, metric, message);
  }

  /** The scenario as the user named it. */
  String file() {
    return String.valueOf(scenario);
  }

  /** The scenario and its overrides as arguments of another process in any folder. */
  List<String> arguments() {
    List<String> arguments = new ArrayList<>(List.of(Path.of(file()).toAbsolutePath().normalize().toString()));
    overrides.forEach((path, value) -> arguments.addAll(List.of("--set", path + "=" + value)));
    return arguments;
  }

  /** The folder for results, where the user gave one. */
  Optional<Path> out() {
    return Optional.ofNullable(out);
  }

  /** Whether results are printed as JSON. */
  boolean json() {
    return json;
  }
}
