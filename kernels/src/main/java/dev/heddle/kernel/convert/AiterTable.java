package dev.heddle.kernel.convert;

import com.google.common.collect.ImmutableMap;
import dev.heddle.kernel.CsvRows;
import dev.heddle.kernel.GpuCatalog;
import dev.heddle.kernel.KernelKind;
import dev.heddle.kernel.NumberFormat;
import dev.heddle.kernel.TableId;
import dev.heddle.spi.InvalidSettingException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * AITER's files of tuned products: {@code gfx,cu_num,M,N,K,...,us}, a row the fastest kernel of a shape that its tuner
 * found. Factors have their format already, so that all are bare products. A column {@code dtype} states the format of
 * products in 16 bits, {@code q_dtype_w} that of products with a scale a row of either factor; products with scales of
 * blocks, and those in MXFP4, are told by the name of their file, as AITER tells them.
 *
 * <p>Left out are rows of other accelerators, shapes without a time, results of 32 bits, and rows whose column
 * {@code tflops} contradicts their shape: the tuner files the time of fewer rows under the next padded number of them.
 */
final class AiterTable {
  /** Columns that only these files have. */
  static final List<String> COLUMNS = List.of("gfx", "cu_num", "M", "N", "K", "us");

  /**
   * Accelerators by architecture and compute units. MI325X has those of MI300X and MI350X those of MI355X; the files do
   * not say which of both ran; AITER's published rates of attention name MI300X and MI355X.
   */
  private static final Map<String, String> GPUS =
      ImmutableMap.of("gfx942,304", "mi300x", "gfx950,256", "mi355x");
  private static final String SOFTWARE = "aiter";
  private static final double MICROSECOND = 1e-6;
  private static final double MEGA = 1e6;
  /** A stated rate has two decimals, and a time four. */
  private static final double ROUNDING = 0.01;

  private final CsvRows csv;
  private final GpuCatalog gpus;
  private final Map<String, Integer> unknown = new LinkedHashMap<>();

  AiterTable(CsvRows csv, GpuCatalog gpus) {
    this.csv = csv.require(COLUMNS);
    this.gpus = gpus;
  }

  /** Rows left out: their number by the reason. */
  Map<String, Integer> unknown() {
    return unknown;
  }

  /** The products. */
  List<MeasuredRow> rows() {
    List<MeasuredRow> rows = new ArrayList<>();
    for (CsvRows.Row row : csv.rows()) {
      Optional<String> reason = foreign(row);
      reason.ifPresent(name -> unknown.merge(name, 1, Integer::sum));
      if (reason.isEmpty()) {
        TableId id = new TableId(gpus.get(gpu(row)).id(), KernelKind.GEMM, format(row), SOFTWARE);
        rows.add(new MeasuredRow(id, shape(row), MICROSECOND * row.positive("us"), SOFTWARE, row.place()));
      }
    }
    return rows;
  }

  private static String gpu(CsvRows.Row row) {
    return GPUS.getOrDefault(row.cell("gfx") + "," + row.cell("cu_num"), "");
  }

  private static long[] shape(CsvRows.Row row) {
    return new long[] {row.size("M", 1), row.size("N", 1), row.size("K", 1)};
  }

  private static Optional<String> foreign(CsvRows.Row row) {
    if (gpu(row).isEmpty()) {
      return Optional.of(
          "the GPU '" + CsvRows.shown(row.cell("gfx")) + "' with " + CsvRows.shown(row.cell("cu_num"))
              + " compute units, which is not known");
    }
    if (row.cell("us").equals("nan") || row.cell("us").equals("inf") || row.number("us") == 0) {
      return Optional.of("shapes without a time");
    }
    String result = row.cell("outdtype");
    if (!result.isEmpty() && !result.endsWith("16")) {
      return Optional.of("results in '" + CsvRows.shown(result) + "'");
    }
    double stated = row.number("tflops");
    long[] shape = shape(row);
    double rate = 2.0 * shape[0] * shape[1] * shape[2] / (MEGA * row.positive("us"));
    return stated > 0 && Math.abs(stated - rate) > ROUNDING * (1 + rate)
        ? Optional.of("padded shapes, whose rate contradicts their time") : Optional.empty();
  }

  private NumberFormat format(CsvRows.Row row) {
    if (csv.columns().containsKey("q_dtype_w")) {
      String format = row.cell("q_dtype_w");
      if (format.equals("torch.int8")) {
        return NumberFormat.INT8;
      }
      if (format.startsWith("torch.float8_e4m3")) {
        return NumberFormat.FP8_ROW;
      }
      throw row.failure("q_dtype_w", "torch.float8_e4m3fn, torch.float8_e4m3fnuz or torch.int8");
    }
    if (csv.columns().containsKey("dtype")) {
      return switch (row.cell("dtype")) {
        case "torch.bfloat16" -> NumberFormat.BF16;
        case "torch.float16" -> NumberFormat.FP16;
        default -> throw row.failure("dtype", "torch.bfloat16 or torch.float16");
      };
    }
    String name = csv.name().toLowerCase(Locale.ROOT).replace('-', '_');
    if (name.contains("a8w8_blockscale")) {
      return NumberFormat.FP8_BLOCK;
    }
    if (name.contains("a4w4")) {
      return NumberFormat.MXFP4;
    }
    throw new InvalidSettingException("", csv.name() + ": AITER's files without a column dtype or q_dtype_w tell the "
        + "format of their products by their name, which must have a8w8_blockscale or a4w4 in it");
  }
}
