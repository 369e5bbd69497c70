package dev.heddle.verification;

import com.google.common.collect.ImmutableMap;
import dev.heddle.collectives.oneccl.HostPath;
import dev.heddle.collectives.oneccl.NodeRates;
import dev.heddle.collectives.oneccl.ScaleOut;
import dev.heddle.collectives.oneccl.ScaleUpScaleOut;
import dev.heddle.registry.Registry;
import dev.heddle.results.ValidationReport;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.ValidationSuite;
import dev.heddle.units.DataSize;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Comparison of Aurora's all_reduce, simulated at flow fidelity on the fabric with the measured rates of the links,
 * with ALCF's experiments. It states the part of the gap between closed form and experiment that the simulation
 * explains [ALCF].
 */
public final class AuroraFabricSuite implements ValidationSuite {
  private static final double WITHIN_BOUND = 10;
  private static final String NIC_RATE = "cluster.tiers[1].topology.link.rate";

  /** The bandwidth of a NIC through PyTorch [ALCF §5]. */
  private static final List<String> EFFECTIVE_NIC = List.of("8 GB/s", "11 GB/s");

  /** Bottlenecks, and the changes of the fabric that remove them. */
  private static final List<Cause> CAUSES = List.of(
      new Cause("Xe-Links below 53 GB/s each way", ImmutableMap.of("xe-link", "{type: xe-link}")),
      new Cause("Xe-Links' ways sharing 23 GB/s", ImmutableMap.of("xe-link", "{type: xe-link, rate: 15 GB/s}")),
      new Cause("MDFI below 220 GB/s each way", ImmutableMap.of("mdfi", "{type: mdfi}")),
      new Cause("NICs below 25 GB/s", ImmutableMap.of(NIC_RATE, "25 GB/s")),
      new Cause(
          "12 tiles on 8 NICs",
          ImmutableMap.of("cluster.tiers[0].terminals.nic", "12", "nic-of", "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]")),
      new Cause("PCIe below 64 GB/s a GPU", ImmutableMap.of("pcie.rate", "64 GB/s")),
      new Cause(
          "hosts' memory below 1000 GB/s",
          ImmutableMap.of("memory-link.rate", "1000 GB/s", "memory-link-down.rate", "1000 GB/s")));

  /** A bottleneck, and the changes that remove it. */
  private record Cause(String name, Map<String, String> changes) {}

  @Override
  public String id() {
    return "aurora-fabric";
  }

  @Override
  public String description() {
    return "Aurora's all_reduce simulated on its fabric, against ALCF's experiments, and the cost of each bottleneck";
  }

  @Override
  public ValidationReport run(Optional<Path> data) {
    DataFolder folder = data.map(DataFolder::of).orElseGet(() -> DataFolder.bundled("aurora"));
    List<Table> tables = new ArrayList<>();
    try (Registry registry = Registry.discover(AuroraFabricSuite.class.getClassLoader(), List.of())) {
      AuroraRuns runs = new AuroraRuns(registry, "aurora");
      ScenarioReader reader = new ScenarioReader(registry);
      for (String file : folder.names(".csv")) {
        AuroraTable table = AuroraTable.read(folder.label(file), folder.text(file));
        NodeRates rates =
            reader.record(NodeRates.class, folder.label(file), "{preset: '" + table.header("rates") + "'}");
        compare(tables, runs, table, rates);
      }
      if (data.isEmpty()) {
        tables.add(differences(
            runs, reader.record(NodeRates.class, "rates", "{preset: aurora-rates-measured}")));
        tables.add(ranking(runs, "16 nodes of 12 ranks, 2 GB, through the hosts", 16, 12));
        tables.add(ranking(runs, "16 nodes of 1 rank, 2 GB, through the hosts", 16, 1));
      }
    }
    if (tables.isEmpty()) {
      throw new InvalidSettingException("", folder.label("") + " holds no table with experiments");
    }
    List<String> notes = data.isPresent()
        ? List.of() : folder.text("fabric-notes.txt").lines().filter(line -> !line.isBlank()).toList();
    ValidationReport report = new ValidationReport(id(), tables, notes);
    return data.isPresent() ? report : report.with(SuiteBasis.of(folder, "fabric-basis.txt", report));
  }

  private static void compare(List<Table> tables, AuroraRuns runs, AuroraTable table, NodeRates rates) {
    Map<String, String> none = ImmutableMap.of();
    boolean within = table.header("path").equals(AuroraTable.WITHIN);
    List<Row> explained = new ArrayList<>();
    List<AuroraTable.Row> measured =
        table.rows().stream().filter(row -> !Double.isNaN(row.experimentMs())).toList();
    if (measured.isEmpty()) {
      return;
    }
    add(tables, table, ": experiment and simulation", within ? WITHIN_BOUND : Double.NaN,
        measured.stream().map(row -> row(row.label(), row.experimentMs(), simulated(runs, table, row, none))).toList());
    add(tables, table, ": closed form and simulation", Double.NaN,
        measured.stream()
            .map(row -> row(row.label(), closed(table, rates, row), simulated(runs, table, row, none))).toList());
    for (AuroraTable.Row row : measured) {
      double closed = closed(table, rates, row);
      double share = (simulated(runs, table, row, none) - closed) / (row.experimentMs() - closed);
      explained.add(row(row.label(), 100, 100 * share));
    }
    tables.add(new Table(
        table.header("name") + ": gap between experiment and closed form, and the simulation's part of it",
        table.header("source"), "%", explained, Double.NaN));
    if (table.header("path").equals(AuroraTable.BETWEEN_WITH_COPIES)) {
      for (String rate : EFFECTIVE_NIC) {
        Map<String, String> slow = ImmutableMap.of(NIC_RATE, rate);
        add(tables, table, ": experiment and simulation, NICs at " + rate, Double.NaN,
            measured.stream()
                .map(row -> row(row.label(), row.experimentMs(), simulated(runs, table, row, slow))).toList());
      }
    }
  }

