package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.common.collect.ImmutableMap;
import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.scenario.ScenarioFile;
import dev.heddle.scenario.ScenarioReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Several jobs on one fabric, scenarios/jobs.yaml: each alone, and all together. */
class JobsTest {
  private static final Map<String, String> KEYS = ImmutableMap.of(
      "gather alone", "collective.all_gather.time", "pipeline alone", "collective.send_recv.time",
      "all_to_all alone", "collective.all_to_all.time");
  private static final String TOGETHER = "all together";

  private static List<ScenarioFile.Point> points = List.of();

  @BeforeAll
  static void read() throws IOException {
    try (Registry registry = Registry.discover(JobsTest.class.getClassLoader(), List.of())) {
      points = new ScenarioReader(registry).read(Path.of("..", "scenarios", "jobs.yaml"), Map.of()).points();
    }
  }

  private static Results run(String jobs, String placement, String congestion) {
    return points.stream()
        .filter(point -> point.parameters().values().containsAll(List.of(jobs, placement, congestion)))
        .findFirst().orElseThrow().scenario().simulation().run();
  }

  private static double time(Results results, String key) {
    return results.metric(key).orElseThrow().value();
  }

  /** Bytes of a rank over a link of 100 Gb/s in packets of 4096 B with their headers, and latencies of microseconds. */
  @Test
  void shouldTakeTimeOfWireWhenJobIsAlone() {
    double mib = 1 << 20;
    Map<String, Double> bytes =
        ImmutableMap.of("gather alone", 6 * mib, "pipeline alone", 4 * mib, "all_to_all alone", 3 * mib);
    bytes.forEach(
        (jobs, wire) -> assertThat(time(run(jobs, "packed", "none"), Objects.requireNonNull(KEYS.get(jobs)))).as(jobs)
            .isCloseTo(wire * 8 / 100e3 * (4096 + 66) / 4096, within(0.05 * wire * 8 / 100e3)));
  }

  @Test
  void shouldSlowEachJobWhenAllRunTogether() {
    for (String placement : List.of("packed", "round-robin")) {
      for (String congestion : List.of("none", "dcqcn", "swift")) {
        Results together = run(TOGETHER, placement, congestion);
        KEYS.forEach((jobs, key) -> {
          double slowDown = time(together, key) / time(run(jobs, placement, congestion), key);
          assertThat(slowDown).as("%s, %s, %s", jobs, placement, congestion).isGreaterThan(1.2);
        });
      }
    }
  }

  @Test
  void shouldSlowGatherMoreWhenItsRanksShareUplinks() {
    String key = "collective.all_gather.time";
    for (String congestion : List.of("none", "dcqcn", "swift")) {
      assertThat(time(run(TOGETHER, "round-robin", congestion), key)).as(congestion)
          .isGreaterThan(1.2 * time(run(TOGETHER, "packed", congestion), key));
    }
  }
}
