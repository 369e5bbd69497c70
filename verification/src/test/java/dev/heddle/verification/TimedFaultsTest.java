package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.common.collect.ImmutableMap;
import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.scenario.Scenario;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.scenario.ScenarioReader;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Holds parts that become slow or go down during a run, and recover, against closed forms. */
class TimedFaultsTest {
  private static final Registry REGISTRY = Registry.discover(TimedFaultsTest.class.getClassLoader(), List.of());
  private static final String FAULTS = "cluster.faults";

  /** Two hosts; 16 MiB take 1342 us. */
  private static final String PAIR = """
      name: pair
      run: {granularity: packet}
      transport: {type: roce, congestion: none}
      cluster:
        tiers:
          - name: net
            terminals: {accelerator: 2}
            topology:
              type: star
              link: {type: generic, rate: 100 Gb/s, latency: 1 us, max-payload: 4 KiB, overhead: 0 B}
      workload: {type: traffic, pattern: shift, loop: closed, messages: 1, message-size: 16 MiB}
      """;

  /** 4 leaves of 4 hosts and 4 spines, of full bisection. */
  private static final String TREE = """
      name: tree
      run: {granularity: packet}
      transport: {type: uec}
      cluster:
        tiers:
          - name: net
            terminals: {accelerator: 16}
            topology:
              type: fat-tree
              down: [4, 4]
              up: [1, 4]
              link: {type: ethernet, rate: 100 Gb/s, latency: 500 ns}
              forwarding: {type: ethernet, queue: 200 KB, ecn: {min: 40 KB, max: 160 KB}, trimming: true}
              routing: adaptive
      workload: {type: traffic, pattern: shift, shift: 4, loop: closed, messages: 1, message-size: 16 MiB}
      """;

  private static Scenario scenario(String text, Map<String, String> settings) {
    return new ScenarioReader(REGISTRY).parse("faults.yaml", text, settings).points().get(0).scenario();
  }

  private static Results run(String text, String... faults) {
    return scenario(text, Map.of(FAULTS, "[" + String.join(", ", faults) + "]")).simulation().run();
  }

  private static double metric(Results results, String key) {
    return results.metric(key).orElseThrow().value();
  }

  private static String message(String text, String fault) {
    try {
      scenario(text, Map.of(FAULTS, "[" + fault + "]"));
    } catch (ScenarioException e) {
      return e.problems().get(0).path() + ": " + e.problems().get(0).message();
    }
    throw new AssertionError("was accepted");
  }

  /** A link carries in 400 us at a quarter of its rate as much as otherwise in 100 us. */
  @ParameterizedTest
  @CsvSource({
      "'at: 500 us, until: 900 us', 300", "'until: 400 us', 300", "'at: 1 ms', 1026.5", "'at: 2 ms', 0",
      "'at: 500 us, until: 900 us}, {device: net.accelerator1, rate: 50 Gb/s, at: 900 us, until: 1 ms', 350"})
  void shouldTakeLongerByMissingBytesWhenLinkIsSlowForATime(String times, double laterUs) {
    double healthy = metric(run(PAIR), "time");
    double slow = metric(run(PAIR, "{device: net.accelerator1, rate: 25 Gb/s, " + times + "}"), "time");
    assertThat(slow - healthy).isCloseTo(laterUs, within(5.0));
  }

  /** Packets share three spines of four while one is down; those on the way to it are lost and repeated. */
  @Test
  void shouldLeadPacketsAroundSpineWhileItIsDown() {
    double healthy = metric(run(TREE), "time");
    Results down = run(TREE, "{device: net.spine0, down: true, at: 400 us, until: 800 us}");
    assertThat(metric(down, "packets.dropped")).isPositive().isLessThan(1000);
    assertThat(metric(down, "time")).isBetween(healthy + 80, healthy + 300);
    Results always = run(TREE, "{device: net.spine0, down: true}");
    assertThat(metric(down, "time")).isLessThan(metric(always, "time"));
    assertThat(metric(run(TREE, "{device: net.spine0, down: true, at: 400 us}"), "time"))
        .isBetween(metric(down, "time"), metric(always, "time") + 200);
  }

  @ParameterizedTest
  @ValueSource(strings = {
      "{type: roce}", "{type: roce, congestion: hpcc, recovery: selective-repeat}", "{type: srd}",
      "{type: uec, control: both}"})
  void shouldDeliverEveryByteWhenLinksComeAndGo(String transport) {
    Results results = scenario(TREE, ImmutableMap.of("transport", transport, "workload.message-size", "4 MiB", FAULTS,
        "[{link: net.leaf0 <-> net.spine1, down: true, at: 50 us, until: 250 us},"
            + " {device: net.spine2, down: true, at: 100 us, until: 150 us},"
            + " {device: net.leaf3, loss: 1 %, at: 200 us}]"))
        .simulation().run();
    assertThat(metric(results, "messages.delivered")).isEqualTo(16);
    assertThat(metric(results, "packets.dropped")).isPositive();
  }

  @Test
  void shouldBeTheSameOnAnyNumberOfPartitionsWhenSpineGoesDown() {
    String fault = "[{device: net.spine0, down: true, at: 400 us, until: 700 us}]";
    Results one = scenario(TREE, Map.of(FAULTS, fault)).simulation().run();
    Results four = scenario(TREE, ImmutableMap.of(FAULTS, fault, "run.partitions", "4", "run.threads", "2"))
        .simulation().run();
    assertThat(four).isEqualTo(one);
  }

  @Test
  void shouldNameTheFaultWhenItsTimesAreWrong() {
    assertThat(message(PAIR, "{device: net.accelerator1, rate: 1 Gb/s, at: 3 us, until: 2 us}"))
        .isEqualTo("cluster.faults[0].until: '2 us' is not after the begin, 3 us");
    assertThat(message(PAIR, "{device: net.accelerator1, latency: 5 us, at: 3 us}"))
        .startsWith("cluster.faults[0].latency: a latency holds from start to end");
    assertThat(message(PAIR, "{device: net.accelerator7, rate: 1 Gb/s, at: 3 us}"))
        .startsWith("cluster.faults[0].device: no device is called 'net.accelerator7'");
    assertThat(message(PAIR, "{device: net.accelerator1, down: true, at: 3 us}"))
        .startsWith("cluster.faults[0].down: 'net.accelerator0' is cut off at 3 us; during a run only parts");
  }

  @Test
  void shouldSayWhatTimesNeedWhenFidelityOrTransportDoesNotFit() {
    String fault = "[{device: net.accelerator1, rate: 1 Gb/s, at: 3 us}]";
    for (String fidelity : List.of("flow", "analytic")) {
      assertThatThrownBy(() -> scenario(PAIR, Map.of(FAULTS, fault, "fidelity", fidelity)).simulation().run())
          .hasMessageContaining("a fault begins or ends at 3 us, which only packet fidelity");
    }
    String plain = PAIR.replace("transport: {type: roce, congestion: none}\n", "");
    assertThatThrownBy(() -> scenario(plain, Map.of(FAULTS, fault)).simulation().run())
        .hasMessageContaining("a fault begins or ends at 3 us, which needs a 'transport'");
  }
}
