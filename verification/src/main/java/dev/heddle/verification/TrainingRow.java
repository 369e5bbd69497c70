package dev.heddle.verification;

import com.google.common.math.Quantiles;
import dev.heddle.results.ValidationReport.Row;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * A measured iteration beside its estimate.
 *
 * @param table of the row
 * @param stack that it counts for
 * @param row measured and estimated seconds
 * @param accelerator by its name
 * @param peakSeconds the time at the peak rate of 16 bits; NaN where the row is no whole iteration
 */
record TrainingRow(String table, TrainingStack stack, Row row, String accelerator, double peakSeconds) {
  /**
   * The mean absolute error in percent of the naive answer: one constant share of the peak for each accelerator, the
   * median share over these very rows, which flatters it.
   */
  static double constantShareErrorPct(List<TrainingRow> rows) {
    Map<String, List<TrainingRow>> byAccelerator = rows.stream().filter(row -> !Double.isNaN(row.peakSeconds))
        .collect(Collectors.groupingBy(TrainingRow::accelerator, LinkedHashMap::new, Collectors.toList()));
    Map<String, Double> shares = new LinkedHashMap<>();
    byAccelerator.forEach((name, own) -> shares.put(
        name, Quantiles.median().compute(own.stream().map(row -> row.peakSeconds / row.row.reference()).toList())));
    return mean(
        rows.stream().filter(row -> !Double.isNaN(row.peakSeconds)).toList(),
        row -> 100 * Math.abs(row.peakSeconds / shares.getOrDefault(row.accelerator, 1.0) / row.row.reference() - 1));
  }

  /** The mean absolute error in percent. */
  static double meanErrorPct(List<TrainingRow> rows) {
    return mean(rows, row -> Math.abs(row.row.errorPct()));
  }

  /** The mean error in percent, with its sign: below 0 where estimates are too fast. */
  static double biasPct(List<TrainingRow> rows) {
    return mean(rows, row -> row.row.errorPct());
  }

  private static double mean(List<TrainingRow> rows, ToDoubleFunction<TrainingRow> figure) {
    return rows.stream().mapToDouble(figure).average().orElse(Double.NaN);
  }
}
