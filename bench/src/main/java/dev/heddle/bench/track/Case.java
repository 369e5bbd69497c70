package dev.heddle.bench.track;

import com.google.common.collect.ImmutableSortedMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A case to measure: a benchmark with one value of each parameter.
 *
 * @param benchmark qualified name of a JMH benchmark, or {@code process.} and the name of a command
 * @param parameters values by name; empty for a command
 */
record Case(String benchmark, Map<String, String> parameters) {
  static final String PROCESS = "process.";

  Case {
    parameters = ImmutableSortedMap.copyOf(parameters);
  }

  boolean isProcess() {
    return benchmark.startsWith(PROCESS);
  }

  /** The name without packages, with its parameters, such as {@code EventQueueBenchmark.holds[pending=1000]}. */
  String text() {
    String[] parts = benchmark.split("\\.", -1);
    String name = parts.length < 2 ? benchmark : parts[parts.length - 2] + "." + parts[parts.length - 1];
    return parameters.isEmpty() ? name : name + parameters.entrySet().stream()
        .map(entry -> entry.getKey() + "=" + entry.getValue()).collect(Collectors.joining(",", "[", "]"));
  }
}
