package dev.heddle.verification;

import com.google.common.math.Quantiles;
import dev.heddle.results.ValidationReport.Row;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** A measured iteration with its estimate. */
record TrainingRow(String table, TrainingStack stack, Row row, String accelerator, double peakSeconds) {
  /**
   * The mean absolute error of a naive model, percent: a constant share of the peak for each accelerator, namely the
   * median share over these same rows, which favours the model.
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

  /** The mean error with its sign, percent: negative if estimates are too fast. */
  static double biasPct(List<TrainingRow> rows) {
    return mean(rows, row -> row.row.errorPct());
  }

  private static double mean(List<TrainingRow> rows, ToDoubleFunction<TrainingRow> figure) {
    return rows.stream().mapToDouble(figure).average().orElse(Double.NaN);
  }
}
