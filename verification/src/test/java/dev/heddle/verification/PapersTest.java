package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.results.Results.Distribution;
import dev.heddle.scenario.ScenarioFile;
import dev.heddle.scenario.ScenarioReader;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The shapes of figures of papers on congestion control, by the scenarios of {@code scenarios/papers}. */
class PapersTest {
  private static final double PACKET = (4096 + 82) / 4096.0;

  private static Map<String, Results> runs(String scenario) {
    Map<String, Results> runs = new LinkedHashMap<>();
    try (Registry registry = Registry.discover(PapersTest.class.getClassLoader(), List.of())) {
      for (ScenarioFile.Point point : new ScenarioReader(registry)
          .read(Path.of("..", "scenarios", "papers", scenario + ".yaml"), Map.of()).points()) {
        runs.put(String.join(", ", point.parameters().values()), point.scenario().simulation().run());
      }
    }
    return runs;
  }

  private static Results run(Map<String, Results> runs, String name) {
    return Objects.requireNonNull(runs.get(name), name);
  }

  private static double metric(Results results, String key) {
    return results.metric(key).orElseThrow().value();
  }

  private static Distribution completion(Results results) {
    return results.distributions().stream().filter(each -> each.id().equals("fct")).findFirst().orElseThrow();
  }

  /** Pauses give the sender with a port for itself half of the link; DCQCN gives each of the four a quarter. */
  @Test
  void shouldShareParkingLotFairlyWhenDcqcnReplacesPauses() {
    Map<String, Results> runs = runs("dcqcn-parking-lot");
    double alone = 50e6 * PACKET * 8 / 40e3;
    assertThat(metric(run(runs, "none"), "acknowledged.first")).isBetween(1.95 * alone, 2.1 * alone);
    assertThat(metric(run(runs, "none"), "acknowledged.last")).isBetween(3.95 * alone, 4.1 * alone);
    double first = metric(run(runs, "dcqcn"), "acknowledged.first");
    assertThat(first).isGreaterThan(3.5 * alone);
    assertThat(metric(run(runs, "dcqcn"), "acknowledged.last")).isLessThan(1.2 * first);
    assertThat(metric(run(runs, "dcqcn"), "pauses")).isLessThan(metric(run(runs, "none"), "pauses") / 100);
  }

  /** The paper's victim has 10 Gb/s of 40 or less under pauses, and 20 Gb/s under DCQCN. */
  @Test
  void shouldSpareVictimOfPausesWhenDcqcnSlowsIncast() {
    Map<String, Results> runs = runs("dcqcn-victim");
    double gigabits = 100e6 * PACKET * 8 / 1e3;
    assertThat(gigabits / metric(run(runs, "none"), "acknowledged.first")).isBetween(8.0, 12.0);
    assertThat(gigabits / metric(run(runs, "dcqcn"), "acknowledged.first")).isBetween(17.0, 23.0);
  }

  /** HPCC's short flows take up to 95 % less time than those of DCQCN and TIMELY [HPCC, abstract]. */
  @Test
  void shouldFindShortQueueBehindIncastWhenControlIsHpcc() {
    Map<String, Results> runs = runs("hpcc-incast");
    double start = 200;
    for (String control : List.of("hpcc", "hpcc-pint")) {
      double time = metric(run(runs, control), "acknowledged.first") - start;
      assertThat(time).as(control).isBetween(4.0, 8.0);
      for (String other : List.of("dcqcn", "timely")) {
        assertThat(time).as("%s, %s", control, other)
            .isLessThan(0.05 * (metric(run(runs, other), "acknowledged.first") - start));
      }
    }
  }

  @Test
  void shouldEndFlowsOfWebSearchSoonerAtEachLoadWhenControlIsHpcc() {
    Map<String, Results> runs = runs("hpcc-load");
    assertThat(runs).hasSize(4);
    for (String load : List.of("30 %", "50 %")) {
      Results hpcc = run(runs, "hpcc, " + load);
      Results dcqcn = run(runs, "dcqcn, " + load);
      assertThat(completion(hpcc).p50()).as("median, %s", load).isLessThan(completion(dcqcn).p50());
      assertThat(completion(hpcc).p99()).as("tail, %s", load).isLessThan(0.75 * completion(dcqcn).p99());
    }
    assertThat(completion(run(runs, "hpcc, 50 %")).p99()).isGreaterThan(completion(run(runs, "hpcc, 30 %")).p99());
  }

  /** 63 flows share the link within 2 %, lose nothing without pauses, and fill it. */
  @Test
  void shouldFillLinkWithoutLossWhenIncastIsUnderSwift() {
    Results swift = runs("swift-incast").values().iterator().next();
    double wire = 63 * 2e6 * PACKET * 8 / 100e3;
    assertThat(metric(swift, "time")).isBetween(wire, 1.02 * wire);
    assertThat(metric(swift, "packets.dropped")).isZero();
    assertThat(metric(swift, "packets.repeated")).isZero();
    assertThat(completion(swift).p50()).isGreaterThan(0.98 * completion(swift).max());
  }

  /** NDP's permutation: above 92 % of the links' capacity in the mean of the flows. */
  @Test
  void shouldFillFullTreeWhenPermutationIsSprayedTrimmedAndPaced() {
    Results ndp = runs("ndp-permutation").values().iterator().next();
    double wire = 40e6 * 9000 / 8936 * 8 / 10e3;
    assertThat(wire / metric(ndp, "fct")).isBetween(0.92, 1.0);
    assertThat(metric(ndp, "packets.trimmed")).isPositive();
  }
}
