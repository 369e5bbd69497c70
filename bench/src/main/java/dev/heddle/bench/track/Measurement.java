package dev.heddle.bench.track;

import com.google.common.collect.ImmutableSortedMap;
import java.util.Map;

/**
 * One measurement of a case, in a process of its own.
 *
 * @param measures figures by name, such as {@link #PROCESSOR_NS}; they differ from measurement to measurement
 * @param counts exact counts and fingerprints by name; they are equal in all measurements of a build
 */
record Measurement(Map<String, Double> measures, Map<String, String> counts) {
  /** Processor time, user and system, of all threads, in ns per operation or process. */
  static final String PROCESSOR_NS = "processorNs";
  /** Elapsed time in ns per operation or process. */
  static final String WALL_NS = "wallNs";
  /** Bytes allocated per operation. */
  static final String ALLOCATED_BYTES = "allocatedBytes";
  /** Most memory that a process held, in bytes; sampled, and thus a lower bound. */
  static final String PEAK_BYTES = "peakBytes";
  /** Suffix of auxiliary counters of a benchmark, such as events. */
  static final String PER_OPERATION = "PerOperation";

  Measurement {
    measures = ImmutableSortedMap.copyOf(measures);
    counts = ImmutableSortedMap.copyOf(counts);
  }
}
