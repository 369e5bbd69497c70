package dev.heddle.sim;

import com.google.common.collect.ImmutableMap;
import dev.heddle.results.Results;
import dev.heddle.results.Results.Distribution;
import dev.heddle.results.Results.LinkUsage;
import dev.heddle.results.Results.Metric;
import dev.heddle.results.Results.RunInfo;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Comparison of a run that replayed collective calls, or in which ranks stood for others, with a run in full: at packet
 * fidelity results are equal to the bit, at others times are, and figures are up to their rounding.
 */
final class ReplayComparison {
  /** The part of a figure that rounding may change: a sum of a million terms of 53 bits. */
  private static final double ROUNDING = 1e-9;

  private final boolean packets;

  /**
   * A comparison at a fidelity.
   *
   * @param packets whether it has packets
   */
  ReplayComparison(boolean packets) {
    this.packets = packets;
  }

  /**
   * Requires all results to be equal.
   *
   * @throws SimulationException when one differs; the message names it and both values
   */
  void requireEqual(Results simulated, Results replayed) {
    compare("", metrics(simulated), metrics(replayed));
    compare("", run(simulated.run()), run(replayed.run()));
    List<LinkUsage> links = simulated.links();
    List<LinkUsage> others = replayed.links();
    compare("", ImmutableMap.of("number of links", links.size()), ImmutableMap.of("number of links", others.size()));
    IntStream.range(0, links.size()).filter(link -> !links.get(link).equals(others.get(link))).forEach(
        link -> compare("link " + links.get(link).name() + ", ", link(links.get(link)), link(others.get(link))));
    compare("distribution of ", distributions(simulated), distributions(replayed));
  }

  private void compare(String place, Map<String, ?> simulated, Map<String, ?> replayed) {
    Map<String, Object> all = new TreeMap<>(replayed);
    all.putAll(simulated);
    for (String name : all.keySet()) {
      Object expected = simulated.get(name);
      Object actual = replayed.get(name);
      if (!Objects.equals(expected, actual) && !isRounded(expected, actual)) {
        throw new SimulationException(
            (packets ? "the replay of collective calls" : "the run of one rank of each class")
                + " has changed a result: " + place + name + " is " + actual + " in place of "
                + expected + "; run.memoization: none avoids it");
      }
    }
  }

  private boolean isRounded(@Nullable Object expected, @Nullable Object actual) {
    return !packets && expected instanceof Double one && actual instanceof Double other
        && Math.abs(one - other) <= ROUNDING * Math.max(Math.abs(one), Math.abs(other));
  }

  private static Map<String, Object> metrics(Results results) {
    Map<String, Object> values = new TreeMap<>();
    for (Metric metric : results.metrics()) {
      values.put(metric.id(), metric.value());
    }
    return values;
  }

  private Map<String, Object> run(RunInfo run) {
    if (!packets) {
      return ImmutableMap.of("simulated time [ps]", run.simulatedPs(), "hops", run.packetHops());
    }
    return ImmutableMap.of(
        "simulated time [ps]", run.simulatedPs(), "events", run.events(), "packet hops", run.packetHops(),
        "fingerprint of all deliveries", String.format(Locale.ROOT, "%016x", run.fingerprint()));
  }

  private static Map<String, Object> link(LinkUsage link) {
    return ImmutableMap.of(
        "name", link.name(), "utilization", link.utilization(), "payload [GB/s]", link.payloadGBps(),
        "units", link.units(), "credit stall", link.creditStall(), "largest queue [B]", link.maxQueueBytes());
  }

  private static Map<String, Object> distributions(Results results) {
    Map<String, Object> values = new TreeMap<>();
    for (Distribution distribution : results.distributions()) {
      values.put(distribution.id(), distribution);
    }
    return values;
  }
}
