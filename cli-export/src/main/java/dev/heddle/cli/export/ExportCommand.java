package dev.heddle.cli.export;

import dev.heddle.cli.CommandContext;
import dev.heddle.fabric.Fabric;
import dev.heddle.scenario.Scenario;
import dev.heddle.scenario.ScenarioFile;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.text.Unwritable;
import dev.heddle.units.SimTime;
import dev.heddle.workload.trace.export.ChakraExport;
import dev.heddle.workload.trace.export.ExportedJob;
import dev.heddle.workload.trace.export.GoalExport;
import dev.heddle.workload.trace.graph.TraceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Exports the operations of a scenario's ranks for other tools. */
@Command(
    name = "export",
    description = "Write what a scenario's ranks do as Chakra execution traces or as GOAL text, which "
        + "ASTRA-sim, LogGOPSim"
        + " and Heddle itself read.")
final class ExportCommand implements Callable<Integer> {
  private static final int MOST_OPERATIONS = 10_000_000;

  private final CommandContext context;

  @Parameters(paramLabel = "SCENARIO", description = "The scenario file.")
  private @Nullable Path scenario;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      required = true,
      description = "chakra for a trace per rank and a file of groups, goal for one text, in which collectives are"
          + " messages.")
  private String format = "";

  @Option(names = "--out", paramLabel = "DIR", required = true, description = "The folder for the files.")
  private @Nullable Path out;

  @Option(
      names = "--set",
      paramLabel = "PATH=VALUE",
      description = "Overrides a field, as in --set workload.batch.global=64.")
  private final Map<String, String> overrides = new LinkedHashMap<>();

  ExportCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    if (!format.equals("chakra") && !format.equals("goal")) {
      throw new InvalidSettingException("", "--format '" + format + "' is none of chakra, goal");
    }
    Path folder = given(out);
    ScenarioFile file = new ScenarioReader(context.registry()).read(given(scenario), overrides);
    if (file.points().size() > 1) {
      throw new InvalidSettingException("", scenario + ": has a sweep of " + file.points().size()
          + " points; fix each axis by --set");
    }
    try {
      ExportedJob job = job(file.points().get(0).scenario());
      Files.createDirectories(folder);
      context.print(format.equals("chakra") ? chakra(job, folder) : goal(job, folder));
      return 0;
    } catch (TraceException e) {
      throw new InvalidSettingException("", scenario + ": " + e.getMessage());
    } catch (IOException e) {
      throw new InvalidSettingException("",
          "--out " + folder + ": cannot be written: " + Unwritable.folderReason(folder, e));
    }
  }

  private static ExportedJob job(Scenario scenario) {
    Fabric fabric = scenario.fabric();
    SimulationOptions options = scenario.options();
    long end =
        options.measure().map(window -> Math.addExact(options.warmup().ps(), window.ps())).orElse(Long.MAX_VALUE);
    WorkloadContext knows = new WorkloadContext(
        fabric, scenario.workload().plan(fabric).ranks(), scenario.seed(), SimTime.ofPs(end));
    return new ExportedJob(scenario.workload(), fabric, scenario.collectives(), knows, MOST_OPERATIONS);
  }

  private static <T> T given(@Nullable T value) {
    if (value == null) {
      throw new IllegalStateException("picocli requires it");
    }
    return value;
  }

  private static String chakra(ExportedJob job, Path folder) throws IOException {
    ChakraExport.write(job, folder);
    return job.ranks() + " traces and groups.json are in " + folder + "; they run by\n"
        + "workload: {type: chakra, file: '" + folder.resolve("trace.{rank}.et") + "', groups: '"
        + folder.resolve("groups.json") + "'}\n";
  }

  private static String goal(ExportedJob job, Path folder) throws IOException {
    Path file = folder.resolve("trace.goal");
    GoalExport.write(job, file);
    return job.ranks() + " ranks are in " + file + "; they run by\nworkload: {type: goal, file: '" + file + "'}\n";
  }
}
