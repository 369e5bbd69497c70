package dev.heddle.cli;

import dev.heddle.report.JsonReport;
import dev.heddle.report.TerminalReport;
import dev.heddle.results.Results;
import dev.heddle.scenario.Scenario;
import dev.heddle.scenario.ScenarioFile;
import jakarta.inject.Inject;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Runs one scenario. */
@Command(name = "run", description = "Run a scenario and print its results.")
final class RunCommand implements Callable<Integer> {
  private final Installation installation;
  private final PointRunner runner;
  private final Console console;
  private final HeddleCommand root;

  @Mixin
  private final ScenarioOptions options = new ScenarioOptions();

  @Mixin
  private final RunChecks checks = new RunChecks();

  @Inject
  RunCommand(Installation installation, PointRunner runner, Console console, HeddleCommand root) {
    this.installation = installation;
    this.runner = runner;
    this.console = console;
    this.root = root;
  }

  @Override
  public Integer call() {
    Warnings.print(installation, console, root);
    ScenarioFile file = options.read(installation.registry());
    if (file.swept()) {
      throw new UsageException(options.file() + ": has a sweep of " + file.points().size()
          + " points; use 'heddle sweep', or fix each axis by --set");
    }
    Optional<OutputFolder> folder = options.out().map(OutputFolder::open);
    Scenario scenario = file.points().get(0).scenario();
    if (!root.quiet()) {
      RunChecks.warnings(scenario).forEach(warning -> console.message("heddle: warning: " + warning));
    }
    Results results = runner.run(checks.checked(scenario, console, root.quiet()));
    folder.ifPresent(out -> ResultFiles.write(out, results, scenario.description()));
    if (options.json()) {
      console.print(JsonReport.write(results));
    } else if (!root.quiet() || folder.isEmpty()) {
      console.print(new TerminalReport(console.width(), console.colour()).render(results));
    }
    folder.filter(out -> !root.quiet()).ifPresent(out -> console.message("results are in " + out.path()));
    return Main.OK;
  }
}
