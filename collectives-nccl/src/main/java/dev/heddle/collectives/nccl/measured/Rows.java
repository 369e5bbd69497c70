package dev.heddle.collectives.nccl.measured;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;

/** Rows of a table by size; of several rows of one size the median, which must agree. */
final class Rows {
  /** The greatest ratio of two times of one call: beyond it, one of them was disturbed or is of another machine. */
  static final double CONTRADICTION = 1.25;
  private static final double RATE_CHECKED = 1;
  private static final double RATE_TOLERANCE = 0.1;

  private final Map<Long, List<Measured>> bySize = new TreeMap<>();

  /** A row with its place in the file. */
  private record Measured(LogText.Line line, double micros, OptionalDouble inPlace) {}

  /** Adds a row whose algorithm bandwidth is not known. */
  void add(LogText.Line line, long bytes, double micros) {
    add(line, bytes, micros, OptionalDouble.empty());
  }

  void add(LogText.Line line, long bytes, double micros, OptionalDouble inPlace) {
    bySize.computeIfAbsent(bytes, any -> new ArrayList<>()).add(new Measured(line, micros, inPlace));
  }

  /** Refuses a row whose bandwidth in GB/s is not its size over its time. */
  static void requireUnits(LogText.Line line, long bytes, double micros, double algbw) {
    double expected = bytes / micros / 1e3;
    LogText.require(algbw < RATE_CHECKED || Math.abs(algbw / expected - 1) < RATE_TOLERANCE, line.place(),
        String.format(Locale.ROOT, "%d B in %.6g us are %.4g GB/s, but the row says %.4g; sizes must be in bytes, times"
            + " in microseconds and rates in GB/s", bytes, micros, expected, algbw));
  }

  boolean isEmpty() {
    return bySize.isEmpty();
  }

  List<CallLog.Row> medians() {
    List<CallLog.Row> rows = new ArrayList<>();
    bySize.forEach((bytes, all) -> rows.add(new CallLog.Row(bytes, median(bytes, all), inPlace(all))));
    return rows;
  }

  private static double median(long bytes, List<Measured> all) {
    List<Measured> sorted =
        all.stream().sorted((a, b) -> Double.compare(a.micros(), b.micros())).toList();
    Measured least = sorted.get(0);
    Measured most = sorted.get(sorted.size() - 1);
    LogText.require(most.micros() <= CONTRADICTION * least.micros(), most.line().place(), String.format(Locale.ROOT,
        "contradicts %s: %d B took %.2f and %.2f us; leave one of them out", least.line().place(), bytes,
        most.micros(), least.micros()));
    return middle(sorted.stream().mapToDouble(Measured::micros).toArray());
  }

  private static OptionalDouble inPlace(List<Measured> all) {
    double[] sorted = all.stream().filter(each -> each.inPlace().isPresent())
        .mapToDouble(each -> each.inPlace().getAsDouble()).sorted().toArray();
    return sorted.length == 0 ? OptionalDouble.empty() : OptionalDouble.of(middle(sorted));
  }

  private static double middle(double[] sorted) {
    return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
  }
}
