package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.results.Results.LinkUsage;
import dev.heddle.scenario.ScenarioReader;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests of the findings of [SAURON §4.2.3] on the shipped scenarios, with a short measurement window: 40 us of warm-up
 * and 40 us measured. The scenarios themselves run for the paper's 2.5 and 0.5 ms.
 */
class SauronFindingsTest {
  private static final Path SCENARIOS = Path.of("..", "scenarios", "sauron");
  private static final Map<String, Results> DONE = new LinkedHashMap<>();
  private static Registry registry;

  @BeforeAll
  static void discover() {
    registry = Registry.discover(SauronFindingsTest.class.getClassLoader(), List.of());
  }

  @AfterAll
  static void close() {
    registry.close();
  }

  private static Results run(int nodes, int gigabits, String pattern, int load) {
    return DONE.computeIfAbsent(
        nodes + "/" + gigabits + "/" + pattern + "/" + load,
        key -> {
          Map<String, String> overrides = new LinkedHashMap<>();
          overrides.put("run.warmup", "40 us");
          overrides.put("run.measure", "40 us");
          overrides.put("cluster.tiers.node.topology.link.rate", gigabits + " Gb/s");
          overrides.put("workload.pattern", pattern);
          overrides.put("workload.load", load + " %");
          String file = nodes == 32 ? "figures-5-6.yaml" : "figures-7-8.yaml";
          return new ScenarioReader(registry).read(SCENARIOS.resolve(file), overrides)
              .points().get(0).scenario().simulation().run();
        });
  }

  private static double metric(Results results, String id) {
    return results.metric(id).orElseThrow().value();
  }

  // Whether the network carries less than the offered load; the margin is that of 40 us of Poisson arrivals.
  private static boolean saturated(int gigabits, String pattern, int load) {
    Results results = run(32, gigabits, pattern, load);
    double offered = metric(results, "intra.offered") + metric(results, "inter.offered");
    double carried = metric(results, "intra.throughput") + metric(results, "inter.throughput");
    return carried < 0.97 * offered;
  }

  // The load at which 8 accelerators offer a NIC 50 GB/s: payload, and a header of 64 B for each of the two packets of
  // 4 KiB.
  private static double bound(int gigabits, String pattern) {
    double inter = (25 - 5 * Integer.parseInt(pattern.substring(1))) / 100.0; // C1: 20 %, C2: 15 %, C3: 10 %, C4: 5 %
    double payloadPerNic = 50.0 * 4096 / (4096 + 2 * 64);
    return payloadPerNic / (8 * gigabits / 8.0 * inter);
  }

  @Test
  void shouldScaleIntraNodeThroughputWithBandwidthWhenNothingLeavesTheNode() {
    double slow = metric(run(32, 128, "c5", 100), "intra.throughput");
    assertThat(metric(run(32, 256, "c5", 100), "intra.throughput") / slow).isCloseTo(2, within(0.05));
    assertThat(metric(run(32, 512, "c5", 100), "intra.throughput") / slow).isCloseTo(4, within(0.1));
    assertThat(slow).isGreaterThan(0.9 * 32 * 128);
    assertThat(metric(run(32, 512, "c5", 100), "inter.throughput")).isZero();
  }

  @ParameterizedTest
  @CsvSource({"256, c1", "512, c1", "512, c2", "512, c3"})
  void shouldSaturateAtTheBoundOfTheNicWhenTrafficLeavesTheNode(int gigabits, String pattern) {
    int bound = (int) Math.round(100 * bound(gigabits, pattern));
    assertThat(bound).isBetween(40, 96);
    assertThat(saturated(gigabits, pattern, Math.round(0.9f * bound))).as("10 %% below the bound of %d %%", bound)
        .isFalse();
    assertThat(saturated(gigabits, pattern, Math.min(100, Math.round(1.1f * bound))))
        .as("10 %% above the bound of %d %%", bound).isTrue();
  }

