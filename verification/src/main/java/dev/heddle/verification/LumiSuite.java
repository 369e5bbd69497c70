package dev.heddle.verification;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.fabric.Fabric;
import dev.heddle.registry.Registry;
import dev.heddle.results.ValidationReport;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.ValidationSuite;
import dev.heddle.standard.collective.BinomialTreeAlgorithmProvider;
import dev.heddle.standard.collective.DirectAlgorithmProvider;
import dev.heddle.standard.collective.RingAlgorithmProvider;
import dev.heddle.standard.workload.CollectiveWorkloadProvider;
import dev.heddle.units.DataSize;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Comparison of messages and collectives on MI250X and Slingshot, simulated at flow fidelity, with OSU's benchmarks on
 * LUMI. A broadcast of two ranks is one message; send and receive of two ranks are one message in each direction.
 */
public final class LumiSuite implements ValidationSuite {
  @Override
  public String id() {
    return "lumi";
  }

  @Override
  public String description() {
    return "messages and collectives on MI250X and Slingshot-11 against OSU's benchmarks on LUMI";
  }

  @Override
  public ValidationReport run(Optional<Path> data) {
    DataFolder folder = data.map(DataFolder::of).orElseGet(() -> DataFolder.bundled("lumi"));
    List<Table> tables = new ArrayList<>();
    try (Registry registry = Registry.discover(LumiSuite.class.getClassLoader(), List.of())) {
      ScenarioReader reader = new ScenarioReader(registry);
      for (String file : folder.names(".csv")) {
        CollectiveTable table = CollectiveTable.read(folder.label(file), folder.text(file));
        Fabric fabric =
            reader.cluster(folder.label(file), table.header("cluster"), Map.of("cluster.tiers[1].size", "2"));
        tables.add(compare(folder.label(file), table, fabric));
      }
    }
    if (tables.isEmpty()) {
      throw new InvalidSettingException("", folder.label("") + " holds no table of collectives");
    }
    List<String> notes =
        data.isPresent() ? List.of() : folder.text("notes.txt").lines().filter(line -> !line.isBlank()).toList();
    ValidationReport report = new ValidationReport(id(), tables, notes);
    return data.isPresent() ? report : report.with(SuiteBasis.of(folder, report));
  }

  private static Table compare(String place, CollectiveTable table, Fabric fabric) {
    List<Row> rows = new ArrayList<>();
    for (CollectiveTable.Row row : table.rows()) {
      double micros;
      try {
        micros = micros(row, fabric);
      } catch (InvalidSettingException e) {
        throw new InvalidSettingException("", place + ": " + row.label() + ": " + e.getMessage());
      }
      double carried = row.bytes() * (row.op() == CollectiveOp.SEND_RECV ? 2.0 : 1.0);
      rows.add(new Row(
          row.label(), OptionalLong.empty(), row.measured(),
          table.header("unit").equals("us") ? micros : carried / micros / 1e3));
    }
    return new Table(table.header("name"), table.header("source"), table.header("unit"), rows, table.bound());
  }

  private static double micros(CollectiveTable.Row row, Fabric fabric) {
    CollectiveWorkloadProvider.Settings settings =
        CollectiveWorkloadProvider.Settings.of(row.op(), DataSize.ofBytes(row.bytes())).groups(row.groups());
    return new Simulation(
        "lumi", fabric, new CollectiveWorkloadProvider().create(settings), SimulationOptions.defaults(), 1)
        .with(algorithm(row.op())).at(Fidelity.FLOW).run().metric("collective." + row.op().key() + ".time")
        .orElseThrow().value();
  }

  private static CollectiveAlgorithm algorithm(CollectiveOp op) {
    switch (op) {
      case BROADCAST :
      case REDUCE :
      case GATHER :
      case SCATTER :
        return new BinomialTreeAlgorithmProvider().create(new BinomialTreeAlgorithmProvider.Settings());
      case ALL_REDUCE :
      case REDUCE_SCATTER :
        return RingAlgorithmProvider.single();
      default :
        return new DirectAlgorithmProvider().create(new DirectAlgorithmProvider.Settings(1));
    }
  }
}
