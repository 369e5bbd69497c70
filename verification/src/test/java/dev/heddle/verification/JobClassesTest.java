package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.scenario.ScenarioReader;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Traffic classes that scenarios give to workloads and to the transport protocol. */
class JobClassesTest {
  /** Two jobs at the switch whose members send to host 2 alone. */
  private static final String STAR = TrafficClassTest.SWITCH + """
      collectives: ring
      workload:
        type: concurrent
        workloads:
          - {type: collective, op: reduce, size: 6 MB, groups: [[2, 0]]}
          - {type: collective, op: broadcast, size: 6 MB, groups: [[1, 2]]}
      """;
  private static final String CLASSES = TrafficClassTest.CENTRE + "classes";
  private static final String WORKLOADS = "workload.workloads";
  private static final String FIRST = "workload.workloads[0].traffic-class";
  private static final String SECOND = "workload.workloads[1].traffic-class";
  private static final String TRANSPORT = "transport.traffic-class";
  /** The least frame with its preamble and gap: that of the exchange before goes first. */
  private static final double ACKNOWLEDGEMENT_US = 84 * 8 / 100e3;

  private static Results run(Map<String, String> overrides) {
    try (Registry registry = Registry.discover(JobClassesTest.class.getClassLoader(), List.of())) {
      return new ScenarioReader(registry).parse("test.yaml", STAR, overrides).points().get(0).scenario().simulation()
          .run();
    }
  }

  private static double time(Results results, String op) {
    return results.metric("collective." + op + ".time").orElseThrow().value();
  }

  private static Map<String, String> with(Map<String, String> settings, String key, String value) {
    Map<String, String> all = new LinkedHashMap<>(settings);
    all.put(key, value);
    return all;
  }

  /** The job of weight 3 ends when it and a third of the other's bytes have passed, the other when all have. */
  @ParameterizedTest
  @CsvSource({
      "packet, 0, 1, ''", "packet, 0, '', 1", "packet, '', 1, 0", "flow, 0, 1, ''", "flow, 0, '', 1", "flow, '', 1, 0"})
  void shouldShareLinkByWeightsWhenJobsHaveClasses(String fidelity, String first, String second, String transport) {
    Map<String, String> overrides =
        new LinkedHashMap<>(Map.of(CLASSES, "[{weight: 3}, {weight: 1}]", "fidelity", fidelity));
    Map.of(FIRST, first, SECOND, second, TRANSPORT, transport)
        .forEach((key, value) -> overrides.putAll(value.isEmpty() ? Map.of() : Map.of(key, value)));

    Results results = run(overrides);

    assertThat(time(results, "reduce")).isCloseTo(6_000_000 * TrafficClassTest.US_PER_BYTE * 4 / 3,
        withinPercentage(1));
    assertThat(time(results, "broadcast")).isCloseTo(6_000_000 * TrafficClassTest.US_PER_BYTE * 2, withinPercentage(1));
  }

  /** An exchange of one frame in a strict class waits for the frame on the wire at most. */
  @Test
  void shouldWaitForOnePacketWhenClassIsStrict() {
    String exchange = "{type: collective, op: all_gather, size: 8192 B, repeats: 50, groups: [[2, 1]]";
    Map<String, String> classes = Map.of(CLASSES, "[{weight: 1}, {strict: true}]");
    String others = "{type: collective, op: reduce, size: 6 MB, groups: [[2, 0]]},"
        + " {type: collective, op: broadcast, size: 6 MB, groups: [[3, 2]]}";
    double idle = time(run(with(classes, WORKLOADS, "[" + exchange + ", traffic-class: 1}]")), "all_gather");
    Map<String, String> strict = with(classes, WORKLOADS, "[" + others + ", " + exchange + ", traffic-class: 1}]");
    Map<String, String> busy = with(classes, WORKLOADS, "[" + others + ", " + exchange + "}]");

    assertThat(idle).isBetween(2 * TrafficClassTest.FRAME_US,
        2 * TrafficClassTest.FRAME_US + 2.001 + ACKNOWLEDGEMENT_US);
    assertThat(time(run(strict), "all_gather")).isBetween(idle, idle + TrafficClassTest.FRAME_US);
    assertThat(time(run(busy), "all_gather")).isGreaterThan(idle + 100 * TrafficClassTest.FRAME_US);
  }

