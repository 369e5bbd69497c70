package dev.heddle.cli.nccl;

import dev.heddle.collectives.nccl.calibration.Constant;
import dev.heddle.collectives.nccl.calibration.MachineFit;
import dev.heddle.collectives.nccl.calibration.MeasuredTable;
import dev.heddle.collectives.nccl.measured.LogFile;
import dev.heddle.collectives.nccl.measured.MessageLog;
import dev.heddle.units.DataSize;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The text of a fit: constants, residuals of each log, and the next measurement. */
final class CalibrationReport {
  private CalibrationReport() {}

  static String of(List<MeasuredTable> tables, List<MessageLog> messages, MachineFit fit) {
    StringBuilder text = new StringBuilder();
    format(text, "%-12s %10s %10s  %-20s %s%n", "constant", "before", "fitted", "bounds", "determined by");
    for (MachineFit.Value value : fit.values()) {
      Constant constant = value.constant();
      format(text, "%-12s %10.4g %10.4g  %-20s %s%n", constant.name(), value.before(), value.fitted(),
          String.format(Locale.ROOT, "%.3g to %.3g %s", constant.least(), constant.most(), constant.unit()),
          basis(value) + bound(value));
    }
    residuals(text, tables, fit);
    for (MessageLog log : messages) {
      format(text, "%s: %s, best %.4g %s%n", LogFile.name(log.file()), log.test(), log.best(),
          log.metric() == MessageLog.Metric.LATENCY ? "us" : "GB/s");
    }
    text.append('\n').append(next(tables, fit));
    return text.toString();
  }

  static String basis(MachineFit.Value value) {
    return switch (value.basis()) {
      case CALLS -> "calls";
      case MESSAGES -> "messages without NCCL";
      case NONE -> "not identifiable, kept";
    };
  }

  private static String bound(MachineFit.Value value) {
    if (value.basis() != MachineFit.Basis.CALLS || !value.constant().atBound(value.fitted())) {
      return "";
    }
    return value.bounded() ? "; at the bound that messages set" : "; at its bound: the model is wrong here";
  }

  private static void residuals(StringBuilder text, List<MeasuredTable> tables, MachineFit fit) {
    if (tables.isEmpty()) {
      text.append('\n');
      return;
    }
    format(text, "%nmean absolute error, %%%n%-44s %18s %18s %18s  %s%n", "log", "from 8 MiB", "64 KiB to 8 MiB",
        "below", "largest");
    for (MeasuredTable table : tables) {
      format(text, "%-44s", LogFile.name(table.name()));
      for (int band = 2; band >= 0; band--) {
        double before = MachineFit.errorPct(table, fit.before(), band);
        text.append(Double.isNaN(before) ? String.format(Locale.ROOT, "%19s", "-") : String.format(
            Locale.ROOT, "   %6.1f -> %6.1f", before, MachineFit.errorPct(table, fit.timing(), band)));
      }
      text.append("  ").append(largest(table, fit)).append('\n');
    }
  }

  private static String largest(MeasuredTable table, MachineFit fit) {
    double[] model = table.modelMicros(fit.timing());
    int worst = 0;
    for (int i = 0; i < model.length; i++) {
      worst = Math.abs(error(table, model, i)) > Math.abs(error(table, model, worst)) ? i : worst;
    }
    return String.format(Locale.ROOT, "%+.1f at %s", 100 * error(table, model, worst),
        DataSize.ofBytes(table.rows().get(worst).bytes()));
  }

  private static double error(MeasuredTable table, double[] model, int row) {
    return model[row] / table.rows().get(row).micros() - 1;
  }

  // The measurement that would tell most: of a constant that no log identifies, else of an operation not yet measured.
  private static String next(List<MeasuredTable> tables, MachineFit fit) {
    String open = fit.values().stream().filter(value -> value.basis() != MachineFit.Basis.CALLS)
        .map(value -> "next, for " + value.constant().name() + ": " + value.remedy() + "\n")
        .collect(Collectors.joining());
    if (!open.isEmpty()) {
      return open;
    }
    return "every constant is identified; next, as a check of times that were not fitted: measure "
        + (tables.stream().anyMatch(table -> table.op().key().equals("all_to_all")) ? "all_gather" : "alltoall")
        + " on the same ranks, and compare it by heddle nccl-tests --compare\n";
  }

  private static void format(StringBuilder text, String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values));
  }
}
