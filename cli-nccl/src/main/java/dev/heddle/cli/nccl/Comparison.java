package dev.heddle.cli.nccl;

import dev.heddle.collectives.nccl.calibration.Calibration;
import dev.heddle.collectives.nccl.calibration.MachineFit;
import dev.heddle.collectives.nccl.calibration.MeasuredTable;
import dev.heddle.collectives.nccl.measured.CallLog;
import dev.heddle.collectives.nccl.timing.MachineTiming;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** Measured times of a log beside modelled ones, with errors by size and a summary. */
final class Comparison {
  private static final List<String> BANDS = List.of("below 64 KiB", "64 KiB to 8 MiB", "from 8 MiB");

  private Comparison() {}

  static String of(MeasuredTable table, CallLog log, MachineTiming timing) {
    CallLog.Place place = log.place().orElseThrow();
    double[] model = table.modelMicros(timing);
    double factor = log.op().busFactor(place.ranks());
    StringBuilder text = new StringBuilder();
    format(text, "# %s: %s, %d ranks on %d nodes%s%n", log.file(), log.op().key(), place.ranks(), place.nodes(),
        log.facts().version().map(version -> ", NCCL " + version).orElse(""));
    format(text, "%14s %12s %12s %8s %10s %10s%n", "size (B)", "measured us", "modelled us", "error", "busbw GB/s",
        "modelled");
    for (int i = 0; i < model.length; i++) {
      MeasuredTable.Row row = table.rows().get(i);
      double gigabytes = factor * row.bytes() / 1e3;
      format(text, "%14d %12.2f %12.2f %+7.1f%% %10.2f %10.2f%n", row.bytes(), row.micros(), model[i],
          100 * (model[i] / row.micros() - 1), gigabytes / row.micros(), gigabytes / model[i]);
    }
    for (int band = 2; band >= 0; band--) {
      text.append(summary(table, model, timing, band));
    }
    return text.toString();
  }

  private static String summary(MeasuredTable table, double[] model, MachineTiming timing, int band) {
    int[] rows = IntStream.range(0, model.length)
        .filter(i -> Calibration.band(table.rows().get(i).bytes()) == band).toArray();
    if (rows.length == 0) {
      return "";
    }
    double[] errors =
        IntStream.of(rows).mapToDouble(i -> 100 * (model[i] / table.rows().get(i).micros() - 1)).toArray();
    double bias = IntStream.range(0, errors.length).mapToDouble(i -> errors[i]).average().orElse(0);
    double largest = IntStream.range(0, errors.length).mapToDouble(i -> Math.abs(errors[i])).max().orElse(0);
    return String.format(Locale.ROOT, "# mean absolute error %s: %.1f %% (mean %+.1f %%, largest %.1f %%, %d rows)%n",
        BANDS.get(band), MachineFit.errorPct(table, timing, band), bias, largest, rows.length);
  }

  private static void format(StringBuilder text, String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values));
  }
}