  /** Host 1 is one of eleven senders to host 0; its message to host 10 waits for pauses in their class alone. */
  @ParameterizedTest
  @CsvSource({"1, 100, 260", "0, 700, 1600"})
  void shouldPauseJobsOfOneClassAlone(String victim, double leastUs, double mostUs) {
    Map<String, String> overrides = Map.of(
        WORKLOADS, "[{type: traffic, pattern: incast, loop: closed, messages: 1, message-size: 1500 KB},"
            + " {type: collective, op: broadcast, size: 1500 KB, groups: [[1, 10]], traffic-class: " + victim + "}]",
        CLASSES, "[{weight: 1}, {weight: 1}]", TrafficClassTest.CENTRE + "pfc",
        "{headroom: 100 KB, threshold: 50 KB, classes: [0]}");

    Results results = run(overrides);

    assertThat(time(results, "broadcast")).isBetween(leastUs, mostUs);
    assertThat(results.metric("pauses").orElseThrow().value()).isPositive();
    assertThat(results.metric("packets.dropped").orElseThrow().value()).isZero();
  }

  /** A job of a strict class takes its time alone at flow fidelity, and the other one what both take together. */
  @Test
  void shouldTakeTimeAloneWhenClassIsStrictAtFlowFidelity() {
    Map<String, String> overrides =
        Map.of(CLASSES, "[{weight: 1}, {strict: true}]", "fidelity", "flow", SECOND, "1");

    Results results = run(overrides);

    assertThat(results.warnings()).noneMatch(line -> line.contains("class"));
    assertThat(time(results, "broadcast")).isCloseTo(6_000_000 * TrafficClassTest.US_PER_BYTE, withinPercentage(1));
    assertThat(time(results, "reduce")).isCloseTo(6_000_000 * TrafficClassTest.US_PER_BYTE * 2, withinPercentage(1));
  }

  @ParameterizedTest
  @CsvSource({
      "flow, dcqcn, -1, rates of this congestion control as converged",
      "flow, none, 1, control packets go before all traffic classes",
      "analytic, none, -1, messages of all classes share links alike"})
  void shouldWarnOfClassesThatFidelityLacks(String fidelity, String congestion, int control, String warning) {
    Map<String, String> overrides = with(Map.of(CLASSES, "[{weight: 3}, {weight: 1}]", "fidelity", fidelity),
        "transport.congestion", congestion);

    Results results = run(control < 0 ? overrides : with(overrides, "transport.control-class", "" + control));

    assertThat(results.warnings()).anyMatch(line -> line.contains(warning));
  }

  /** Class 0, stated or not, takes the same ways at the same times. */
  @ParameterizedTest
  @ValueSource(strings = {FIRST, TRANSPORT})
  void shouldChangeNothingWhenClassIsThatOfAll(String key) {
    assertThat(run(Map.of(key, "0")).run().fingerprint()).isEqualTo(run(Map.of()).run().fingerprint());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      FIRST + " | 2 | 2 | workloads[0].traffic-class: '2' is not allowed; ",
      TRANSPORT + " | 3 | 2 | transport.traffic-class: '3' is not allowed; ",
      FIRST + " | 2 | 2 | has classes 0 to 1; add it to the 'classes' of its switch",
      FIRST + " | 1 | 1 | has one class, 0; state 'classes' of all switches of type ethernet between nodes",
      FIRST + " | 8 | 2 | workloads[0].traffic-class: '8' is above the most allowed, 7",
      FIRST + " | gold | 2 | workloads[0].traffic-class: 'gold'",
      "workload.workloads[0].trafic-class | 1 | 2 | did you mean 'traffic-class'?"})
  void shouldRefuseClassThatSwitchesLack(String key, String value, int classes, String message) {
    Map<String, String> overrides = with(
        classes > 1 ? Map.of(CLASSES, "[{weight: 3}, {weight: 1}]") : Map.of(), key, value);

    assertThatThrownBy(() -> run(overrides)).isInstanceOf(ScenarioException.class).hasMessageContaining(message);
  }
}
