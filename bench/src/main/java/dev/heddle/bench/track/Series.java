package dev.heddle.bench.track;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The measurements of one case of one build.
 *
 * @param benchmark as in {@link Case}
 * @param parameters as in {@link Case}
 * @param measures figures by name, one value per round
 * @param counts exact counts and fingerprints by name
 */
record Series(
    String benchmark,
    Map<String, String> parameters,
    Map<String, List<Double>> measures,
    Map<String, String> counts) {
  Series {
    parameters = ImmutableSortedMap.copyOf(parameters);
    Map<String, List<Double>> copied = new TreeMap<>();
    measures.forEach((name, values) -> copied.put(name, ImmutableList.copyOf(values)));
    measures = ImmutableSortedMap.copyOf(copied);
    counts = ImmutableSortedMap.copyOf(counts);
  }

  /**
   * Joins the measurements of a case; figures that some of them lack are left out.
   *
   * @throws TrackException when exact counts differ between measurements
   */
  static Series of(Case measured, List<Measurement> measurements) {
    Map<String, List<Double>> measures = new TreeMap<>();
    for (Measurement each : measurements) {
      if (!each.counts().equals(measurements.get(0).counts())) {
        throw new TrackException(measured.text() + ": two runs of the same build have different counts: "
            + measurements.get(0).counts() + " and " + each.counts());
      }
      each.measures().forEach((name, value) -> measures.computeIfAbsent(name, any -> new ArrayList<>()).add(value));
    }
    measures.values().removeIf(values -> values.size() < measurements.size());
    return new Series(measured.benchmark(), measured.parameters(), measures, measurements.get(0).counts());
  }

  /** The case that was measured. */
  @JsonIgnore
  Case measured() {
    return new Case(benchmark, parameters);
  }

  /** The median of a figure; NaN where it was not measured. */
  double median(String measure) {
    List<Double> values = measures.getOrDefault(measure, List.of());
    return values.isEmpty() ? Double.NaN : Rounds.median(values);
  }
}
