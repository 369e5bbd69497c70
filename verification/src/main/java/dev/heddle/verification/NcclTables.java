package dev.heddle.verification;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.calibration.MeasuredTable;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.measured.CallLog;
import dev.heddle.collectives.nccl.measured.LogFile;
import dev.heddle.collectives.nccl.p2p.DirectAccess;
import dev.heddle.collectives.nccl.rccl.RcclRings;
import dev.heddle.collectives.nccl.search.ClusterPlan;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.timing.CommunicatorTiming;
import dev.heddle.collectives.nccl.timing.Execution;
import dev.heddle.collectives.nccl.timing.Hops;
import dev.heddle.collectives.nccl.timing.MachineTiming;
import dev.heddle.collectives.nccl.timing.NcclTiming;
import dev.heddle.collectives.nccl.timing.RcclTiming;
import dev.heddle.collectives.nccl.timing.StandardTiming;
import dev.heddle.collectives.nccl.tuner.Call.Reduction;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.verification.NcclSystems.Machine;
import dev.heddle.verification.NcclSystems.Measurement;
import dev.heddle.verification.NcclSystems.Planned;
import dev.heddle.verification.NcclSystems.TableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/** The measured tables of a folder, each with the communicator on which it was measured. */
final class NcclTables {
  private static final String SYSTEMS = "systems.yaml";
  private static final List<String> LIST_COLUMNS = List.of("system", "nccl", "op", "dtype", "gpus", "bytes", "ms");

  private final ScenarioReader reader;
  private final DataFolder folder;
  private final NcclSystems systems;
  private final boolean described;
  private final Map<String, Cluster> clusters = new LinkedHashMap<>();
  private final Map<List<Object>, MachineTiming> timings = new LinkedHashMap<>();
  private final Map<List<Object>, CommunicatorTiming> communicators = new LinkedHashMap<>();

  NcclTables(ScenarioReader reader, DataFolder folder) {
    this.reader = reader;
    this.folder = folder;
    described = folder.names(".yaml").contains(SYSTEMS);
    systems = described
        ? reader.record(NcclSystems.class, folder.label(SYSTEMS), folder.text(SYSTEMS))
        : new NcclSystems(Map.of(), List.of(), List.of());
  }

  /** A table with its source and its valid rows, which no fit uses if it is held out. */
  record Entry(MeasuredTable table, String source, List<Long> suspect, MachineTiming timing, boolean heldOut) {
    /** The table without rows that an outside effect delayed. */
    MeasuredTable good() {
      return new MeasuredTable(table.name(), table.machine(), table.generation(), table.network(), table.model(),
          table.op(), table.inPlace(),
          table.rows().stream().filter(row -> !suspect.contains(row.bytes())).toList());
    }
  }

  /**
   * All tables, in the order of the list.
   *
   * @param refusedFiles takes logs that state too little; tables of systems.yaml must be read
   */
  List<Entry> read(RefusedTables refusedFiles) {
    List<Entry> entries = new ArrayList<>();
    if (!described) {
      LoggedTables.read(folder, refusedFiles).forEach(each -> refusedFiles.read(() -> entries.add(logged(each))));
      for (String file : folder.names(".csv")) {
        refusedFiles.read(() -> entries.addAll(listed(file, refusedFiles)));
      }
      if (entries.isEmpty()) {
        throw refusedFiles.nothingRead(folder.label("") + ": has messages between hosts, no collectives of NCCL");
      }
    }
    for (Measurement measurement : systems.tables()) {
      entries.add(entry(measurement, table(measurement.file())));
    }
    for (TableList list : systems.lists()) {
      entries.addAll(entries(list, CsvTable.read(folder.label(list.file()), folder.text(list.file()))));
    }
    return List.copyOf(entries);
  }

  // A table in CSV, or the first test of a raw log.
  private NcclTable table(String file) {
    String label = folder.label(file);
    if (file.endsWith(".csv")) {
      return NcclTable.read(label, folder.text(file));
    }
    List<CallLog> logs = LogFile.of(label, folder.text(file)).calls();
    CsvTable.require(logs.size() == 1, label,
        "has " + logs.size() + " tests of collectives; systems.yaml needs one a file");
    CallLog log = logs.get(0);
    int ranks = log.place().map(CallLog.Place::ranks).orElseThrow(
        () -> new InvalidSettingException("", label + ": states no ranks; add a line such as '# gpus: 16'"));
    return new NcclTable(log.facts().source().orElse(file), ranks, log.op(), false,
        log.rows().stream().map(row -> new NcclTable.Row(row.bytes(), row.micros())).toList());
  }

