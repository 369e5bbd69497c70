package dev.heddle.bench.track;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.ImmutableMap;
import java.util.Map;
import java.util.TreeMap;

/** Reads the JSON of JMH ({@code -rf json}), which has one benchmark. */
final class JmhResult {
  private static final String ALLOCATION = "gc.alloc.rate.norm";

  // Nanoseconds per unit of time.
  private static final Map<String, Double> UNITS =
      ImmutableMap.of("ns", 1.0, "us", 1e3, "ms", 1e6, "s", 1e9, "min", 60e9);

  private JmhResult() {}

  /**
   * Reads a result: times per operation whatever the benchmark's mode, bytes per operation, and auxiliary counters per
   * operation.
   *
   * @throws TrackException when the text is no result of one benchmark
   */
  static Measurement read(String json, String source) {
    JsonNode all;
    try {
      all = new ObjectMapper().readTree(json);
    } catch (JsonProcessingException e) {
      throw new TrackException(source + ": is no JSON of JMH: " + e.getOriginalMessage());
    }
    if (!all.isArray() || all.size() != 1) {
      throw new TrackException(source + ": has " + all.size() + " results of JMH instead of one");
    }
    JsonNode primary = all.get(0).path("primaryMetric");
    String unit = primary.path("scoreUnit").asText();
    double score = primary.path("score").asDouble(Double.NaN);
    Map<String, Double> measures = new TreeMap<>();
    measures.put(Measurement.WALL_NS, perOperation(score, unit, source));
    all.get(0).path("secondaryMetrics").fields().forEachRemaining(entry -> {
      // Releases of JMH before 1.36 put a dot before the names of profilers.
      String name = entry.getKey().replaceFirst("^\u00b7", "");
      JsonNode metric = entry.getValue();
      if (name.equals(ALLOCATION)) {
        measures.put(Measurement.ALLOCATED_BYTES, metric.path("score").asDouble());
      } else if (name.equals(ProcessorTime.NAME)) {
        measures.put(Measurement.PROCESSOR_NS, metric.path("score").asDouble());
      } else if (metric.path("scoreUnit").asText().equals(unit)) {
        // A counter of operations has the unit of the benchmark: as a rate, or as a time per count.
        double counted = metric.path("score").asDouble();
        measures.put(name + Measurement.PER_OPERATION, isRate(unit) ? counted / score : score / counted);
      }
    });
    measures.values().removeIf(value -> value.isNaN() || value.isInfinite());
    return new Measurement(measures, Map.of());
  }

  private static boolean isRate(String unit) {
    return unit.startsWith("ops/");
  }

  private static double perOperation(double score, String unit, String source) {
    String time = isRate(unit) ? unit.substring("ops/".length()) : unit.replaceFirst("/op$", "");
    Double ns = UNITS.get(time);
    if (ns == null || !(score > 0)) {
      throw new TrackException(
          source + ": has a score of " + score + " " + unit + ", which is no time of an operation");
    }
    return isRate(unit) ? ns / score : ns * score;
  }
}