  @Test
  void shouldSaturateC1FirstThenC2ThenC3AndEarlierWithMoreBandwidth() {
    assertThat(saturated(512, "c1", 55)).isTrue();
    assertThat(saturated(512, "c2", 55)).isFalse();
    assertThat(saturated(512, "c2", 75)).isTrue();
    assertThat(saturated(512, "c3", 75)).isFalse();
    assertThat(saturated(256, "c1", 55)).isFalse();
    assertThat(saturated(256, "c1", 100)).isTrue();
    assertThat(saturated(128, "c1", 80)).isFalse();
    assertThat(saturated(512, "c4", 80)).isFalse();
  }

  @Test
  void shouldReachTheLargestInterNodeThroughputInC1AndC2() {
    double c1 = metric(run(32, 512, "c1", 100), "inter.throughput");
    double c2 = metric(run(32, 512, "c2", 100), "inter.throughput");
    double c3 = metric(run(32, 512, "c3", 100), "inter.throughput");
    double c4 = metric(run(32, 512, "c4", 100), "inter.throughput");
    double ceiling = 32 * 50.0 * 4096 / (4096 + 128);
    assertThat(c1).isGreaterThan(0.9 * ceiling).isLessThanOrEqualTo(ceiling);
    assertThat(c2).isGreaterThan(0.9 * ceiling).isLessThanOrEqualTo(ceiling);
    assertThat(c3).isLessThan(Math.min(c1, c2));
    assertThat(c4).isLessThan(c3);
  }

  @Test
  void shouldLoseIntraNodeThroughputToTrafficThatLeavesTheNode() {
    double none = metric(run(32, 512, "c5", 100), "intra.throughput");
    double most = metric(run(32, 512, "c1", 100), "intra.throughput");
    assertThat(most).isLessThan(0.5 * none);
    int below = (int) Math.round(90 * bound(512, "c1"));
    assertThat(metric(run(32, 512, "c1", 100), "inter.fct"))
        .isGreaterThan(5 * metric(run(32, 512, "c1", below), "inter.fct"));
  }

  @Test
  void shouldGiveFourTimesTheThroughputAtEqualIntraNodeLatencyOn128Nodes() {
    Results small = run(32, 256, "c2", 50);
    Results large = run(128, 256, "c2", 50);
    assertThat(metric(large, "intra.throughput") / metric(small, "intra.throughput")).isCloseTo(4, within(0.05));
    assertThat(metric(large, "inter.throughput") / metric(small, "inter.throughput")).isCloseTo(4, within(0.1));
    assertThat(metric(large, "intra.latency") / metric(small, "intra.latency")).isCloseTo(1, within(0.02));
  }

  @Test
  void shouldShowTheBottlenecksAtSourceAndDestinationNicInThePerLinkFigures() {
    Results results = run(32, 512, "c1", 100);
    double source = utilization(results, "\\S+\\.nic0 -> cluster\\.leaf\\d+");
    double destination = utilization(results, "cluster\\.leaf\\d+ -> \\S+\\.nic0");
    double intoNic = utilization(results, "\\S+\\.switch -> \\S+\\.nic0");
    double accelerators = utilization(results, "\\S+\\.accelerator\\d -> \\S+\\.switch");
    double spines = utilization(results, "cluster\\.leaf\\d+ -> cluster\\.spine\\d+");
    assertThat(source).isGreaterThan(0.9);
    assertThat(destination).isGreaterThan(0.9);
    assertThat(accelerators).isLessThan(0.6);
    assertThat(spines).isLessThan(source);
    // Traffic that cannot enter the NIC waits in front of it, for credits instead of for the wire.
    double stalled =
        results.links().stream().filter(link -> link.name().matches("\\S+\\.accelerator\\d -> \\S+\\.switch"))
            .mapToDouble(LinkUsage::creditStall).average().orElseThrow();
    assertThat(stalled).isGreaterThan(0.3);
    assertThat(intoNic).isGreaterThan(0.9);
  }

  private static double utilization(Results results, String name) {
    return results.links().stream().filter(link -> link.name().matches(name)).mapToDouble(LinkUsage::utilization)
        .average().orElseThrow();
  }
}
