package dev.heddle.verification;

import com.google.common.collect.ImmutableList;
import dev.heddle.fabric.Fabric;
import dev.heddle.hpl.HplProblem;
import dev.heddle.hpl.HplVariant;
import dev.heddle.hpl.PanelBroadcast;
import dev.heddle.hpl.PanelFactorization;
import dev.heddle.hpl.ProcessGrid;
import dev.heddle.hpl.RowSwap;
import dev.heddle.hpl.cluster.ClusterSystem;
import dev.heddle.hpl.cluster.LayerOverrides;
import dev.heddle.hpl.run.HplRun;
import dev.heddle.hpl.run.HplWorkload;
import dev.heddle.hpl.run.KernelSettings;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Measured rates of clusters, to be predicted from their links: a CSV file below lines {@code # key: value}, with the
 * keys {@code name}, {@code source}, {@code unit} and {@code model}. The model is {@code network}, a run of HPL's
 * programs, or {@code links}, the layered closed form with layers from the links.
 */
record HplRunTable(CsvTable csv, List<Row> rows) {
  private static final List<String> COLUMNS =
      List.of("label", "cluster", "nodes", "n", "nb", "p", "q", "sustained", "measured");
  private static final List<String> KEYS = List.of("name", "source", "unit", "model");
  private static final List<String> MODELS = List.of("network", "links");
  private static final HplVariant VARIANT = new HplVariant(
      false, 1, PanelBroadcast.RING_MODIFIED, PanelFactorization.CROUT, 2, PanelFactorization.RIGHT, 32);

  HplRunTable {
    rows = ImmutableList.copyOf(rows);
  }

  /**
   * A row.
   *
   * @param label for display
   * @param cluster preset
   * @param nodes that took part
   * @param run N, NB, P, Q, and the compute times of accelerators
   * @param measured rate, in the table's unit
   */
  record Row(String label, String cluster, int nodes, HplRun run, double measured) {}

  /** The value of a key; empty if absent. */
  String header(String key) {
    return csv.header(key);
  }

  /** The bound of the mean error in percent; NaN if none is claimed. */
  double bound() {
    return csv.bound("measured bound");
  }

  /**
   * Reads a file.
   *
   * @throws dev.heddle.spi.InvalidSettingException naming file and line of a malformed entry
   */
  static HplRunTable read(ScenarioReader reader, String name, String text) {
    CsvTable csv = HplTable.requireUnit(CsvTable.read(name, text).requireKeys(KEYS)).requireOneOf("model", MODELS)
        .requireColumns(COLUMNS);
    return new HplRunTable(csv, csv.lines().stream().map(line -> row(reader, line)).toList());
  }

  private static Row row(ScenarioReader reader, CsvTable.Line line) {
    double[] numbers = new double[COLUMNS.size()];
    for (int i = 2; i < numbers.length; i++) {
      numbers[i] = CsvTable.number(line.place(), COLUMNS.get(i), line.cell(i));
    }
    KernelSettings kernels =
        reader.record(KernelSettings.class, line.place(), "{sustained: " + line.cell(7) + " %}");
    HplRun run = new HplRun(
        (long) numbers[3], (int) numbers[4], Optional.of(new ProcessGrid((int) numbers[5], (int) numbers[6])),
        Optional.empty(), VARIANT, RowSwap.SPREAD_ROLL, 64, kernels, Optional.empty());
    return new Row(line.cell(0), line.cell(1), (int) numbers[2], run, numbers[8]);
  }

  /** The rate of a row by the table's model, in the table's unit. */
  double rate(ScenarioReader reader, Row row) {
    Fabric fabric = reader.cluster(
        row.label(), row.cluster(), Map.of("cluster.tiers[1].size", Integer.toString(row.nodes())));
    double flopsPerSecond = header("model").equals("links")
        ? closed(reader, fabric, row) : simulated(fabric, row.run());
    return flopsPerSecond / HplTable.unit(header("unit"));
  }

  private static double closed(ScenarioReader reader, Fabric fabric, Row row) {
    LayerOverrides overrides = reader.record(LayerOverrides.class, row.label(), "{}");
    HplProblem problem = row.run().problem(row.run().grid().orElseThrow().processes());
    return ClusterSystem.of(fabric, row.run().kernels(), overrides, row.run().blockSize()).layered(problem)
        .flopsPerSecond();
  }

  /** Runs HPL on a cluster: operations per second. */
  static double simulated(Fabric fabric, HplRun run) {
    long ps = new Simulation("hpl", fabric, new HplWorkload(run), SimulationOptions.defaults(), 1)
        .at(Fidelity.FLOW).timePs();
    return run.problem(run.grid().orElseThrow().processes()).flops() / (ps / 1e12);
  }
}