  // A log on the cluster that it states, with the times of presets.
  private Entry logged(LoggedTables.Placed placed) {
    CallLog log = placed.log();
    CallLog.Place ranks = placed.place();
    try {
      Cluster cluster = cluster(placed.cluster() + " " + ranks.nodes(), log.file(), placed.cluster(), ranks.nodes());
      MachineTiming timing =
          reader.record(MachineTiming.class, "timing of " + placed.cluster(), StandardTiming.text(cluster));
      NcclConfig config = log.facts().config(Optional.empty(), Map.of());
      Machine machine = new Machine(placed.cluster(), config.version().toString(),
          config.texts(), Optional.of(placed.cluster()),
          ranks.nodes() > 1 ? Optional.of("network") : Optional.empty(), Optional.of(timing), Optional.empty(),
          List.of());
      NcclTable table = new NcclTable(placed.source(), ranks.ranks(), log.op(), false, log.rows().stream()
          .map(row -> new NcclTable.Row(row.bytes(), row.micros())).toList());
      Place where = new Place(ranks.nodes(), ranks.ranks(), ranks.gpusPerProcess(), false);
      return new Entry(table(name(log.file()) + " " + log.op().key(), placed.cluster(), machine, where, table,
          log.reduction()), table.source(),
          table.rows().stream().filter(table::outlier).map(NcclTable.Row::bytes).toList(), timing, false);
    } catch (InvalidSettingException | IllegalArgumentException e) {
      throw new InvalidSettingException("", log.file() + ": " + e.getMessage());
    }
  }

  private static String name(String file) {
    return LogFile.name(file).replaceFirst("\\.(csv|log|txt|out)", "");
  }

  private Entry entry(Measurement measurement, NcclTable table) {
    String place = folder.label(SYSTEMS);
    Machine machine = systems.systems().get(measurement.system());
    if (machine == null) {
      throw new InvalidSettingException("", place + ": " + measurement.file() + " is of system '"
          + measurement.system() + "', but there are " + String.join(", ", systems.systems().keySet()));
    }
    try {
      Map<String, String> environment = new LinkedHashMap<>(machine.environment());
      environment.putAll(measurement.environment());
      Machine with = new Machine(machine.cluster(), measurement.nccl().orElse(machine.nccl()), environment,
          machine.machine(), machine.network(), machine.timing(), machine.nics(), machine.tuner());
      Place where = new Place(measurement.nodes(), table.ranks(), measurement.gpusPerProcess(), false);
      String name = measurement.file().replaceFirst("\\.csv$", "");
      List<Long> suspect = table.rows().stream()
          .filter(row -> measurement.suspect(row.bytes()) || table.outlier(row)).map(NcclTable.Row::bytes).toList();
      return new Entry(
          table(name, machine.machine().orElse(measurement.system()), with, where, table, Reduction.COMMON),
          table.source(), suspect, timing(with, measurement.nodes()), measurement.heldOut());
    } catch (InvalidSettingException | IllegalArgumentException e) {
      throw new InvalidSettingException("", place + ": " + measurement.file() + ": " + e.getMessage());
    }
  }

  /** The placement of ranks, and the processes that drive them. */
  private record Place(int nodes, int ranks, int gpusPerProcess, boolean threads) {}

  private MeasuredTable table(
      String name, String owner, Machine machine, Place where, NcclTable table, Reduction reduction) {
    Cluster cluster = cluster(machine, where.nodes());
    Group group = group(cluster, where.ranks(), where.nodes());
    String generation = generation(cluster);
    MachineTiming timing = timing(machine, where.nodes());
    if (RcclRings.serves(cluster)) {
      return rccl(name, owner, machine, where, table);
    }
    CommunicatorTiming communicator = communicators.computeIfAbsent(
        List.of(machine.cluster(), machine.nccl(), machine.environment(), where),
        any -> communicator(cluster, group, machine, where, timing));
    List<MeasuredTable.Row> rows = new ArrayList<>();
    for (NcclTable.Row row : table.rows()) {
      Execution execution = machine.choice(row.bytes()).map(NcclTables::execution).orElseGet(
          () -> MeasuredTable.execution(communicator, table.op(), row.bytes(), reduction));
      rows.add(new MeasuredTable.Row(row.bytes(), row.micros(), execution));
    }
    return new MeasuredTable(name, owner, generation, where.nodes() > 1 ? machine.network().orElse("") : "",
        model(communicator, machine), table.op(), table.inPlace(), rows);
  }

