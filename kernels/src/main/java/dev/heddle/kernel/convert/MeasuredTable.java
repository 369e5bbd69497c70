package dev.heddle.kernel.convert;

import dev.heddle.kernel.CsvRows;
import dev.heddle.kernel.GpuCatalog;
import dev.heddle.kernel.KernelKind;
import dev.heddle.kernel.NumberFormat;
import dev.heddle.kernel.TableId;
import dev.heddle.spi.InvalidSettingException;
import java.util.ArrayList;
import java.util.List;

/** The project's own columns, as its measuring script and {@code heddle train --list-kernels} write them. */
final class MeasuredTable {
  private static final double MICROSECOND = 1e-6;
  private static final List<String> COLUMNS = List.of("gpu", "kernel", "precision", "shape", "us");
  private static final List<String> LOOPS = List.of("burst", "sustained");

  private static final String POWER_LAW = "power-law-";

  private final CsvRows csv;
  private final GpuCatalog gpus;

  MeasuredTable(CsvRows csv, GpuCatalog gpus) {
    this.csv = csv.require(COLUMNS);
    this.gpus = gpus;
  }

  List<MeasuredRow> rows() {
    List<MeasuredRow> rows = new ArrayList<>();
    for (CsvRows.Row row : csv.rows()) {
      if (!LOOPS.contains(row.cell("variant"))) {
        rows.add(located(row));
      }
    }
    return rows;
  }

  // A name that a catalogue does not know is refused with its line.
  private MeasuredRow located(CsvRows.Row row) {
    try {
      return row(row);
    } catch (InvalidSettingException e) {
      String message = String.valueOf(e.getMessage());
      throw message.startsWith(row.place()) ? e : new InvalidSettingException("", row.place() + ": " + message);
    }
  }

  private MeasuredRow row(CsvRows.Row row) {
    String[] parts = row.cell("shape").split("x", -1);
    KernelKind kind = KernelKind.of(row.cell("kernel"));
    if (kind == KernelKind.GEMM && parts.length == KernelKind.BATCHED_GEMM.sizes().size()) {
      kind = KernelKind.BATCHED_GEMM;
    }
    String variant = row.cell("variant").isEmpty() ? "measured" : row.cell("variant");
    int skew = -1;
    if (kind.sizes().get(kind.sizes().size() - 1).equals("skew") && parts.length == kind.sizes().size() - 1) {
      skew = skew(row, variant);
      variant = "measured";
    }
    if (parts.length != kind.sizes().size() - (skew < 0 ? 0 : 1)) {
      throw row.failure("shape", String.join("x", kind.sizes()));
    }
    long[] shape = new long[kind.sizes().size()];
    for (int i = 0; i < parts.length; i++) {
      try {
        shape[i] = Long.parseLong(parts[i].strip());
      } catch (NumberFormatException e) {
        throw row.failure("shape", "whole numbers with x between them");
      }
      if (shape[i] < 1 || shape[i] > 1L << 50) {
        throw row.failure("shape", "positive numbers");
      }
    }
    if (skew >= 0) {
      shape[shape.length - 1] = skew;
    }
    TableId id = new TableId(gpus.get(row.cell("gpu")).id(), kind, NumberFormat.of(row.cell("precision")), variant);
    return new MeasuredRow(id, shape, MICROSECOND * row.positive("us"), row.cell("software"), row.place());
  }

  private static int skew(CsvRows.Row row, String load) {
    if (!load.startsWith(POWER_LAW)) {
      return 0;
    }
    String exponent = load.substring(POWER_LAW.length());
    if (!exponent.matches("[0-9]{1,2}(\\.[0-9]{1,9})?")) {
      throw row.failure("variant", POWER_LAW + " and its exponent, such as " + POWER_LAW + "1.2");
    }
    return (int) Math.round(100 * Double.parseDouble(exponent));
  }
}
