package dev.heddle.verification;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.calibration.Calibration;
import dev.heddle.collectives.nccl.calibration.ConstantSet;
import dev.heddle.collectives.nccl.calibration.MeasuredTable;
import dev.heddle.collectives.nccl.timing.CommunicatorTiming;
import dev.heddle.collectives.nccl.timing.MachineTiming;
import dev.heddle.registry.Registry;
import dev.heddle.results.ValidationReport;
import dev.heddle.scenario.InstalledSuite;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.units.DataSize;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Comparison of the closed form of NCCL's times with measured ones. The first tables leave one machine out: the
 * constants of its GPUs and its network come from the tables of all other machines, its launch and the efficiency of
 * its NICs are those of its generation and network. The other tables use constants that were fitted to these same
 * tables.
 *
 * <p>A folder of tables has {@code systems.yaml}, which says for each file on which machine it was measured, and, where
 * a fit was made, its {@code constants.yaml}. Without the latter, tables are compared with the times of presets;
 * without the former, each log states its cluster.
 */
public final class NcclSuite implements InstalledSuite {
  private static final List<String> BANDS = List.of("below 64 KiB", "64 KiB to 8 MiB", "from 8 MiB");
  private static final int LARGE = 2;
  private static final int STATED_SOURCES = 3;
  private static final String SET_ASIDE = "rows set aside";
  private static final double MEAN_BOUND = 8;
  private static final double SMALL_BOUND = 20;
  private static final double ALL_REDUCE_BOUND = 5;
  private static final double OPERATION_BOUND = 12;
  private static final double OWN_BOUND = 5;

  @Override
  public String id() {
    return "nccl";
  }

  @Override
  public String description() {
    return "NCCL's collectives, and send and receive, on V100 to GB200, each machine with constants of the others";
  }

  @Override
  public ValidationReport run(Optional<Path> data) {
    try (Registry registry = Registry.discover(NcclSuite.class.getClassLoader(), List.of())) {
      return run(data, registry);
    }
  }

  @Override
  public ValidationReport run(Optional<Path> data, Registry registry) {
    DataFolder folder = data.map(DataFolder::of).orElseGet(() -> DataFolder.bundled("nccl"));
    ScenarioReader reader = new ScenarioReader(registry);
    RefusedTables refusedFiles = new RefusedTables(data);
    List<NcclTables.Entry> entries = new NcclTables(reader, folder).read(refusedFiles);
    boolean fitted = data.isEmpty() || folder.names(".yaml").contains("constants.yaml");
    List<ValidationReport.Table> tables = fitted
        ? compare(entries, reader.record(
            NcclConstants.class, folder.label("constants.yaml"), folder.text("constants.yaml")))
        : byTable(entries);
    List<String> notes = data.isPresent()
        ? refusedFiles.notes()
        : folder.text("notes.txt").lines().filter(line -> !line.isBlank()).toList();
    ValidationReport report = new ValidationReport(id(), tables, notes);
    return data.isEmpty() ? report.with(SuiteBasis.of(folder, report))
        : fitted ? report : report.with(ownBasis(entries));
  }

  // The errors of a user's tables by size, with the times of presets, so that nothing was fitted to them.
  private static ValidationReport.Basis ownBasis(List<NcclTables.Entry> entries) {
    List<Point> points = entries.stream().flatMap(entry -> points(entry, entry.timing()).stream()).toList();
    List<String> errors = new ArrayList<>();
    for (int band = LARGE; band >= 0; band--) {
      String name = BANDS.get(band);
      double[] all = points.stream().filter(point -> point.band().equals(name))
          .mapToDouble(point -> 100 * Math.abs(point.model() / point.row().micros() - 1)).toArray();
      if (all.length > 0) {
        errors.add(String.format(Locale.ROOT, "%s %.1f %% of %d rows", name, Arrays.stream(all).average().orElse(0),
            all.length));
      }
    }
    List<String> sources = entries.stream().map(NcclTables.Entry::source).distinct().toList();
    long aside = points.stream().filter(point -> point.band().equals(SET_ASIDE)).count();
    return new ValidationReport.Basis(
        sources.stream().limit(STATED_SOURCES).collect(Collectors.joining("; "))
            + (sources.size() > STATED_SOURCES ? "; and " + (sources.size() - STATED_SOURCES) + " more" : ""),
        "nothing, unless the suite has these tables itself: constants are those of the GPUs' generation and of the"
            + " network, or of systems.yaml",
        aside == 0 ? "nothing"
            : aside + " rows that took longer than a greater size, or that systems.yaml calls suspect",
        String.join(", ", errors), Map.of());
  }

