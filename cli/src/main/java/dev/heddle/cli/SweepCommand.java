package dev.heddle.cli;

import com.google.common.base.Ticker;
import dev.heddle.report.FailedPoint;
import dev.heddle.report.JsonReport;
import dev.heddle.report.ReportKeys;
import dev.heddle.report.TerminalReport;
import dev.heddle.results.SweepResults;
import dev.heddle.scenario.ScenarioFile;
import jakarta.inject.Inject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs all points of a scenario's sweep, or those of one worker. */
@Command(
    name = "sweep",
    description = "Run all points of a scenario's sweep. Finished points are kept: the same command resumes.")
final class SweepCommand implements Callable<Integer> {
  private final Installation installation;
  private final PointRunner runner;
  private final Console console;
  private final HeddleCommand root;
  private final Ticker ticker;

  @Mixin
  private final ScenarioOptions options = new ScenarioOptions();

  @Mixin
  private final RunChecks checks = new RunChecks();

  @Mixin
  private final EngineOptions spread = new EngineOptions();

  @Option(names = "--threads", paramLabel = "N",
      description = "Points that run at once; default: the cores. With --engine, of each worker; default: 1.")
  private @Nullable Integer threads;

  @Option(names = "--fresh", description = "Drop the points that an earlier sweep left in the folder.")
  private boolean fresh;

  @Inject
  SweepCommand(
      Installation installation, PointRunner runner, Console console, Ticker ticker, HeddleCommand root) {
    this.installation = installation;
    this.runner = runner;
    this.console = console;
    this.ticker = ticker;
    this.root = root;
  }

  @Override
  public Integer call() {
    if (threads != null && (threads < 1 || threads > 1024)) {
      throw new UsageException("--threads " + threads + ": must be from 1 to 1024");
    }
    Warnings.print(installation, console, root);
    Optional<SweepEngine> engine = spread.engine(installation.registry());
    Optional<Shard> shard = spread.shard();
    if (engine.isPresent()) {
      spread.workers();
    }
    if (shard.isPresent() && fresh) {
      throw new UsageException("--fresh: would drop the points of other workers; remove the folder of the sweep before"
          + " the first worker starts");
    }
    ScenarioFile file = options.read(installation.registry());
    if (!file.swept()) {
      throw new UsageException(options.file() + ": has no sweep, or every axis is fixed by --set; use 'heddle run'");
    }
    RunChecks.requireMetrics(
        file, runner, (metric, message) -> options.problem(installation.registry(), metric, message));
    Path path = options.out().orElse(Path.of("results", file.name()));
    if (spread.manifest()) {
      console.print(engine.orElseThrow().manifest(job(file, path)).orElseThrow(() -> new UsageException(
          "--manifest: this engine starts workers by itself and has none")));
      return Main.OK;
    }
    OutputFolder folder = OutputFolder.open(path);
    PointFormat format = new PointFormat(file, installation.build());
    if (shard.isPresent()) {
      return work(file, folder, format, shard.get());
    }
    return report(folder, sweep(file, folder, format, engine));
  }

  private int report(OutputFolder folder, SweepRunner.Outcome outcome) {
    if (!options.json() && !root.quiet()) {
      console.print(new TerminalReport(console.width(), console.colour()).render(outcome.results()));
    }
    if (!root.quiet()) {
      console.message("results are in " + folder.path());
      outcome.results().points().stream().flatMap(point -> point.results().warnings().stream()).distinct()
          .forEach(warning -> console.message("heddle: warning: " + warning));
    }
    List<String> problems = new ArrayList<>(outcome.failures());
    problems.addAll(ReportKeys.absent(outcome.results()));
    problems.forEach(problem -> console.message("heddle: " + problem));
    return problems.isEmpty() ? Main.OK : Main.BAD_INPUT;
  }