  private static MeasuredTable.Model model(CommunicatorTiming communicator, Machine machine) {
    MeasuredTable.Model all = MeasuredTable.Model.of(communicator);
    return machine.nics()
        .map(rate -> new MeasuredTable.Model(
            all.layout(), timing -> all.timed().apply(timing.atMost(rate.bytesPerNano()))))
        .orElse(all);
  }

  private MeasuredTable rccl(String name, String owner, Machine machine, Place where, NcclTable table) {
    Cluster cluster = cluster(machine, where.nodes());
    RcclTiming rccl = RcclTiming.of(cluster, group(cluster, where.ranks(), where.nodes()),
        NcclConfig.of(NcclVersion.parse(machine.nccl()), machine.environment()), where.gpusPerProcess());
    List<MeasuredTable.Row> rows = new ArrayList<>();
    for (NcclTable.Row row : table.rows()) {
      rows.add(new MeasuredTable.Row(row.bytes(), row.micros(), rccl.execution(table.op(), row.bytes())));
    }
    MeasuredTable.Model model = new MeasuredTable.Model(rccl.layout(), timing -> {
      NcclTiming closed = rccl.on(timing);
      return (op, bytes, inPlace, execution) -> closed.collective(op, bytes, execution, inPlace);
    });
    return new MeasuredTable(name, owner, generation(cluster), where.nodes() > 1 ? machine.network().orElse("") : "",
        model, table.op(), table.inPlace(), rows);
  }

  private static CommunicatorTiming communicator(
      Cluster cluster, Group group, Machine machine, Place where, MachineTiming timing) {
    NcclConfig config = NcclConfig.of(NcclVersion.parse(machine.nccl()), machine.environment());
    CommunicatorTopology channels = ClusterPlan.channels(cluster, group, config);
    DirectAccess access = where.threads() ? DirectAccess.ofThreads(channels, where.gpusPerProcess())
        : DirectAccess.of(channels, where.gpusPerProcess());
    return CommunicatorTiming.of(channels, timing, access, Hops.linkLatencyPs(cluster, group, true));
  }

  private MachineTiming timing(Machine machine, int nodes) {
    Cluster cluster = cluster(machine, nodes);
    return timings.computeIfAbsent(List.of(generation(cluster), machine.network().orElse(""), nodes > 1,
        machine.timing()), any -> timing(generation(cluster), machine, nodes));
  }

  private Cluster cluster(Machine machine, int nodes) {
    return cluster(machine.cluster() + " " + nodes, folder.label(SYSTEMS), machine.cluster(), nodes);
  }

  private static String generation(Cluster cluster) {
    int first = cluster.terminals(DeviceKind.ACCELERATOR)[0];
    return cluster.accelerator(first).map(Accelerator::architecture).orElse("").replaceFirst("^cdna.*", "cdna");
  }

  private MachineTiming timing(String generation, Machine machine, int nodes) {
    return machine.timing().orElseGet(() -> reader.record(
        MachineTiming.class, "timing of " + machine.cluster(),
        "{gpu: {preset: nccl-" + generation + "}, host: {}"
            + machine.network().filter(any -> nodes > 1).map(id -> ", network: {preset: nccl-" + id + "}").orElse("")
            + "}"));
  }

  private static Execution execution(Planned planned) {
    return new Execution(planned.algorithm(), planned.protocol(), planned.channels());
  }

  // A preset, or a file of the folder.
  private Cluster cluster(String key, String place, String name, int nodes) {
    Map<String, String> overrides =
        nodes > 1 ? Map.of("cluster.tiers[1].size", Integer.toString(nodes)) : Map.of();
    return clusters.computeIfAbsent(key, any -> folder.file(name)
        .map(file -> (Cluster) reader.cluster(file, overrides))
        .orElseGet(() -> reader.cluster(place, name, overrides)));
  }