  private static void add(List<Table> tables, AuroraTable table, String what, double bound, List<Row> rows) {
    tables.add(new Table(table.header("name") + what, table.header("source"), "ms", rows, bound));
  }

  private static double closed(AuroraTable table, NodeRates rates, AuroraTable.Row row) {
    NodeRates.Ranks ranks = rates.ranks(row.nodes(), row.perNode());
    boolean copies = table.header("path").equals(AuroraTable.BETWEEN_WITH_COPIES);
    return (table.header("path").equals(AuroraTable.WITHIN)
        ? ScaleUpScaleOut.within(rates, ranks, table.size())
        : ScaleUpScaleOut.between(rates, ranks, table.size(), copies))
        .millis();
  }

  private static double simulated(
      AuroraRuns runs, AuroraTable table, AuroraTable.Row row, Map<String, String> changes) {
    boolean copies = table.header("path").equals(AuroraTable.BETWEEN_WITH_COPIES);
    return runs.millis(
        new AuroraRuns.Run(
            row.nodes(), row.perNode(), table.size(), ScaleOut.RING, copies ? HostPath.COPY : HostPath.NONE),
        changes);
  }

  private static Row row(String label, double reference, double model) {
    return new Row(label, OptionalLong.empty(), reference, model);
  }

  /** The differences between the simulation and the closed form, change by change. */
  private static Table differences(AuroraRuns runs, NodeRates rates) {
    DataSize size = DataSize.parse("2 GB");
    double closed = ScaleUpScaleOut.between(rates, rates.ranks(2, 12), size, false).millis();
    AuroraRuns.Run run = new AuroraRuns.Run(2, 12, size, ScaleOut.RING, HostPath.NONE);
    Map<String, String> changes = new LinkedHashMap<>();
    List<Row> rows = new ArrayList<>();
    rows.add(row("the machine as it is", closed, runs.millis(run, changes)));
    changes.put("xe-link", "{type: xe-link, rate: 15 GB/s}");
    rows.add(row("and Xe-Links at 15 GB/s both ways at once", closed, runs.millis(run, changes)));
    changes.put("mdfi", "{type: mdfi, rate: 100000 GB/s, buffer: 1 GiB}");
    rows.add(row("and MDFI that takes no time", closed, runs.millis(run, changes)));
    changes.put("cluster.tiers[0].terminals.nic", "12");
    changes.put("nic-of", "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]");
    rows.add(row("and a NIC for every tile", closed, runs.millis(run, changes)));
    double share = rates.nicShare().value() * rates.nics() * rates.nic().bytesPerNano() / 12;
    changes.put(NIC_RATE, Math.round(share * 1e3) + " MB/s");
    rows.add(row("each with a twelfth of 80 % of 8 NICs", closed, runs.millis(run, changes)));
    return new Table(
        "From simulation to closed form: 2 nodes of 12 ranks, 2 GB", "the closed form is the reference of every row",
        "ms",
        rows, Double.NaN);
  }

  /** The time without each bottleneck, the most expensive first. */
  private static Table ranking(AuroraRuns runs, String name, int nodes, int perNode) {
    DataSize size = DataSize.parse("2 GB");
    AuroraRuns.Run baseline = new AuroraRuns.Run(nodes, perNode, size, ScaleOut.RING, HostPath.COPY);
    double all = runs.millis(baseline, Map.of());
    // In descending order of the time saved, then by name.
    Map<String, Double> without = new TreeMap<>();
    CAUSES.forEach(cause -> without.put(cause.name(), runs.millis(baseline, cause.changes())));
    without.put("copies to and from the host",
        runs.millis(new AuroraRuns.Run(nodes, perNode, size, ScaleOut.RING, HostPath.NONE), Map.of()));
    without.put("devices adding, not CPUs",
        runs.millis(new AuroraRuns.Run(nodes, perNode, size, ScaleOut.RING, HostPath.REDUCE), Map.of()));
    List<Row> rows = without.entrySet().stream()
        .sorted(Map.Entry.comparingByValue())
        .map(entry -> row(
            entry.getKey() + ": " + Math.round((all - entry.getValue()) * 10) / 10.0 + " ms", all, entry.getValue()))
        .toList();
    return new Table(
        "What each bottleneck costs: " + name,
        "simulation at flow fidelity; the reference is the machine as it is, the model the machine without the "
            + "bottleneck",
        "ms",
        rows, Double.NaN);
  }
}
