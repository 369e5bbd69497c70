package dev.heddle.cli;

import dev.heddle.registry.Registry;
import dev.heddle.report.JsonReport;
import dev.heddle.report.TerminalReport;
import dev.heddle.results.ValidationReport;
import dev.heddle.scenario.InstalledSuite;
import dev.heddle.spi.ValidationSuite;
import jakarta.inject.Inject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Compares the simulator with measured and published figures. */
@Command(
    name = "validate",
    description = "Compare the simulator with measurements, source by source; bounds that are missed are listed, and"
        + " give exit 1 with --strict.")
final class ValidateCommand implements Callable<Integer> {
  private final Installation installation;
  private final Console console;
  private final HeddleCommand root;

  @Parameters(arity = "0..1", paramLabel = "SUITE", description = "The suite to run; without it, all.")
  private @Nullable String suite;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "A folder of tables of your own cluster to compare with, instead of the suite's own.")
  private @Nullable Path data;

  @Option(names = "--strict", description = "Exit with 1 where a stated bound is missed.")
  private boolean strict;

  @Option(names = "--rows", description = "Print every row and note, not the summary alone.")
  private boolean rows;

  @Option(names = "--out", paramLabel = "DIR", description = "A folder for the comparison as JSON and HTML.")
  private @Nullable Path out;

  @Option(names = "--json", description = "Print the comparison as JSON: an object, or a list of all suites' objects.")
  private boolean json;

  @Inject
  ValidateCommand(Installation installation, Console console, HeddleCommand root) {
    this.installation = installation;
    this.console = console;
    this.root = root;
  }

  @Override
  public Integer call() {
    Warnings.print(installation, console, root);
    if (data != null && !Files.isDirectory(data)) {
      throw new UsageException("--data " + data + ": is no folder");
    }
    List<ValidationSuite> suites = suites(installation.registry());
    Optional<OutputFolder> folder = Optional.ofNullable(out).map(OutputFolder::open);
    List<ValidationReport> reports = new ArrayList<>();
    for (ValidationSuite each : suites) {
      ValidationReport report = each instanceof InstalledSuite installed
          ? installed.run(Optional.ofNullable(data), installation.registry())
          : each.run(Optional.ofNullable(data));
      reports.add(report);
      folder.ifPresent(target -> ResultFiles.write(target, report));
      if (!json) {
        TerminalReport terminal = new TerminalReport(console.width(), console.colour());
        console.print(rows ? terminal.render(report) : terminal.summary(report));
      }
    }
    if (!json && !rows) {
      console.message(
          "--rows prints every row, --out DIR writes them as HTML and JSON; docs/validation has a page per suite"
              + (strict || reports.stream().allMatch(ValidationReport::holds) ? ""
                  : ";\n--strict exits with 1 on a miss"));
    }
    if (json) {
      List<String> texts = reports.stream().map(JsonReport::write).toList();
      console.print(suite != null ? texts.get(0) : texts.stream().map(String::strip)
          .collect(Collectors.joining(",\n", "[", "]\n")));
    }
    return !strict || reports.stream().allMatch(ValidationReport::holds) ? Main.OK : Main.BOUND_BROKEN;
  }

  private List<ValidationSuite> suites(Registry registry) {
    if (suite != null) {
      return List.of(registry.suite(suite));
    }
    if (registry.suites().isEmpty()) {
      throw new UsageException("no validation suite is installed");
    }
    return List.copyOf(registry.suites());
  }
}