  /** A measured time with the modelled one. */
  private record Point(MeasuredTable table, MeasuredTable.Row row, double model, String band) {
    ValidationReport.Row labelled(String label) {
      return new ValidationReport.Row(label, OptionalLong.of(row.bytes()), row.micros(), model);
    }

    String how() {
      return CommunicatorTiming.tuned(table.op())
          ? " " + row.execution().title() + " on " + row.execution().channels() : "";
    }
  }

  private static List<Point> points(NcclTables.Entry entry, MachineTiming timing) {
    double[] model = entry.table().modelMicros(timing);
    List<Point> points = new ArrayList<>();
    for (int i = 0; i < model.length; i++) {
      MeasuredTable.Row row = entry.table().rows().get(i);
      String band = entry.suspect().contains(row.bytes()) ? SET_ASIDE : BANDS.get(Calibration.band(row.bytes()));
      points.add(new Point(entry.table(), row, model[i], band));
    }
    return points;
  }

  private static List<ValidationReport.Table> compare(List<NcclTables.Entry> given, NcclConstants constants) {
    Map<String, ConstantSet> leftOut = constants.leftOut().entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, each -> each.getValue().set(), (a, b) -> a, LinkedHashMap::new));
    ConstantSet all = constants.all().set();
    Function<NcclTables.Entry, Stream<Point>> unfitted = entry -> points(
        entry, leftOut.getOrDefault(entry.table().machine(), all).timing(entry.table())).stream();
    List<NcclTables.Entry> entries = given.stream().filter(entry -> !entry.heldOut()).toList();
    List<Point> held = given.stream().filter(NcclTables.Entry::heldOut).flatMap(unfitted).toList();
    List<Point> outside = entries.stream().flatMap(unfitted).toList();
    List<Point> inside =
        entries.stream().flatMap(entry -> points(entry, all.timing(entry.table())).stream()).toList();
    List<ValidationReport.Table> tables = new ArrayList<>();
    for (int band = LARGE; band >= 0; band--) {
      tables.add(table("left out, all operations, " + BANDS.get(band), outside, BANDS.get(band), Optional.empty(),
          band == LARGE ? MEAN_BOUND : SMALL_BOUND));
      tables.add(table("in sample, all operations, " + BANDS.get(band), inside, BANDS.get(band), Optional.empty(),
          Double.NaN));
    }
    for (CollectiveOp op : CollectiveOp.values()) {
      for (int band = LARGE; band >= 0; band--) {
        tables.add(table("left out, " + op.key() + ", " + BANDS.get(band), outside, BANDS.get(band), Optional.of(op),
            band == LARGE ? bound(op) : Double.NaN));
        tables.add(table("in sample, " + op.key() + ", " + BANDS.get(band), inside, BANDS.get(band), Optional.of(op),
            Double.NaN));
      }
    }
    tables.addAll(parts(outside));
    tables.addAll(calibrated(entries, leftOut));
    tables.addAll(heldOut(held));
    tables.add(table("rows set aside, left out of every other table and of the fit",
        Stream.concat(outside.stream(), held.stream()).toList(), SET_ASIDE, Optional.empty(), Double.NaN));
    tables.removeIf(table -> table.rows().isEmpty());
    return tables;
  }

  private static double bound(CollectiveOp op) {
    return op == CollectiveOp.ALL_REDUCE ? ALL_REDUCE_BOUND : OPERATION_BOUND;
  }

  // A part of the GPUs of one node, with timings of machines.
  private static List<ValidationReport.Table> parts(List<Point> outside) {
    List<ValidationReport.Table> tables = new ArrayList<>();
    List<Point> large = outside.stream().filter(point -> point.band().equals(BANDS.get(LARGE))).toList();
    for (int gpus : new int[] {2, 4}) {
      List<Point> of = large.stream().filter(point -> !point.table().model().layout().networked()
          && point.table().model().layout().ranks() == gpus).toList();
      tables.add(table("left out, " + gpus + " GPUs of one node, from 8 MiB", of, BANDS.get(LARGE), Optional.empty(),
          MEAN_BOUND));
    }
    Function<Point, String> machine = point -> point.table().machine();
    large.stream().collect(Collectors.groupingBy(machine, TreeMap::new, Collectors.toList()))
        .forEach((name, of) -> tables.add(table("left out, machine " + name + ", from 8 MiB", of, BANDS.get(LARGE),
            Optional.empty(), Double.NaN)));
    return tables;
  }

  // Tables that were collected when the model stood, and that no fit uses.
  private static List<ValidationReport.Table> heldOut(List<Point> held) {
    List<ValidationReport.Table> tables = new ArrayList<>();
    for (int band = LARGE; band >= 0; band--) {
      tables.add(table("held out, all operations, " + BANDS.get(band), held, BANDS.get(band), Optional.empty(),
          band == LARGE ? MEAN_BOUND : SMALL_BOUND));
    }
    String large = BANDS.get(LARGE);
    for (CollectiveOp op : CollectiveOp.values()) {
      tables.add(table("held out, " + op.key() + ", " + large, held, large, Optional.of(op), bound(op)));
    }
    Function<Point, String> machine = point -> point.table().machine();
    held.stream().filter(point -> point.band().equals(large))
        .collect(Collectors.groupingBy(machine, TreeMap::new, Collectors.toList()))
        .forEach((name, of) -> tables.add(
            table("held out, machine " + name + ", " + large, of, large, Optional.empty(), Double.NaN)));
    return tables;
  }

  // Machines that were left out and then calibrated by 30 rows of their own: their other tables from 8 MiB, before and
  // after.
  private static List<ValidationReport.Table> calibrated(
      List<NcclTables.Entry> entries, Map<String, ConstantSet> leftOut) {
    List<OwnRows.Compared> compared = OwnRows.of(
        entries.stream().map(NcclTables.Entry::good).filter(each -> !each.rows().isEmpty()).toList(), leftOut);
    List<Point> before = new ArrayList<>();
    List<Point> after = new ArrayList<>();
    for (OwnRows.Compared each : compared) {
      before.addAll(points(each.table(), each.before()));
      after.addAll(points(each.table(), each.after()));
    }
    String large = BANDS.get(LARGE);
    List<ValidationReport.Table> tables = new ArrayList<>();
    tables.add(table("30 rows of its own, other tables, from 8 MiB", after, large, Optional.empty(), OWN_BOUND));
    tables.add(table("the same without its rows", before, large, Optional.empty(), Double.NaN));
    after.stream().collect(Collectors.groupingBy(point -> point.table().machine(), TreeMap::new, Collectors.toList()))
        .forEach((name, of) -> tables.add(table("30 rows of its own, machine " + name + ", other tables, from 8 MiB",
            of, large, Optional.empty(), Double.NaN)));
    return tables;
  }

  private static List<Point> points(MeasuredTable table, MachineTiming timing) {
    double[] model = table.modelMicros(timing);
    return IntStream.range(0, model.length).mapToObj(i -> new Point(table, table.rows().get(i), model[i],
        BANDS.get(Calibration.band(table.rows().get(i).bytes())))).toList();
  }

  private static ValidationReport.Table table(
      String name, List<Point> points, String band, Optional<CollectiveOp> op, double bound) {
    List<ValidationReport.Row> rows = points.stream()
        .filter(point -> point.band().equals(band) && op.map(each -> each == point.table().op()).orElse(true))
        .map(point -> point.labelled(point.table().name() + " " + DataSize.ofBytes(point.row().bytes()) + point.how()))
        .toList();
    return new ValidationReport.Table(name, "tables of systems.yaml", "us", rows, bound);
  }

  private static List<ValidationReport.Table> byTable(List<NcclTables.Entry> entries) {
    List<ValidationReport.Table> tables = new ArrayList<>();
    for (NcclTables.Entry entry : entries) {
      Map<String, List<ValidationReport.Row>> parts = new LinkedHashMap<>();
      for (Point point : points(entry, entry.timing())) {
        parts.computeIfAbsent(point.band(), any -> new ArrayList<>())
            .add(point.labelled(DataSize.ofBytes(point.row().bytes()) + point.how()));
      }
      parts.forEach((band, rows) -> tables.add(new ValidationReport.Table(
          entry.table().name() + ", " + band, entry.source(), "us", rows, Double.NaN)));
    }
    return tables;
  }
}
