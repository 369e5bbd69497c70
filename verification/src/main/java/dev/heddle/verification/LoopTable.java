package dev.heddle.verification;

import dev.heddle.kernel.Bound;
import dev.heddle.kernel.GpuCatalog;
import dev.heddle.kernel.GpuSpec;
import dev.heddle.kernel.KernelKind;
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
 * Comparison of the clock that the limit of power leaves with kernels that ran in a loop of seconds: their times are
 * predicted from those after a rest, of the same GPU.
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
  static List<Table> read(String file, String text, GpuCatalog gpus) {
    CsvTable csv = CsvTable.read(file, text).requireColumns(COLUMNS);
    Map<String, List<Row>> parts = new LinkedHashMap<>();
    for (CsvTable.Line line : csv.lines()) {
      parts.computeIfAbsent(line.cell(PART), part -> new ArrayList<>()).add(row(line, gpus));
    }
    return parts.entrySet().stream().map(part -> new Table(csv.header(KEY) + ", " + part.getKey(),
        csv.header("source"), "us", part.getValue(),
        part.getKey().equals("held out") ? csv.bound("held-out-bound") : Double.NaN)).toList();
  }

  private static Row row(CsvTable.Line line, GpuCatalog gpus) {
    GpuSpec gpu = gpus.get(line.cell(0));
    KernelKind kind = KernelKind.of(line.cell(1));
    NumberFormat format = NumberFormat.of(line.cell(2));
    double[] sizes = Arrays.stream(line.cell(3).split("x"))
        .mapToDouble(size -> CsvTable.number(line.place(), "shape", size)).toArray();
    CsvTable.require(sizes.length == kind.sizes().size(), line.place(), kind + " has the sizes " + kind.sizes());
    double seconds = MICROSECOND * CsvTable.number(line.place(), "us", line.cell(4));
    double burst = MICROSECOND * CsvTable.number(line.place(), "burst", line.cell(5));
    double flops = kind.flops(sizes);
    double bytes = kind.bytes(format, sizes);
    SustainedClock clock = SustainedClock.of(gpu);
    Bound bound = flops / gpu.reached(format) > bytes / gpu.bandwidth() ? Bound.COMPUTE : Bound.MEMORY;
    double model = clock.sustained(format, clock.busy(format, bound, flops, burst), bytes, burst);
    return new Row(String.join(" ", line.cells().subList(0, 4)), OptionalLong.empty(), seconds / MICROSECOND,
        model / MICROSECOND);
  }
}
