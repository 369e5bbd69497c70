package dev.heddle.verification;

import dev.heddle.kernel.Bound;
import dev.heddle.kernel.GpuSpec;
import dev.heddle.kernel.KernelKind;
import dev.heddle.kernel.KernelLibrary;
import dev.heddle.kernel.KernelQuery;
import dev.heddle.kernel.NumberFormat;
import dev.heddle.kernel.SustainedClock;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Comparison of the clock that the limit of power leaves with kernels that ran in a loop: their times are predicted
 * from those after a rest, of the same GPU, or, where a row has none, from those of the library. A row may add up
 * kernels of several shapes, joined by {@code +}.
 */
final class LoopTable {
  /** Key of the header that names such a table. */
  static final String KEY = "loops";

  private static final List<String> COLUMNS = List.of("gpu", "kernel", "precision", "shape", "us", "burst", "part");
  private static final double MICROSECOND = 1e-6;
  private static final int PART = 6;

  private LoopTable() {}

  /**
   * One table for each part of a file.
   *
   * @throws dev.heddle.spi.InvalidSettingException naming file and line of a malformed row
   */
  static List<Table> read(String file, String text, KernelLibrary library) {
    CsvTable csv = CsvTable.read(file, text).requireColumns(COLUMNS);
    Map<String, List<Row>> parts = new LinkedHashMap<>();
    for (CsvTable.Line line : csv.lines()) {
      parts.computeIfAbsent(line.cell(PART), part -> new ArrayList<>()).add(row(line, library));
    }
    return parts.entrySet().stream().map(part -> new Table(csv.header(KEY) + ", " + part.getKey(),
        csv.header("source"), "us", part.getValue(),
        csv.bound(part.getKey().equals("held out") ? "held-out-bound" : "bound"))).toList();
  }

  private static Row row(CsvTable.Line line, KernelLibrary library) {
    String[] shapes = line.cell(3).split("\\+");
    boolean known = !line.cell(5).isEmpty();
    CsvTable.require(!known || shapes.length == 1, line.place(), "a time after a rest is that of one shape");
    double burst = known ? MICROSECOND * CsvTable.number(line.place(), "burst", line.cell(5)) : Double.NaN;
    double model = Arrays.stream(shapes).mapToDouble(shape -> seconds(line, shape, burst, library)).sum();
    return new Row(String.join(" ", line.cells().subList(0, 4)), OptionalLong.empty(),
        CsvTable.number(line.place(), "us", line.cell(4)), model / MICROSECOND);
  }

  // Of one kernel in a loop; burst is its time after a rest, NaN where the library is to tell it.
  private static double seconds(CsvTable.Line line, String shape, double burst, KernelLibrary library) {
    GpuSpec gpu = library.gpus().get(line.cell(0));
    KernelKind kind = KernelKind.of(line.cell(1));
    NumberFormat format = NumberFormat.of(line.cell(2));
    long[] sizes = Arrays.stream(shape.split("x"))
        .mapToLong(size -> (long) CsvTable.number(line.place(), "shape", size)).toArray();
    CsvTable.require(sizes.length == kind.sizes().size(), line.place(), kind + " has the sizes " + kind.sizes());
    KernelQuery query = new KernelQuery(gpu, kind, format, "", sizes);
    double flops = kind.flops(query.sizes());
    double bytes = kind.bytes(format, query.sizes());
    SustainedClock clock = SustainedClock.of(gpu);
    Bound bound = flops / gpu.reached(format) > bytes / gpu.bandwidth() ? Bound.COMPUTE : Bound.MEMORY;
    double rested = Double.isNaN(burst) ? library.estimate(query).seconds() : burst;
    return clock.sustained(format, clock.busy(format, bound, flops, rested), bytes, rested);
  }
}
