package dev.heddle.verification;

import dev.heddle.kernel.Basis;
import dev.heddle.kernel.GpuSpec;
import dev.heddle.kernel.KernelEstimate;
import dev.heddle.kernel.KernelKind;
import dev.heddle.kernel.KernelLibrary;
import dev.heddle.kernel.KernelQuery;
import dev.heddle.kernel.KernelTable;
import dev.heddle.kernel.KernelTables;
import dev.heddle.kernel.NumberFormat;
import dev.heddle.kernel.TableId;
import dev.heddle.kernel.convert.KernelFile;
import dev.heddle.kernel.convert.MeasuredRow;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.units.RandomStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Comparison of the library of kernels with held-out measured rows: a quarter of the rows of every table, split by
 * shape; all rows of one accelerator after the other; and a user's rows.
 */
final class LibraryTables {
  private static final double MICROSECOND = 1e-6;
  private static final long SEED = 22;
  private static final int QUARTER = 4;
  private static final int ROWS_OF_A_TABLE = 240;
  private static final int ROWS_OF_THE_USER = 2000;
  private static final double NO_BOUND = Double.NaN;
  private static final double BOUND_OF_LEFT_OUT = 12;
  private static final List<String> WIDE = List.of("tf32", "fp32");
  private static final List<String> SPECIAL = List.of("fp8", "fp8-row", "fp8-block", "mxfp8", "nvfp4", "mxfp4");

  private final KernelLibrary library;
  private final KernelLibrary sheet;

  LibraryTables(KernelLibrary library) {
    this.library = library;
    sheet = KernelLibrary.of(library.gpus(), List.of());
  }

  /** Held-out rows of the shipped tables, and rows of held-out accelerators. */
  List<Table> own() {
    Map<String, Compared> held = new TreeMap<>();
    Map<String, Compared> families = new LinkedHashMap<>();
    for (TableId id : library.tables()) {
      KernelTable table = library.table(id);
      if (table.rows() < QUARTER * QUARTER) {
        continue;
      }
      Compared rows = heldOut(table);
      held.computeIfAbsent(id.gpu() + ", " + id.kind() + " " + id.format(), name -> new Compared()).addAll(rows);
      families.computeIfAbsent(family(id) + ", " + memory(library.gpus().get(id.gpu())), name -> new Compared())
          .addAll(rows);
    }
    List<Table> tables = new ArrayList<>();
    families.forEach((name, rows) -> tables.add(table("rows held out: " + name, rows, bound(name))));
    tables.addAll(leftOut());
    held.forEach((name, rows) -> tables.add(table("rows held out: " + name, rows, NO_BOUND)));
    return tables;
  }

  private static String memory(GpuSpec gpu) {
    return gpu.stackedMemory() ? "GPUs with HBM" : "GPUs with GDDR";
  }

  // Mean errors in percent of rows that were held out of a table.
  private static double bound(String family) {
    if (family.startsWith("products in 16 bits") || family.startsWith("attention")) {
      return 5;
    }
    return family.startsWith("products in 8 and 4 bits") ? 6 : family.startsWith("experts") ? 8 : NO_BOUND;
  }

  private static String family(TableId id) {
    return switch (id.kind().family()) {
      case PRODUCT -> "products in " + (SPECIAL.contains(id.format().id()) ? "8 and 4 bits"
          : id.kind() == KernelKind.LINEAR || id.format() == NumberFormat.INT8 ? "integers"
          : WIDE.contains(id.format().id()) ? "32 bits" : "16 bits");
      case ATTENTION -> "attention";
      case EXPERTS -> "experts";
      case STATE_SPACE -> "state-space layers";
      case MEMORY -> "kernels that move bytes";
    };
  }

  private static Table table(String name, Compared compared, double bound) {
    return table(
        name, "tables of the library of kernels, each with its provenance; a row is told by its shape", compared,
        bound);
  }

  private static Table table(String name, String source, Compared compared, double bound) {
    return new Table(name,
        String.format(Locale.ROOT, "%s; %.0f %% lie within the interval that the library states for nine of ten",
            source, 100.0 * compared.within / compared.rows.size()),
        "us", compared.rows, bound);
  }

  /** Rows of a comparison, and how many of them lie within their interval. */
  private static final class Compared {
    private final List<Row> rows = new ArrayList<>();
    private int within;

    void add(KernelQuery query, double measured, KernelEstimate estimate) {
      rows.add(row(query, measured, estimate));
      double apart = Math.abs(Math.log(measured / estimate.seconds()));
      within += apart <= Math.log1p(estimate.relativeError()) ? 1 : 0;
    }

    void addAll(Compared other) {
      rows.addAll(other.rows);
      within += other.within;
    }
  }

  private Compared heldOut(KernelTable table) {
    boolean[] held = split(table);
    int out = 0;
    for (boolean each : held) {
      out += each ? 1 : 0;
    }
    KernelTable fitted = table.part(row -> !held[row]);
    KernelLibrary seen = KernelLibrary.of(library.gpus(), List.of(KernelTables.of(List.of(fitted))));
    int step = Math.max(1, out / ROWS_OF_A_TABLE);
    Compared rows = new Compared();
    int number = 0;
    for (int row = 0; row < held.length; row++) {
      if (held[row] && number++ % step == 0) {
        KernelQuery query = query(table, row);
        rows.add(query, table.measured(row), seen.estimate(query));
      }
    }
    return rows;
  }