  /** The first accelerators of the first nodes, with equal numbers on each. */
  private static Group group(Cluster cluster, int ranks, int nodes) {
    int perNode = ranks / nodes;
    if (perNode * nodes != ranks) {
      throw new InvalidSettingException("", ranks + " ranks do not spread evenly over " + nodes + " nodes");
    }
    int[] accelerators = cluster.terminals(DeviceKind.ACCELERATOR);
    int[] members = new int[ranks];
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

  // A list of calls on machines that have the platforms of their GPUs; no entries where a file is none.
  private List<Entry> listed(String file, RefusedTables refusedFiles) {
    String text = folder.text(file);
    if (!LoggedTables.isList(text)) {
      return List.of();
    }
    CsvTable csv = CsvTable.read(folder.label(file), text);
    Map<String, Integer> rows = new LinkedHashMap<>();
    csv.lines().forEach(line -> rows.merge(line.cell(csv.columns().indexOf("system")), 1, Integer::sum));
    Map<String, Machine> machines = new LinkedHashMap<>();
    rows.forEach((system, count) -> LoggedTables.preset(system.replace('_', ' ').toUpperCase(Locale.ROOT))
        .ifPresentOrElse(
            platform -> machines.put(system, new Machine(platform, NcclVersion.LATEST.toString(), Map.of(),
                Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), List.of())),
            () -> refusedFiles.leave(folder.label(file) + ": " + count + " rows of the GPU '" + system
                + "', which has no platform of its own")));
    try {
      return entries(new TableList(file, machines, Map.of()), csv);
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException("", folder.label(file) + ": " + e.getMessage());
    }
  }

  // The rows with one row for each size: the median of several runs of the same call.
  private List<Entry> entries(TableList list, CsvTable csv) {
    int[] columns = LIST_COLUMNS.stream().mapToInt(csv.columns()::indexOf).toArray();
    CsvTable.require(Arrays.stream(columns).allMatch(each -> each >= 0), csv.titlePlace(),
        "needs the columns " + String.join(", ", LIST_COLUMNS));
    Map<String, Map<Long, List<Double>>> tables = new LinkedHashMap<>();
    for (CsvTable.Line line : csv.lines()) {
      if (list.systems().containsKey(line.cell(columns[0]))) {
        String key = String.join(" ", Arrays.stream(columns).limit(5).mapToObj(line::cell).toList());
        CsvTable.number(line.place(), "gpus", line.cell(columns[4]));
        long bytes = (long) CsvTable.number(line.place(), "bytes", line.cell(columns[5]));
        tables.computeIfAbsent(key, any -> new TreeMap<>()).computeIfAbsent(bytes, any -> new ArrayList<>())
            .add(1e3 * CsvTable.number(line.place(), "ms", line.cell(columns[6])));
      }
    }
    List<Entry> entries = new ArrayList<>();
    tables.forEach((key, times) -> entries.add(listed(list, key.split(" "), times)));
    return entries;
  }

  private Entry listed(TableList list, String[] key, Map<Long, List<Double>> times) {
    Machine given = Objects.requireNonNull(list.systems().get(key[0]), key[0]);
    String library = list.library(key[0], key[1]);
    String version = library.matches("\\d+\\.\\d+\\.\\d+") ? library : library + ".4";
    Machine machine = new Machine(given.cluster(), version, given.environment(), given.machine(), Optional.empty(),
        given.timing(), given.nics(), given.tuner());
    int ranks = Integer.parseInt(key[4]);
    List<NcclTable.Row> rows = new ArrayList<>();
    times.forEach((bytes, values) -> rows.add(new NcclTable.Row(bytes, median(values))));
    CollectiveOp op = NcclTable.op(list.file(), key[2]);
    NcclTable table = new NcclTable(list.file(), ranks, op, false, rows);
    String name = String.join("-", key);
    return new Entry(
        table(name, given.machine().orElse(key[0]), machine, new Place(1, ranks, ranks, true), table,
            key[3].equals("int8") ? Reduction.BYTES : Reduction.COMMON),
        list.file(), rows.stream().filter(table::outlier).map(NcclTable.Row::bytes).toList(), timing(machine, 1),
        false);
  }

  private static double median(List<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
  }
}
