package dev.heddle.cli;

import com.fasterxml.jackson.core.io.JsonEOFException;
import com.google.common.base.Throwables;
import dev.heddle.report.JsonReport;
import dev.heddle.report.TerminalReport;
import dev.heddle.results.Results;
import dev.heddle.scenario.ScenarioFile;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.text.Unreadable;
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
    description = "Compare two runs: folders of results, or scenarios, which are run; or one scenario on two clusters."
        + " Prints the settings that differ, all figures, the ranks' time by activity, and the use of links by tier.")
final class CompareCommand implements Callable<Integer> {
  private static final int MOST_BYTES = 1 << 30;
  private static final String CLUSTER = ScenarioReader.CLUSTER;

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
      description = "Another; without it, A as a scenario with --cluster or --set.")
  private @Nullable Path second;

  @Option(
      names = "--cluster",
      paramLabel = "CLUSTER",
      description = "The cluster of B's scenario, in the place of its own: a preset, such as hgx-h100, or a file with"
          + " a cluster.")
  private @Nullable String cluster;

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
    if (second == null && cluster == null && overrides.isEmpty()) {
      throw new UsageException("compare: name a second run, or the difference by --cluster or --set");
    }
    Warnings.print(installation, console, root);
    Change change = change();
    Results before = results(a, Change.NONE);
    Results after = results(b, change);
    console.print(new TerminalReport(console.width(), console.colour())
        .render(before, after, settings(a, Change.NONE), settings(b, change)));
    return Main.OK;
  }

  /** Changes of B's scenario: a file whose cluster it takes, and fields that are set. */
  private record Change(Optional<Path> cluster, Map<String, String> fields) {
    static final Change NONE = new Change(Optional.empty(), Map.of());

    ScenarioFile read(ScenarioReader reader, Path file) {
      return cluster.map(other -> reader.read(file, other, fields)).orElseGet(() -> reader.read(file, fields));
    }

    Map<String, String> settings(ScenarioReader reader, Path file) {
      return cluster.map(other -> reader.fields(file, other, fields)).orElseGet(() -> reader.fields(file, fields));
    }
  }

  private Change change() {
    if (cluster == null) {
      return new Change(Optional.empty(), overrides);
    }
    if (Files.isRegularFile(Path.of(cluster))) {
      return new Change(Optional.of(Path.of(cluster)), overrides);
    }
    String kind = ClusterOptions.presetKind(installation.registry(), cluster);
    if (!kind.equals(CLUSTER)) {
      throw ClusterOptions.notCluster(cluster, kind);
    }
    Map<String, String> set = new LinkedHashMap<>();
    set.put(CLUSTER, "{preset: " + cluster + "}");
    set.putAll(overrides);
    return new Change(Optional.empty(), set);
  }

  // Those of a scenario; folders of results do not have them.
  private Map<String, String> settings(Path path, Change change) {
    return finished(path) ? Map.of() : change.settings(new ScenarioReader(installation.registry()), path);
  }

  private static boolean finished(Path path) {
    return Files.isDirectory(path) || path.toString().endsWith(".json");
  }

  private Results results(Path path, Change change) {
    Path file = Files.isDirectory(path) ? path.resolve("results.json") : path;
    if (!finished(path)) {
      ScenarioFile scenario = change.read(new ScenarioReader(installation.registry()), file);
      if (scenario.swept()) {
        throw new UsageException(file + ": has a sweep; fix each axis by --set, or compare scenarios of one point");
      }
      return runner.run(checks.checked(scenario.points().get(0).scenario(), console, root.quiet()));
    }
    if (!change.equals(Change.NONE)) {
      throw new UsageException("--cluster and --set change scenarios, but " + path + " is a finished run");
    }
    try {
      if (Files.size(file) > MOST_BYTES) {
        throw new UsageException(file + ": has more than " + MOST_BYTES + " bytes");
      }
      return JsonReport.read(Files.readString(file));
    } catch (IOException e) {
      throw new UsageException(Unreadable.message(file, e));
    } catch (IllegalArgumentException e) {
      throw new UsageException(
          file + (Throwables.getRootCause(e) instanceof JsonEOFException ? ": ends too early; it is cut off"
              : ": is no result of one run; compare does not read sweeps"));
    }
  }
}
