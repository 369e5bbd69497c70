package dev.heddle.verification;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
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
import dev.heddle.spi.InvalidSettingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Rates that clusters reached, to be found from their links: a CSV file below lines {@code # key: value}, of which
 * {@code name}, {@code source}, {@code unit} and {@code model} must be there. The model is {@code network}, a run of
 * HPL's programs, or {@code links}, the layered closed form with layers from the links.
 *
 * @param header its lines
 * @param rows as in the file
 */
record HplRunTable(Map<String, String> header, List<Row> rows) {
  private static final List<String> COLUMNS =
      List.of("label", "cluster", "nodes", "n", "nb", "p", "q", "sustained", "measured");
  private static final List<String> MODELS = List.of("network", "links");
  private static final HplVariant VARIANT = new HplVariant(
      false, 1, PanelBroadcast.RING_MODIFIED, PanelFactorization.CROUT, 2, PanelFactorization.RIGHT, 32);

  HplRunTable {
    header = ImmutableMap.copyOf(header);
    rows = ImmutableList.copyOf(rows);
  }

  /**
   * A row.
   *
   * @param label for people
   * @param cluster preset
   * @param nodes that took part
   * @param run N, NB, P, Q, and how fast accelerators compute
   * @param measured rate, in the table's unit
   */
  record Row(String label, String cluster, int nodes, HplRun run, double measured) {}

  /** The value of a key; empty without. */
  String header(String key) {
    return header.getOrDefault(key, "");
  }

  /** The bound of the mean error in percent; NaN where none is claimed. */
  double bound() {
    return header.containsKey("measured bound") ? Double.parseDouble(header("measured bound")) : Double.NaN;
  }

  /**
   * Reads a file.
   *
   * @throws InvalidSettingException naming file and line of what is malformed
   */
  static HplRunTable read(ScenarioReader reader, String name, String text) {
    Map<String, String> header = new LinkedHashMap<>();
    List<Row> rows = new ArrayList<>();
    boolean titled = false;
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      String place = name + ":" + number;
      if (line.startsWith("#")) {
        HplTable.readHeader(place, line, header);
      } else if (!line.isBlank() && !titled) {
        HplTable.require(
            Arrays.asList(line.strip().split(",")).equals(COLUMNS), place, "the columns must be " + COLUMNS);
        titled = true;
      } else if (!line.isBlank()) {
        rows.add(row(reader, place, line.strip().split(",", -1)));
      }
    }
    for (String key : List.of("name", "source", "unit", "model")) {
      HplTable.require(header.containsKey(key), name, "a line '# " + key + ": ...' is missing");
    }
    HplTable.requireUnit(name, header);
    HplTable.require(
        MODELS.contains(header.get("model")), name, "model '" + header.get("model") + "' is none of " + MODELS);
    HplTable.require(!rows.isEmpty(), name, "no rows");
    return new HplRunTable(header, rows);
  }

  private static Row row(ScenarioReader reader, String place, String[] cells) {
    HplTable.require(cells.length == COLUMNS.size(), place, cells.length + " cells, but " + COLUMNS.size() + " columns");
    double[] numbers = new double[cells.length];
    for (int i = 2; i < cells.length; i++) {
      numbers[i] = HplTable.number(place, COLUMNS.get(i), cells[i]);
    }
    KernelSettings kernels =
        reader.record(KernelSettings.class, place, "{sustained: " + cells[7].strip() + " %}");
    HplRun run = new HplRun(
        (long) numbers[3], (int) numbers[4], Optional.of(new ProcessGrid((int) numbers[5], (int) numbers[6])),
        Optional.empty(), VARIANT, RowSwap.SPREAD_ROLL, 64, kernels, Optional.empty());
    return new Row(cells[0], cells[1], (int) numbers[2], run, numbers[8]);
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
    return ClusterSystem.of(fabric, row.run().kernels(), overrides, row.run().blockSize()).layered(problem).flopsPerSecond();
  }

  /** Runs HPL on a cluster: operations per second. */
  static double simulated(Fabric fabric, HplRun run) {
    long ps = new Simulation("hpl", fabric, new HplWorkload(run), SimulationOptions.defaults(), 1)
        .at(Fidelity.FLOW).run().run().simulatedPs();
    return run.problem(run.grid().orElseThrow().processes()).flops() / (ps / 1e12);
  }
}
