package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.common.collect.ImmutableMap;
import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.sim.Fidelity;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the flow network against the packet network, with scenarios that differ only in their fidelity. */
class FidelityAgreementTest {
  /** One picosecond in a microsecond. */
  private static final double EXACT = 1e-6;

  /** Eight accelerators on one switch. */
  private static final String STAR = """
      name: star
      cluster:
        tiers:
          - name: node
            terminals: {accelerator: 8}
            topology:
              type: star
              link: {type: generic, rate: 400 Gb/s, latency: 50 ns, max-payload: 4 KiB, overhead: 64 B}
              centre: {type: generic, latency: 100 ns, switching: store-and-forward}
      workload: {type: traffic, pattern: shift, loop: closed, messages: 1, message-size: 4 KiB}
      """;

  /** Four nodes of two accelerators and a NIC that converts packets of 128 B to packets of 4032 B. */
  private static final String TWO_TIERS = """
      name: two-tiers
      cluster:
        tiers:
          - name: node
            terminals: {accelerator: 2, nic: 1}
            nic: {type: generic, switching: whole-unit, latency: 200 ns}
            topology:
              type: star
              link: {type: generic, rate: 512 Gb/s, latency: 10 ns, max-payload: 128 B, overhead: 24 B}
              centre: {type: generic, latency: 50 ns}
          - name: cluster
            size: 4
            topology:
              type: star
              link: {type: generic, rate: 200 Gb/s, latency: 300 ns, max-payload: 4032 B, overhead: 64 B}
              centre: {type: generic, latency: 200 ns}
      workload: {type: traffic, pattern: shift, shift: 2, loop: closed, messages: 1, message-size: 4 KiB}
      """;

  /** A non-blocking fat tree of 32 accelerators in four levels. */
  private static final String FAT_TREE = """
      name: fat-tree
      cluster:
        tiers:
          - name: network
            terminals: {accelerator: 32}
            topology:
              type: fat-tree
              radix: 4
              levels: 4
              link: {type: generic, rate: 400 Gb/s, latency: 200 ns, max-payload: 4 KiB, overhead: 64 B}
              forwarding: {type: generic, latency: 100 ns}
      workload: {type: traffic, pattern: shift, shift: 16, loop: closed, messages: 1, message-size: 4 KiB}
      """;

  private static Results run(String scenario, Fidelity fidelity, Map<String, String> overrides) throws IOException {
    Map<String, String> all = ImmutableMap.<String, String>builder().putAll(overrides)
        .put("fidelity", fidelity.name().toLowerCase(Locale.ROOT)).build();
    try (Registry registry = Registry.discover(FidelityAgreementTest.class.getClassLoader(), List.of())) {
      return new ScenarioReader(registry).parse("test.yaml", scenario, all).points().get(0).scenario().simulation()
          .run();
    }
  }

  private static double metric(Results results, String id) {
    return results.metric(id).orElseThrow().value();
  }

  private static void assertAgreement(
      String scenario, Map<String, String> overrides, String metric, double tolerance) throws IOException {
    double packet = metric(run(scenario, Fidelity.PACKET, overrides), metric);
    double flow = metric(run(scenario, Fidelity.FLOW, overrides), metric);
    assertThat(flow).as("%s at flow fidelity, %s", metric, overrides).isCloseTo(packet, within(tolerance * packet));
  }

  // --- without contention ---

