package dev.heddle.verification;

import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.Precision;
import dev.heddle.workload.megatron.kernel.AttentionKernel;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.kernel.KernelTiming;
import dev.heddle.workload.megatron.kernel.LibraryTimes;
import dev.heddle.workload.megatron.kernel.NormKernel;
import dev.heddle.workload.megatron.kernel.Roofline;
import dev.heddle.workload.megatron.kernel.SharedLibrary;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * Comparison of a layer's kernels, added up at the clock that lasts, with both passes of a layer of LLaMA in PyTorch
 * that ran in a loop of seconds: one GPU, one sequence, 16 bits, cuDNN's attention, no kernel beside another.
 */
final class LayerTable {
  /** Key of the header that names such a table. */
  static final String KEY = "layers";

  private static final List<String> COLUMNS =
      List.of("gpu", "tokens", "hidden", "feed-forward", "heads", "key-heads", "us");
  private static final double MICROSECOND = 1e-6;
  private static final int HALF = 2;

  private LayerTable() {}

  /**
   * The table of a file.
   *
   * @throws dev.heddle.spi.InvalidSettingException naming file and line of a malformed row
   */
  static Table read(ScenarioReader reader, String file, String text) {
    CsvTable csv = CsvTable.read(file, text).requireColumns(COLUMNS).requireKeys(List.of("kernels-of"));
    List<Row> rows = new ArrayList<>();
    for (CsvTable.Line line : csv.lines()) {
      int[] sizes = new int[5];
      for (int i = 0; i < sizes.length; i++) {
        sizes[i] = (int) CsvTable.number(line.place(), COLUMNS.get(i + 1), line.cell(i + 1));
      }
      Accelerator gpu = reader.record(Accelerator.class, line.place(), "{preset: " + line.cell(0) + "}");
      KernelTiming timing = reader.record(KernelTiming.class, line.place(), csv.header("kernels-of"));
      LibraryTimes times = new LibraryTimes(SharedLibrary.get(), gpu, timing, new Roofline(gpu, timing), 0);
      double seconds = kernels(sizes).stream().mapToDouble(times::seconds).sum();
      rows.add(new Row(String.join(" ", line.cells().subList(0, 6)), OptionalLong.empty(),
          CsvTable.number(line.place(), "us", line.cell(6)), seconds / MICROSECOND));
    }
    return new Table(csv.header(KEY), csv.header("source"), "us", rows, csv.bound("bound"));
  }

  private static List<Kernel> kernels(int[] sizes) {
    long tokens = sizes[0];
    int hidden = sizes[1];
    long wide = sizes[2];
    int heads = sizes[3];
    int size = hidden / heads;
    long rows = (heads + 2L * sizes[4]) * size;
    List<Kernel> kernels = new ArrayList<>();
    products(kernels, tokens, rows, hidden);
    products(kernels, tokens, hidden, hidden);
    products(kernels, tokens, wide, hidden);
    products(kernels, tokens, wide, hidden);
    products(kernels, tokens, hidden, wide);
    for (boolean backward : new boolean[] {false, true}) {
      kernels.add(new Kernel.Attention("attention", AttentionKernel.FLASH_3, 1, heads, sizes[4], tokens, tokens, 0,
          size, size, true, backward));
      for (int i = 0; i < 2; i++) {
        kernels.add(new Kernel.Norm("norm", NormKernel.FUSED, tokens, hidden, false, backward));
      }
    }
    // Activation, residuals and their gradients, the copy of heads beside each other, the gradients of queries, keys
    // and values in one matrix, and the sums of gradients of what two kernels read.
    double elements = tokens * (8.0 * wide + 2 * 3 * hidden + 2.0 * hidden + 2.0 * rows + 3 * 3 * hidden);
    kernels.add(new Kernel.Memory("elementwise", HALF * elements));
    return kernels;
  }

  // The product, and the gradients of its input and of its weights.
  private static void products(List<Kernel> kernels, long tokens, long n, long k) {
    kernels.add(new Kernel.Gemm("product", 1, tokens, n, k, Precision.BF16, HALF));
    kernels.add(new Kernel.Gemm("inputs", 1, tokens, k, n, Precision.BF16, HALF));
    kernels.add(new Kernel.Gemm("weights", 1, n, k, tokens, Precision.BF16, HALF));
  }
}
