package dev.heddle.verification;

import dev.heddle.registry.Registry;
import dev.heddle.results.ValidationReport;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.sim.Simulation;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.ValidationSuite;
import dev.heddle.spi.Workload;
import dev.heddle.workload.trace.htsim.HtsimWorkloadProvider;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;

/**
 * Comparison of the Ultra Ethernet transport with the results published with htsim, of RoCE with papers, and of
 * transports at flow fidelity with their packets.
 */
public final class NetworksSuite implements ValidationSuite {
  /** Bound on the mean error of the last flow's completion in percent. */
  static final double BOUND = 5;

  private static final Pattern CELL = Pattern.compile("\"([^\"]*)\"(?:,|$)|([^,]*)(?:,|$)");
  private static final Pattern NODES = Pattern.compile("(?m)^Nodes\\s+(\\d+)");
  private static final List<String> HEAD =
      List.of("file", "experiment", "command", "first_fct_us", "tail_fct_us", "target_us", "new", "rtx");
  private static final int DRAWS = 5;

  private record Case(String experiment, HtsimCommand command, double tail) {}

  @Override
  public String id() {
    return "networks";
  }

  @Override
  public String description() {
    return "Ultra Ethernet transport against results kept with htsim; RoCE against papers; flows against packets";
  }

  @Override
  public ValidationReport run(Optional<Path> data) {
    DataFolder folder = data.map(HtsimFolder::of).orElseGet(() -> DataFolder.bundled("networks"));
    Map<String, List<Row>> rows = new TreeMap<>();
    List<String> matrices = new ArrayList<>(folder.names(".cm"));
    matrices.addAll(folder.names(".tm"));
    List<String> topologies = folder.names(".topo");
    List<Table> tables = new ArrayList<>();
    List<String> notes = new ArrayList<>();
    try (Registry registry = Registry.discover(NetworksSuite.class.getClassLoader(), List.of())) {
      ScenarioReader reader = new ScenarioReader(registry);
      for (String file : folder.names(".csv")) {
        if (file.equals(RoceAnchors.FILE)) {
          tables.add(RoceAnchors.goodput(reader, folder.label(file), folder.text(file)));
          notes.add(RoceAnchors.others(folder.label(file), folder.text(file)));
          continue;
        }
        if (file.equals(SlingshotIncast.FILE)) {
          tables.add(SlingshotIncast.goodput(reader, folder.label(file), folder.text(file)));
          continue;
        }
        for (Case each : cases(folder.label(file), folder.text(file))) {
          HtsimCommand command = each.command();
          if (command.isSupported() && matrices.contains(command.matrix())
              && command.topology().map(topologies::contains).orElse(true)) {
            double tail = tailUs(reader, command, folder);
            rows.computeIfAbsent(command.table(), table -> new ArrayList<>())
                .add(new Row(label(each), OptionalLong.empty(), each.tail(), tail));
          }
        }
      }
    }
    if (rows.isEmpty() && tables.isEmpty()) {
      throw new InvalidSettingException("", folder.label("") + " holds no results of htsim with their matrices");
    }
    rows.forEach((control, all) -> tables.add(new Table(
        "Ultra Ethernet transport, " + control, "github:ultraethernet/uet-htsim 40ccb05", "us", all,
        BOUND)));
    if (data.isEmpty()) {
      try (Registry registry = Registry.discover(NetworksSuite.class.getClassLoader(), List.of())) {
        tables.addAll(TransportFidelity.tables(new ScenarioReader(registry)));
      }
      notes.addAll(0, folder.text("notes.txt").lines().filter(line -> !line.isBlank()).toList());
    }
    ValidationReport report = new ValidationReport(id(), tables, notes);
    return data.isPresent() ? report : report.with(SuiteBasis.of(folder, report));
  }

  private static String label(Case each) {
    return each.experiment() + (each.command().isSlowed() ? ", " + each.command().control() : "");
  }

  private static double tailUs(ScenarioReader reader, HtsimCommand command, DataFolder folder) {
    String place = folder.label(command.matrix());
    String matrix = folder.text(command.matrix());
    Optional<Path> topology = command.topology().flatMap(folder::file);
    Matcher nodes = NODES.matcher(matrix);
    if (!nodes.find()) {
      throw new InvalidSettingException("", place + ": no line 'Nodes N'");
    }
    Workload workload = HtsimWorkloadProvider.read(place, matrix);
    Simulation parsed = reader.parse(place, command.scenario(Integer.parseInt(nodes.group(1)), topology), Map.of())
        .points().get(0).scenario().simulation();
    // On single paths the draw of a hash decides how many flows share a link: such a row is the median of draws.
    double[] tails = LongStream.range(0, command.isSinglePath() ? DRAWS : 1).mapToDouble(draw -> new Simulation(
        parsed.name(), parsed.fabric(), workload, parsed.options(), parsed.seed() + draw, parsed.fidelity(),
        parsed.collectives(), parsed.transport()).run().metric("acknowledged.last").orElseThrow().value())
        .sorted().toArray();
    return tails[tails.length / 2];
  }

  // Another table beside htsim's results has other columns.
  private static List<Case> cases(String label, String csv) {
    List<Case> cases = new ArrayList<>();
    List<String> lines = csv.lines().toList();
    if (lines.isEmpty() || !cells(lines.get(0)).equals(HEAD)) {
      return cases;
    }
    for (int i = 1; i < lines.size(); i++) {
      List<String> cells = cells(lines.get(i));
      if (cells.size() == HEAD.size() && !cells.get(4).isEmpty()) {
        String place = label + ":" + (i + 1);
        cases.add(new Case(cells.get(1), new HtsimCommand(place, cells.get(0), cells.get(2)),
            CsvTable.number(place, HEAD.get(4), cells.get(4))));
      }
    }
    return cases;
  }

  private static List<String> cells(String line) {
    List<String> cells = new ArrayList<>();
    Matcher cell = CELL.matcher(line);
    while (cells.size() < HEAD.size() && cell.find()) {
      cells.add(cell.group(1) == null ? cell.group(2) : cell.group(1));
    }
    return cells;
  }
}
