package dev.heddle.cli;

import dev.heddle.report.JsonReport;
import dev.heddle.report.TerminalReport;
import dev.heddle.results.Results;
import dev.heddle.scenario.ScenarioFile;
import dev.heddle.scenario.ScenarioReader;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Compares two runs: figures side by side, the time by activity, and the links whose use differs most. */
@Command(
    name = "compare",
    description = "Compare two runs: folders of results, or scenarios, which are run. Prints the settings that"
        + " differ, all figures, the ranks' time by activity, and the use of links by tier.")
final class CompareCommand implements Callable<Integer> {
  private static final int MOST_BYTES = 1 << 30;

  private final Installation installation;
  private final PointRunner runner;
  private final Console console;
  private final HeddleCommand root;

  @Mixin
  private final RunChecks checks = new RunChecks();

  @Parameters(index = "0", paramLabel = "A", description = "A folder of 'heddle run --out', or a scenario.")
  private @Nullable Path first;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "B",
      description = "Another; without it, A as a scenario with --set.")
  private @Nullable Path second;

  @Option(
      names = "--set",
      paramLabel = "PATH=VALUE",
      description = "Overrides a field of B's scenario.")
  private final Map<String, String> overrides = new LinkedHashMap<>();

  @Inject
  CompareCommand(Installation installation, PointRunner runner, Console console, HeddleCommand root) {
    this.installation = installation;
    this.runner = runner;
    this.console = console;
    this.root = root;
  }

  @Override
  public Integer call() {
    Path a = Optional.ofNullable(first).orElseThrow();
    Path b = second == null ? a : second;
    if (second == null && overrides.isEmpty()) {
      throw new UsageException("compare: name a second run, or the difference by --set");
    }
    Warnings.print(installation, console, root);
    Results before = results(a, Map.of());
    Results after = results(b, overrides);
    console.print(new TerminalReport(console.width(), console.colour())
        .render(before, after, settings(a, Map.of()), settings(b, overrides)));
    return Main.OK;
  }

  // Those of a scenario; folders of results do not have them.
  private Map<String, String> settings(Path path, Map<String, String> set) {
    return finished(path) ? Map.of() : new ScenarioReader(installation.registry()).fields(path, set);
  }

  private static boolean finished(Path path) {
    return Files.isDirectory(path) || path.toString().endsWith(".json");
  }

  private Results results(Path path, Map<String, String> set) {
    Path file = Files.isDirectory(path) ? path.resolve("results.json") : path;
    if (!finished(path)) {
      ScenarioFile scenario = new ScenarioReader(installation.registry()).read(file, set);
      if (scenario.swept()) {
        throw new UsageException(file + ": has a sweep; fix each axis by --set, or compare scenarios of one point");
      }
      return runner.run(checks.checked(scenario.points().get(0).scenario(), console, root.quiet()));
    }
    if (!set.isEmpty()) {
      throw new UsageException("--set changes scenarios, but " + path + " is a finished run");
    }
    try {
      if (Files.size(file) > MOST_BYTES) {
        throw new UsageException(file + ": has more than " + MOST_BYTES + " bytes");
      }
      return JsonReport.read(Files.readString(file));
    } catch (IOException e) {
      throw new UsageException(file + ": cannot be read: " + e.getMessage());
    } catch (IllegalArgumentException e) {
      throw new UsageException(file + ": is no result of one run; compare does not read sweeps");
    }
  }
}