  private static boolean[] split(KernelTable table) {
    boolean[] held = new boolean[table.rows()];
    RandomStream random = RandomStream.of(SEED, table.id().toString(), "held out");
    for (int row = 0; row < held.length; row++) {
      held[row] = random.nextInt(QUARTER) == 0;
    }
    held[0] = false;
    return held;
  }

  private List<Table> leftOut() {
    Map<String, Compared> rows = new LinkedHashMap<>();
    List<String> gpus = library.tables().stream().map(TableId::gpu).distinct().sorted().toList();
    for (String gpu : gpus) {
      KernelLibrary others = library.without(id -> id.gpu().equals(gpu));
      for (TableId id : library.tables()) {
        if (!id.gpu().equals(gpu)) {
          continue;
        }
        KernelTable table = library.table(id);
        int step = Math.max(1, table.rows() / ROWS_OF_A_TABLE);
        for (int row = 0; row < table.rows(); row += step) {
          KernelQuery query = query(table, row);
          KernelEstimate estimate = others.estimate(query);
          rows.computeIfAbsent("GPU left out: " + gpu + ", " + family(id) + (estimate.basis() == Basis.MODELLED
              ? ", by the data sheet" : ""), name -> new Compared()).add(query, table.measured(row), estimate);
        }
      }
    }
    List<Table> tables = new ArrayList<>();
    rows.forEach((name, all) -> tables.add(table(name, all, BOUND_OF_LEFT_OUT)));
    return tables;
  }

  /**
   * Rows of a source that shipped tables lack, by accelerator: as the library has them, and by the data sheet alone.
   *
   * @param name of what is held out
   */
  List<Table> heldOut(String name, KernelFile file) {
    Map<String, Compared> known = new LinkedHashMap<>();
    Map<String, Compared> sheets = new LinkedHashMap<>();
    for (MeasuredRow row : file.rows()) {
      KernelQuery query = query(row);
      known.computeIfAbsent(row.table().gpu(), gpu -> new Compared())
          .add(query, row.seconds(), library.estimateUnseen(query));
      sheets.computeIfAbsent(row.table().gpu(), gpu -> new Compared())
          .add(query, row.seconds(), sheet.estimate(query));
    }
    List<Table> tables = new ArrayList<>();
    known.forEach((gpu, rows) -> tables.add(
        table(name + ", held out: " + gpu, file.source(), rows, bound(family(file.rows().get(0).table())))));
    sheets.forEach((gpu, rows) -> tables.add(
        table(name + ", by the data sheet: " + gpu, file.source(), rows, NO_BOUND)));
    return tables;
  }

  /** Rows of a user's file, by accelerator, kind and format; the library excludes its own measurements. */
  List<Table> of(KernelFile file) {
    Map<String, List<MeasuredRow>> parts = new LinkedHashMap<>();
    for (MeasuredRow row : file.rows()) {
      TableId id = row.table();
      parts.computeIfAbsent(id.gpu() + ", " + id.kind() + " " + id.format(), name -> new ArrayList<>()).add(row);
    }
    List<Table> tables = new ArrayList<>();
    parts.forEach((name, measured) -> {
      int step = Math.max(1, measured.size() / ROWS_OF_THE_USER);
      List<Row> rows = new ArrayList<>();
      for (int i = 0; i < measured.size(); i += step) {
        MeasuredRow each = measured.get(i);
        KernelQuery query = query(each);
        rows.add(row(query, each.seconds(), library.estimateUnseen(query)));
      }
      String table = file.name().substring(file.name().lastIndexOf('/') + 1);
      tables.add(new Table(table + ": " + name, file.source().isEmpty() ? table : file.source(), "us", rows,
          NO_BOUND));
    });
    return tables;
  }

  // The measured variant if the library has tables of its software in the kernel's family, otherwise the best known.
  private KernelQuery query(MeasuredRow row) {
    TableId id = row.table();
    GpuSpec gpu = library.gpus().get(id.gpu());
    boolean known = library.tables().stream().anyMatch(
        other -> other.kind().family() == id.kind().family() && other.software().equals(id.software()));
    return new KernelQuery(gpu, id.kind(), id.format(), known ? id.variant() : "", row.shape());
  }

  private KernelQuery query(KernelTable table, int row) {
    TableId id = table.id();
    return new KernelQuery(library.gpus().get(id.gpu()), id.kind(), id.format(), id.variant(), table.shape(row));
  }

  private static Row row(KernelQuery query, double measured, KernelEstimate estimate) {
    NumberFormat format = query.format();
    String shape = LongStream.of(query.shape()).mapToObj(Long::toString).collect(Collectors.joining("x"));
    String label = String.format(Locale.ROOT, "%s %s %s %s %s", query.gpu().name(), query.kind(), format, shape,
        estimate.basis().name().toLowerCase(Locale.ROOT));
    return new Row(label, OptionalLong.empty(), measured / MICROSECOND, estimate.seconds() / MICROSECOND);
  }
}
