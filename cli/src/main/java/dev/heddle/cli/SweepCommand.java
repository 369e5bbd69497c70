package dev.heddle.cli;

import com.google.common.base.Ticker;
import dev.heddle.report.JsonReport;
import dev.heddle.report.ReportKeys;
import dev.heddle.report.TerminalReport;
import dev.heddle.results.SweepResults;
import dev.heddle.scenario.ScenarioFile;
import jakarta.inject.Inject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs all points of a scenario's sweep. */
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

  @Option(names = "--threads", paramLabel = "N", description = "Points that run at once; default: the cores.")
  private int threads = Runtime.getRuntime().availableProcessors();

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
    if (threads < 1 || threads > 1024) {
      throw new UsageException("--threads " + threads + ": must be from 1 to 1024");
    }
    Warnings.print(installation, console, root);
    ScenarioFile file = options.read(installation.registry());
    if (!file.swept()) {
      throw new UsageException(options.file() + ": has no sweep, or every axis is fixed by --set; use 'heddle run'");
    }
    RunChecks.requireMetrics(file, runner);
    OutputFolder folder = OutputFolder.open(options.out().orElse(Path.of("results", file.name())));
    SweepRunner.Outcome outcome = sweep(file, folder);
    if (!options.json() && !root.quiet()) {
      console.print(new TerminalReport(console.width(), console.colour()).render(outcome.results()));
    }
    if (!root.quiet()) {
      console.message("results are in " + folder.path());
    }
    if (!root.quiet()) {
      outcome.results().points().stream().flatMap(point -> point.results().warnings().stream()).distinct()
          .forEach(warning -> console.message("heddle: warning: " + warning));
    }
    List<String> problems = new ArrayList<>(outcome.failures());
    problems.addAll(ReportKeys.absent(outcome.results()));
    problems.forEach(problem -> console.message("heddle: " + problem));
    return problems.isEmpty() ? Main.OK : Main.BAD_INPUT;
  }

  /** Runs the points and writes the files of results while the folder is locked. */
  private SweepRunner.Outcome sweep(ScenarioFile file, OutputFolder folder) {
    Thread notice = new Thread(() -> console.message(
        "heddle: interrupted; finished points are in " + folder.path() + ", the same command resumes"));
    try (PointStore store = PointStore.open(folder.path(), file, installation.build(), fresh);
        Progress progress = new Progress(console, ticker, file.points().size(), root.quiet())) {
      Runtime.getRuntime().addShutdownHook(notice);
      try {
        SweepRunner.Outcome outcome = new SweepRunner(
            scenario -> runner.run(checks.checked(scenario, console, root.quiet())), threads)
            .run(file, store, progress);
        Iterable<SweepResults.Point> whole = () -> file.points().stream()
            .filter(point -> store.summary(point.key()).isPresent())
            .map(point -> new SweepResults.Point(point.parameters(), store.results(point.key()))).iterator();
        ResultFiles.write(folder, outcome.results(), whole);
        if (options.json()) {
          JsonReport.write(outcome.results(), whole, console.out());
          console.out().flush();
        }
        return outcome;
      } finally {
        Runtime.getRuntime().removeShutdownHook(notice);
      }
    }
  }
}
