package dev.heddle.verification;

import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.Precision;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.kernel.KernelTiming;
import dev.heddle.workload.megatron.kernel.LibraryTimes;
import dev.heddle.workload.megatron.kernel.Roofline;
import dev.heddle.workload.megatron.kernel.SharedLibrary;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Comparison of the gradients of linear layers, of input and of weights one after the other, with the sum of both
 * products as training takes them. Each part of the rows is a separate table.
 */
final class GradientTable {
  /** Key of the header that names such a table. */
  static final String KEY = "gradients";

  private static final List<String> COLUMNS = List.of("gpu", "m", "n", "k", "us", "part");
  private static final int TIME = 4;
  private static final int PART = 5;
  private static final double MICROSECOND = 1e-6;
  private static final int HALF = 2;

  private GradientTable() {}

  /**
   * One table for each part of a file.
   *
   * @throws dev.heddle.spi.InvalidSettingException naming file and line of a malformed row
   */
  static List<Table> read(ScenarioReader reader, String file, String text) {
    CsvTable csv = CsvTable.read(file, text).requireColumns(COLUMNS).requireKeys(List.of("kernels-of"));
    Map<String, LibraryTimes> gpus = new LinkedHashMap<>();
    Map<String, List<Row>> parts = new LinkedHashMap<>();
    for (CsvTable.Line line : csv.lines()) {
      LibraryTimes times = gpus.computeIfAbsent(line.cell(0), gpu -> times(reader, csv, line));
      long[] sizes = new long[3];
      for (int i = 0; i < sizes.length; i++) {
        sizes[i] = (long) CsvTable.number(line.place(), COLUMNS.get(i + 1), line.cell(i + 1));
      }
      double seconds = times.seconds(product("layer-inputs", sizes[0], sizes[2], sizes[1]))
          + times.seconds(product("layer-weights", sizes[1], sizes[2], sizes[0]));
      parts.computeIfAbsent(line.cell(PART), part -> new ArrayList<>())
          .add(new Row(String.join("x", line.cells().subList(1, TIME)), OptionalLong.empty(),
              CsvTable.number(line.place(), "us", line.cell(TIME)), seconds / MICROSECOND));
    }
    return parts.entrySet().stream().map(part -> new Table(csv.header(KEY) + ", " + part.getKey(),
        csv.header("source"), "us", part.getValue(),
        part.getKey().equals("held out") ? csv.bound("held-out-bound") : Double.NaN)).toList();
  }

  private static LibraryTimes times(ScenarioReader reader, CsvTable csv, CsvTable.Line line) {
    Accelerator gpu = reader.record(Accelerator.class, line.place(), "{preset: " + line.cell(0) + "}");
    KernelTiming timing = reader.record(KernelTiming.class, line.place(), csv.header("kernels-of"));
    return new LibraryTimes(SharedLibrary.get(), gpu, timing, new Roofline(gpu, timing), 0);
  }

  private static Kernel product(String name, long m, long n, long k) {
    return new Kernel.Gemm(name, 1, m, n, k, Precision.BF16, HALF);
  }
}