  @ParameterizedTest
  @ValueSource(strings = {
      "1 B", "64 B", "1000 B", "4032 B", "4 KiB", "4097 B", "5000 B", "64 KiB", "100001 B", "1 MiB", "64 MiB"})
  void shouldTakeWhatThePacketNetworkTakesWhenAMessageIsUndisturbed(String size) throws IOException {
    Map<String, String> message = ImmutableMap.of("workload.message-size", size);
    assertAgreement(STAR, message, "time", EXACT);
    assertAgreement(FAT_TREE, message, "time", EXACT);
    // The last packet of a burst shares its wire time with the burst before if a NIC repacks the bursts.
    assertAgreement(TWO_TIERS, message, "time", 0.02);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4})
  void shouldFillAChainOverUnequalLinksInTheTimeOfThePacketNetwork(int nodes) throws IOException {
    String chain = TWO_TIERS.substring(0, TWO_TIERS.indexOf("workload:"))
        + "workload: {type: collective, op: broadcast, size: 16 MiB}\ncollectives: {type: ring}\n";
    assertAgreement(
        chain, ImmutableMap.of("cluster.tiers.cluster.size", Integer.toString(nodes)), "time", 0.01);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cut-through", "store-and-forward", "whole-unit"})
  void shouldTakeWhatThePacketNetworkTakesWhateverTheSwitching(String switching) throws IOException {
    for (String size : List.of("100 B", "10000 B", "1 MiB")) {
      assertAgreement(
          STAR, ImmutableMap.of(
              "workload.message-size", size, "cluster.tiers.node.topology.centre.switching", switching),
          "time", EXACT);
    }
  }

  @Test
  void shouldTakeWhatThePacketNetworkTakesWhenPacketsTravelSingly() throws IOException {
    for (String size : List.of("100 B", "40320 B", "1 MiB")) {
      Map<String, String> message = ImmutableMap.of("workload.message-size", size, "run.granularity", "packet");
      assertAgreement(STAR, message, "time", EXACT);
      assertAgreement(TWO_TIERS, message, "time", 0.02);
    }
  }

  // --- credits that do not cover their round ---

  private static String credited(String scenario, String latency) {
    return scenario.replace("latency: 50 ns,", "latency: " + latency + ", buffer: 64 KiB,")
        .replace("latency: 200 ns, max", "latency: " + latency + ", buffer: 64 KiB, max");
  }

  @ParameterizedTest
  @ValueSource(strings = {"4 KiB", "60 KiB", "64 KiB", "256 KiB", "1000000 B", "16 MiB"})
  void shouldTakeWhatThePacketNetworkTakesWhenCreditsLimitAnUndisturbedMessage(String size) throws IOException {
    Map<String, String> message = ImmutableMap.of("workload.message-size", size);
    for (String scenario : List.of(credited(STAR, "2 us"), credited(FAT_TREE, "3 us"))) {
      // A short last packet waits for the one before it.
      assertAgreement(scenario, message, "time", size.equals("1000000 B") ? 0.001 : EXACT);
      assertThat(metric(run(scenario, Fidelity.ANALYTIC, message), "time"))
          .isCloseTo(metric(run(scenario, Fidelity.FLOW, message), "time"), within(1e-6));
    }
  }

  @ParameterizedTest
  @CsvSource({
      "all-to-all, 16 KiB, 0.09", "all-to-all, 256 KiB, 0.01", "permutation, 256 KiB, 0.01", "incast, 16 KiB, 0.02",
      "incast, 256 KiB, 0.025"})
  void shouldEndWhenThePacketNetworkEndsWhenMessagesShareCredits(String pattern, String size, double tolerance)
      throws IOException {
    Map<String, String> traffic =
        ImmutableMap.of("workload.pattern", pattern, "workload.message-size", size, "workload.messages", "31");
    String star = credited(STAR, "2 us");
    assertAgreement(star, traffic, "time", tolerance);
    assertAgreement(star.replace("store-and-forward", "cut-through, input-buffer: 32 KiB"), traffic, "time", tolerance);
    assertAgreement(star.replace("store-and-forward", "whole-unit, buffering: output"), traffic, "time", tolerance);
    assertAgreement(credited(FAT_TREE, "2 us"), traffic, "time", tolerance);
  }

  @Test
  void shouldWaitForCreditsWhenMessagesOfOneConnectionFollowEachOtherInClosedForm() throws IOException {
    Map<String, String> traffic = ImmutableMap.of("workload.message-size", "256 KiB", "workload.messages", "31");
    String star = credited(STAR, "2 us");
    double packet = metric(run(star, Fidelity.PACKET, traffic), "time");
    assertThat(metric(run(star, Fidelity.ANALYTIC, traffic), "time")).isCloseTo(packet, within(0.01 * packet));
  }

  @ParameterizedTest
  @CsvSource({"all_to_all, 4 MiB, 0.02", "all_to_all, 64 MiB, 0.01", "all_gather, 64 MiB, 0.02",
      "all_reduce, 64 MiB, 0.02"})
  void shouldStayNearThePacketNetworkWhenCollectivesCrossLongLinks(String op, String size, double tolerance)
      throws IOException {
    String nodes = """
        name: long-links
        cluster:
          tiers:
            - {preset: hgx-h100-node}
            - name: cluster
              size: 2
              topology:
                type: star
                link: {type: infiniband, rate: 400 Gb/s, phy-latency: 20 us}
                centre: {type: infiniband}
        workload: {type: collective, op: all_to_all, size: 4 MiB}
        collectives: nccl
        """;
    assertAgreement(nodes, ImmutableMap.of("workload.op", op, "workload.size", size), "time", tolerance);
  }

  @Test
  void shouldFillTheLinksOfB200WithPacketsAsWithFlows() throws IOException {
    String node = """
        name: node
        cluster: {tiers: [{preset: hgx-b200-node}]}
        workload: {type: traffic, pattern: shift, loop: closed, messages: 1, message-size: 64 MiB}
        """;
    for (Fidelity fidelity : List.of(Fidelity.PACKET, Fidelity.FLOW)) {
      // 18 links of 50 GB/s, of whose flits 16 in 17 carry data.
      assertThat(metric(run(node, fidelity, ImmutableMap.of()), "intra.throughput") / 8)
          .isCloseTo(900 * 16.0 / 17, within(9.0));
    }
  }

  // --- with contention ---

  @ParameterizedTest
  @CsvSource({
      "permutation, 4 KiB, 0.02", "permutation, 1 MiB, 0.001", "all-to-all, 4 KiB, 0.001", "all-to-all, 1 MiB, 0.01",
      "incast, 4 KiB, 0.03", "incast, 64 KiB, 0.002"})
  void shouldEndWhenThePacketNetworkEndsWhenTrafficIsRegular(String pattern, String size, double tolerance)
      throws IOException {
    Map<String, String> traffic =
        ImmutableMap.of("workload.pattern", pattern, "workload.message-size", size, "workload.messages", "31");
    assertAgreement(STAR, traffic, "time", tolerance);
    assertAgreement(TWO_TIERS, traffic, "time", tolerance);
    assertAgreement(FAT_TREE, traffic, "time", tolerance);
  }

  @ParameterizedTest
  @CsvSource({"uniform, 64 KiB, 0.12", "uniform, 1 MiB, 0.08", "hotspot, 64 KiB, 0.06", "hotspot, 1 MiB, 0.06"})
  void shouldStayNearThePacketNetworkWhenMessagesExceedItsBuffers(String pattern, String size, double tolerance)
      throws IOException {
    Map<String, String> traffic =
        ImmutableMap.of("workload.pattern", pattern, "workload.message-size", size, "workload.messages", "31");
    for (String scenario : List.of(STAR, TWO_TIERS, FAT_TREE)) {
      String buffered = scenario.replace("max-payload", "buffer: 32 KiB, max-payload");
      assertAgreement(buffered, traffic, "time", tolerance);
      assertAgreement(buffered, traffic, "fct", tolerance);
    }
  }

  @Test
  void shouldStayNearThePacketNetworkWhenTheSwitchStatesTheBuffersOfItsInputs() throws IOException {
    // Without these, the messages behind those for a full link would pass them, and all would end in 0.77 of the time.
    String buffered = STAR.replace("max-payload", "buffer: 1 MiB, max-payload")
        .replace("switching: store-and-forward", "input-buffer: 24 KiB");
    assertAgreement(
        buffered, ImmutableMap.of(
            "workload.pattern", "uniform", "workload.message-size", "256 KiB", "workload.messages", "64"),
        "time", 0.06);
  }

  @Test
  void shouldReachLineRateWhenAPermutationCrossesANonBlockingFatTree() throws IOException {
    Results results =
        run(FAT_TREE, Fidelity.FLOW, ImmutableMap.of("workload.messages", "100", "workload.message-size", "1 MiB"));
    double bytes = 100.0 * (1 << 20);
    double wireMicros = bytes * (4096 + 64) / 4096 / 50e3;
    assertThat(metric(results, "time")).isCloseTo(wireMicros, within(0.002 * wireMicros));
  }

  @Test
  void shouldCarryTheSameBytesOverEachLinkWhenRoutesAreTheSame() throws IOException {
    Map<String, String> traffic = ImmutableMap.of("workload.messages", "10", "workload.message-size", "100 kB");
    Results packet = run(TWO_TIERS, Fidelity.PACKET, traffic);
    Results flow = run(TWO_TIERS, Fidelity.FLOW, traffic);
    assertThat(flow.links()).hasSameSizeAs(packet.links());
    for (int link = 0; link < packet.links().size(); link++) {
      double expected = packet.links().get(link).payloadGBps() * packet.run().simulatedPs();
      double actual = flow.links().get(link).payloadGBps() * flow.run().simulatedPs();
      assertThat(actual).as(packet.links().get(link).name()).isCloseTo(expected, within(1e-6 * expected + 1));
    }
  }

  // --- runs ---

  @Test
  void shouldNameItsFidelityWhenItYieldsResults() throws IOException {
    assertThat(run(STAR, Fidelity.FLOW, ImmutableMap.of()).run().fidelity()).isEqualTo("flow");
  }

  @Test
  void shouldYieldEqualResultsWhenRunTwice() throws IOException {
    Map<String, String> traffic = ImmutableMap.of(
        "workload.pattern", "uniform", "workload.loop", "open", "workload.messages", "100000", "workload.load", "60 %",
        "run.measure", "200 us");
    Results results = run(FAT_TREE, Fidelity.FLOW, traffic);
    assertThat(metric(results, "messages.delivered")).isGreaterThan(1000);
    assertThat(run(FAT_TREE, Fidelity.FLOW, traffic)).isEqualTo(results);
    Results other = run(
        FAT_TREE, Fidelity.FLOW, ImmutableMap.<String, String>builder().putAll(traffic).put("seed", "2").build());
    assertThat(other.run().fingerprint()).isNotEqualTo(results.run().fingerprint());
  }

  @Test
  void shouldDeliverWhatIsOfferedWhenLoadIsBelowSaturation() throws IOException {
    Map<String, String> traffic = ImmutableMap.of(
        "workload.loop", "open", "workload.messages", "100000", "workload.load", "40 %", "run.warmup", "50 us",
        "run.measure", "500 us");
    Results flow = run(FAT_TREE, Fidelity.FLOW, traffic);
    assertThat(metric(flow, "messages.refused")).isZero();
    assertThat(metric(flow, "intra.offered")).isCloseTo(0.4 * 32 * 50, within(20.0));
    assertThat(metric(flow, "intra.throughput")).isCloseTo(metric(flow, "intra.offered"), within(10.0));
    assertThat(flow.links()).allSatisfy(link -> assertThat(link.utilization()).isLessThanOrEqualTo(1 + 1e-9));
  }
}
