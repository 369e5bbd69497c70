package dev.heddle.verification;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.p2p.DirectAccess;
import dev.heddle.collectives.nccl.search.ClusterPlan;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.timing.Buffers;
import dev.heddle.collectives.nccl.timing.CallTime;
import dev.heddle.collectives.nccl.timing.CommunicatorTiming;
import dev.heddle.collectives.nccl.timing.Execution;
import dev.heddle.collectives.nccl.timing.Hops;
import dev.heddle.collectives.nccl.timing.NcclTiming;
import dev.heddle.collectives.nccl.timing.RankLayout;
import dev.heddle.registry.Registry;
import dev.heddle.results.ValidationReport;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.ValidationSuite;
import dev.heddle.units.DataSize;
import dev.heddle.verification.NcclSystems.Machine;
import dev.heddle.verification.NcclSystems.Measurement;
import dev.heddle.verification.NcclSystems.Planned;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Compares NCCL's times in closed form with nccl-tests' tables. The claim is a mean absolute error of the time per
 * table of at most 5 % from 8 MiB up and 20 % below, for the rows that are suspect neither according to their sources
 * nor by a larger size of the same table.
 *
 * <p>A folder of tables has {@code systems.yaml}, which names for each CSV file the machine on which it was measured.
 */
public final class NcclSuite implements ValidationSuite {
  private static final long LARGE = 8L << 20;
  private static final double LARGE_BOUND = 5;
  private static final double SMALL_BOUND = 20;

  @Override
  public String id() {
    return "nccl";
  }

  @Override
  public String description() {
    return "NCCL's collectives, and send and receive, against nccl-tests' times on V100 to GB200";
  }

  @Override
  public ValidationReport run(Optional<Path> data) {
    DataFolder folder = data.map(DataFolder::of).orElseGet(() -> DataFolder.bundled("nccl"));
    List<ValidationReport.Table> tables = new ArrayList<>();
    try (Registry registry = Registry.discover(NcclSuite.class.getClassLoader(), List.of())) {
      ScenarioReader reader = new ScenarioReader(registry);
      NcclSystems systems =
          reader.record(NcclSystems.class, folder.label("systems.yaml"), folder.text("systems.yaml"));
      for (Measurement measurement : systems.tables()) {
        NcclTable table = NcclTable.read(folder.label(measurement.file()), folder.text(measurement.file()));
        tables.addAll(compare(measurement, table, calls(reader, folder, systems, measurement, table)));
      }
    }
    List<String> notes = data.isPresent()
        ? List.of()
        : folder.text("notes.txt").lines().filter(line -> !line.isBlank()).toList();
    return new ValidationReport(id(), tables, notes);
  }

  /** The time of a call, and the algorithm and protocol that NCCL chooses. */
  private record Model(CallTime time, String how) {}

  private interface Calls {
    Model of(CollectiveOp op, long bytes, boolean inPlace);
  }

  private static Calls calls(
      ScenarioReader reader, DataFolder folder, NcclSystems systems, Measurement measurement, NcclTable table) {
    String place = folder.label("systems.yaml");
    Machine machine = systems.systems().get(measurement.system());
    if (machine == null) {
      throw new InvalidSettingException("", place + ": " + measurement.file() + " is of system '"
          + measurement.system() + "', but there are " + String.join(", ", systems.systems().keySet()));
    }
    try {
      return machine.planned().isPresent()
          ? planned(machine, machine.planned().get(), new RankLayout(table.ranks(), measurement.nodes()))
          : chosen(reader, place, machine, measurement, table.ranks());
    } catch (InvalidSettingException | IllegalArgumentException e) {
      throw new InvalidSettingException("", place + ": " + measurement.file() + ": " + e.getMessage());
    }
  }

  private static Calls planned(Machine machine, Planned planned, RankLayout layout) {
    NcclTiming timing = new NcclTiming(machine.timing(), layout, Buffers.DEFAULT);
    Execution execution = new Execution(planned.algorithm(), planned.protocol(), planned.channels());
    return (op, bytes, inPlace) -> new Model(timing.collective(op, bytes, execution, inPlace), how(execution));
  }

  private static Calls chosen(
      ScenarioReader reader, String place, Machine machine, Measurement measurement, int ranks) {
    Map<String, String> environment = new LinkedHashMap<>(machine.environment());
    environment.putAll(measurement.environment());
    Cluster cluster = cluster(reader, place, machine.cluster(), measurement.nodes());
    NcclConfig config = NcclConfig.of(NcclVersion.parse(measurement.nccl().orElse(machine.nccl())), environment);
    Group group = group(cluster, ranks, measurement.nodes());
    CommunicatorTopology channels = ClusterPlan.channels(cluster, group, config);
    CommunicatorTiming communicator = CommunicatorTiming.of(
        channels, machine.timing(), DirectAccess.of(channels, measurement.gpusPerProcess()),
        Hops.wayPs(cluster, group, true));
    return (op, bytes, inPlace) -> new Model(
        communicator.time(op, bytes, inPlace),
        CommunicatorTiming.tuned(op) ? how(communicator.execution(op, bytes)) : "");
  }

  private static String how(Execution execution) {
    return " " + execution.title() + " on " + execution.channels();
  }

  private static Cluster cluster(ScenarioReader reader, String place, String preset, int nodes) {
    Map<String, String> overrides =
        nodes > 1 ? Map.of("cluster.tiers[1].size", Integer.toString(nodes)) : Map.of();
    return reader.cluster(place, preset, overrides);
  }

  /** The first accelerators of the first nodes, as many of each. */
  private static Group group(Cluster cluster, int ranks, int nodes) {
    int perNode = ranks / nodes;
    int[] accelerators = cluster.terminals(DeviceKind.ACCELERATOR);
    int[] members = new int[perNode * nodes];
    for (int node = 0; node < nodes; node++) {
      int wanted = node;
      int[] ofNode = Arrays.stream(accelerators).filter(each -> cluster.node(each) == wanted).toArray();
      if (ofNode.length < perNode) {
        throw new InvalidSettingException("", perNode + " ranks a node do not fit on its " + ofNode.length
            + " accelerators; there are " + cluster.nodes() + " nodes");
      }
      System.arraycopy(ofNode, 0, members, node * perNode, perNode);
    }
    return Group.of(members);
  }

  private static List<ValidationReport.Table> compare(
      Measurement measurement, NcclTable table, Calls calls) {
    Map<String, List<ValidationReport.Row>> parts = new LinkedHashMap<>();
    for (NcclTable.Row row : table.rows()) {
      Model model = calls.of(table.op(), row.bytes(), table.inPlace());
      String part = measurement.suspect(row.bytes()) || table.outlier(row) ? ", suspect rows"
          : row.bytes() < LARGE ? ", below 8 MiB" : ", from 8 MiB";
      parts.computeIfAbsent(part, any -> new ArrayList<>()).add(new ValidationReport.Row(
          DataSize.ofBytes(row.bytes()) + model.how(),
          OptionalLong.of(row.bytes()), row.micros(), model.time().nanos() / 1e3));
    }
    String name = measurement.file().replaceFirst("\\.csv$", "");
    List<ValidationReport.Table> tables = new ArrayList<>();
    parts.forEach((part, rows) -> tables.add(new ValidationReport.Table(
        name + part, table.source(), "us", rows,
        part.endsWith("rows") ? Double.NaN : part.contains("from") ? LARGE_BOUND : SMALL_BOUND)));
    return tables;
  }
}
