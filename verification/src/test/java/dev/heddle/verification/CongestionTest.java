package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.scenario.ScenarioFile;
import dev.heddle.scenario.ScenarioReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A training job beside an all_to_all by congestion control, scenarios/congestion.yaml. */
class CongestionTest {
  private static final Map<String, Results> RUNS = new LinkedHashMap<>();

  @BeforeAll
  static void run() throws IOException {
    try (Registry registry = Registry.discover(CongestionTest.class.getClassLoader(), List.of())) {
      for (ScenarioFile.Point point : new ScenarioReader(registry)
          .read(Path.of("..", "scenarios", "congestion.yaml"), Map.of()).points()) {
        RUNS.put(point.parameters().values().iterator().next(), point.scenario().simulation().run());
      }
    }
  }

  private static double metric(String control, String key) {
    return Objects.requireNonNull(RUNS.get(control), control).metric(key).orElseThrow().value();
  }

  /** 6 hosts of a leaf send 4 MiB to each of 5 hosts of their job behind other leaves, by two links of 100 Gb/s. */
  @Test
  void shouldNeverExceedUplinksAndComeCloseWhenPacketsAreSprayed() {
    double wire = 6.0 * 5 * (4 << 20) * (4096 + 82) / 4096.0 * 8 / 200e3;
    assertThat(RUNS).hasSize(7);
    RUNS.keySet().forEach(control -> assertThat(metric(control, "time")).as(control).isBetween(wire, 2.5 * wire));
    assertThat(metric("NSCC", "time")).isLessThan(1.1 * wire);
  }

  @Test
  void shouldEndPausesWhenSendersSlowDown() {
    assertThat(metric("pauses alone", "pauses")).isGreaterThan(1000);
    for (String control : List.of("DCQCN", "DCTCP", "HPCC", "TIMELY", "Swift")) {
      assertThat(metric(control, "pauses")).as(control).isLessThan(metric("pauses alone", "pauses") / 100);
      assertThat(metric(control, "packets.dropped")).as(control).isZero();
    }
  }

  /** HPCC keeps a twentieth of the link free, and with it queues below the threshold of marks. */
  @Test
  void shouldMarkLeastWhenControlLeavesHeadroom() {
    for (String control : List.of("pauses alone", "DCQCN", "DCTCP", "TIMELY", "Swift")) {
      assertThat(metric("HPCC", "packets.marked")).as(control).isLessThan(metric(control, "packets.marked") / 10);
    }
  }

  @Test
  void shouldDifferByMoreThanAPercentWhenControlsDiffer() {
    List<String> controls = List.of("DCQCN", "HPCC", "TIMELY", "Swift", "NSCC");
    for (String one : controls) {
      for (String other : controls.subList(controls.indexOf(one) + 1, controls.size())) {
        double ratio = metric(one, "collective.all_to_all.time") / metric(other, "collective.all_to_all.time");
        assertThat(Math.abs(ratio - 1)).as("%s, %s", one, other).isGreaterThan(0.01);
      }
    }
  }
}