  /** Runs the points and writes the files of results while the folder is locked. */
  private SweepRunner.Outcome sweep(
      ScenarioFile file, OutputFolder folder, PointFormat format, Optional<SweepEngine> engine) {
    Thread notice = new Thread(() -> console.message(
        "heddle: interrupted; finished points are in " + folder.path() + ", the same command resumes"));
    try (PointStore store = PointStore.open(folder.path().resolve(PointStore.FILE), format, fresh);
        Progress progress = new Progress(console, ticker, file.points().size(), root.quiet())) {
      Runtime.getRuntime().addShutdownHook(notice);
      try {
        if (fresh) {
          ShardFiles.remove(folder.path());
        }
        ShardFiles.written(folder.path()).forEach(store::take);
        SweepRunner.Outcome outcome = engine.isPresent()
            ? new EngineRun(engine.get(), job(file, folder.path()), format).run(file, store, progress)
            : new SweepRunner(checked(), threads()).run(file, store, progress);
        Iterable<SweepResults.Point> whole = write(file, folder, store, outcome.failed());
        if (options.json()) {
          JsonReport.write(outcome.results(), whole, outcome.failed(), console.out());
          console.out().flush();
        }
        if (outcome.results().points().size() == file.points().size()) {
          ShardFiles.remove(folder.path());
        }
        return outcome;
      } finally {
        Runtime.getRuntime().removeShutdownHook(notice);
      }
    }
  }

  /** Runs the points of one worker, and writes the files of results where it finds all points finished. */
  private int work(ScenarioFile file, OutputFolder folder, PointFormat format, Shard shard) {
    OutputFolder.open(folder.path().resolve(Shard.FOLDER));
    Path own = shard.file(folder.path());
    ShardFiles others = new ShardFiles(folder.path(), format, own);
    ShardRunner.Outcome outcome;
    try (PointStore store = PointStore.open(own, format, false)) {
      outcome = new ShardRunner(checked(), threads(), ticker, store, others).run(file, shard);
    }
    boolean written = outcome.left() == 0 && join(file, folder, format);
    if (!root.quiet()) {
      console.message("shard " + shard + ": settled " + outcome.runs() + " points, of which " + outcome.backups()
          + " of other shards"
          + (written ? "; all points are settled, and the results are in " + folder.path() : ""));
    }
    if (outcome.left() > 0) {
      console.message("heddle: " + outcome.left() + " points ran out of memory; give the virtual machine more, as in"
          + " HEDDLE_JAVA_OPTS=-Xmx8g, or make them smaller");
      return Main.BAD_INPUT;
    }
    return Main.OK;
  }

  /** Writes the files of results; false where another process is doing so. */
  private boolean join(ScenarioFile file, OutputFolder folder, PointFormat format) {
    Optional<PointStore> free = PointStore.openUnlessInUse(folder.path().resolve(PointStore.FILE), format);
    if (free.isEmpty()) {
      return false;
    }
    try (PointStore store = free.get()) {
      ShardFiles.written(folder.path()).forEach(store::take);
      ShardFiles workers = new ShardFiles(folder.path(), format, folder.path().resolve(PointStore.FILE));
      workers.refresh();
      write(file, folder, store, workers.failures(file.points()).points(file));
    }
    return true;
  }

  private static Iterable<SweepResults.Point> write(ScenarioFile file, OutputFolder folder, PointStore store,
      List<FailedPoint> failed) {
    Iterable<SweepResults.Point> whole = () -> file.points().stream()
        .filter(point -> store.summary(point.key()).isPresent())
        .map(point -> new SweepResults.Point(point.parameters(), store.results(point.key()))).iterator();
    ResultFiles.write(folder, SweepRunner.results(file, store), whole, failed);
    return whole;
  }

  private PointRunner checked() {
    return scenario -> runner.run(checks.checked(scenario, console, root.quiet()));
  }

  private int threads() {
    return threads == null ? Runtime.getRuntime().availableProcessors() : threads;
  }

  private SweepJob job(ScenarioFile file, Path folder) {
    int each = threads == null ? 1 : threads;
    List<String> arguments = new ArrayList<>(List.of("sweep"));
    arguments.addAll(options.arguments());
    arguments.addAll(installation.arguments());
    arguments.addAll(checks.arguments());
    arguments
        .addAll(List.of("--out", folder.toAbsolutePath().normalize().toString(), "--threads", "" + each, "--quiet"));
    return new SweepJob(
        file.name(), spread.workers(), each, folder.toAbsolutePath().normalize(), Installation.program(), arguments);
  }
}
