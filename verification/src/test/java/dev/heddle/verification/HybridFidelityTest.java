package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.common.collect.ImmutableMap;
import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.results.Results.LinkUsage;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.sim.SimulationException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hybrid fidelity against packets, where all is chosen, against flows, where nothing is, and its refusals. */
class HybridFidelityTest {
  /** Four nodes of four accelerators and a NIC, joined by a switch. */
  private static final String NODES = """
      name: nodes
      cluster:
        tiers:
          - name: node
            terminals: {accelerator: 4, nic: 1}
            nic: {type: generic, switching: whole-unit, latency: 200 ns}
            topology:
              type: star
              link: {type: generic, rate: 512 Gb/s, latency: 10 ns, max-payload: 128 B, overhead: 24 B, buffer: 32 KiB}
              centre: {type: generic, latency: 50 ns}
          - name: cluster
            size: 4
            topology:
              type: star
              link:
                {type: generic, rate: 400 Gb/s, latency: 300 ns, max-payload: 4032 B, overhead: 64 B, buffer: 64 KiB}
              centre: {type: generic, latency: 200 ns}
      """;
  private static final String TRAFFIC =
      "workload: {type: traffic, pattern: mixed, inter-share: 50 %, loop: closed, messages: 9, message-size: 200 KB}\n";
  private static final String COLLECTIVES = """
      workload:
        type: concurrent
        workloads:
          - {type: collective, op: all_reduce, size: 1 MiB, repeats: 3}
          - {type: traffic, pattern: mixed, inter-share: 0 %, loop: closed, messages: 12, message-size: 200 KiB}
      collectives: ring
      """;
  /** Groups of one rank per node, whose calls recur and are replayed, beside traffic within nodes. */
  private static final String BETWEEN = """
      workload:
        type: concurrent
        workloads:
          - {type: collective, op: all_reduce, size: 1 MiB, repeats: 8, groups: [[0, 4, 8, 12]]}
          - {type: traffic, pattern: mixed, inter-share: 0 %, loop: closed, messages: 8, message-size: 300 KiB}
      collectives: ring
      """;
  private static final String ALL = "{type: hybrid, packets: {tiers: [node, cluster]}}";

  private static Results run(String scenario, String fidelity, String... overlays) {
    ImmutableMap.Builder<String, String> all = ImmutableMap.<String, String>builder().put("fidelity", fidelity);
    for (int i = 0; i < overlays.length; i += 2) {
      all.put(overlays[i], overlays[i + 1]);
    }
    try (Registry registry = Registry.discover(HybridFidelityTest.class.getClassLoader(), List.of())) {
      return new ScenarioReader(registry).parse("nodes.yaml", NODES + scenario, all.build()).points().get(0).scenario()
          .simulation().run();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {TRAFFIC, COLLECTIVES, BETWEEN})
  void shouldEqualPacketsToTheBitWhenAllLinksAreChosen(String scenario) {
    Results packets = run(scenario, "packet");
    Results hybrid = run(scenario, ALL);
    assertThat(hybrid.metrics()).isEqualTo(packets.metrics());
    assertThat(hybrid.links()).isEqualTo(packets.links());
    assertThat(hybrid.distributions()).isEqualTo(packets.distributions());
    assertThat(hybrid.run().fingerprint()).isEqualTo(packets.run().fingerprint());
    assertThat(hybrid.run().events()).isEqualTo(packets.run().events());
  }

  @Test
  void shouldEqualFlowsToTheBitWhenNoMessageMeetsAChosenLink() {
    String within =
        "workload: {type: traffic, pattern: mixed, inter-share: 0 %, loop: closed, messages: 9, message-size: 99 KB}\n";
    Results flows = run(within, "flow");
    Results hybrid = run(within, "hybrid");
    assertThat(hybrid.metrics()).isEqualTo(flows.metrics());
    assertThat(hybrid.links()).isEqualTo(flows.links());
    assertThat(hybrid.distributions()).isEqualTo(flows.distributions());
    assertThat(hybrid.run().fingerprint()).isEqualTo(flows.run().fingerprint());
  }

  @ParameterizedTest
  @ValueSource(strings = {TRAFFIC, COLLECTIVES, BETWEEN})
  void shouldRepeatItselfAndAgreeWithPacketsWhenTheNetworkIsChosen(String scenario) {
    Results first = run(scenario, "hybrid");
    assertThat(run(scenario, "hybrid", "run.partitions", "4", "run.threads", "2").metrics()).isEqualTo(first.metrics());
    Results packets = run(scenario, "packet");
    assertThat((double) first.run().simulatedPs())
        .isCloseTo(packets.run().simulatedPs(), within(0.1 * packets.run().simulatedPs()));
    assertThat(first.run().events()).isLessThan(packets.run().events());
    // The share of the time that a link is busy is cut at all of it; the bytes of packets and flows are not.
    assertThat(first.links())
        .allSatisfy(link -> assertThat(link.payloadGBps()).isBetween(0.0, link.rateGBps()));
    assertThat(payload(first)).isCloseTo(payload(packets), within(1e-9 * payload(packets)));
  }

  // Bytes that cross all links, from rates and time.
  private static double payload(Results results) {
    return results.links().stream().mapToDouble(LinkUsage::payloadGBps).sum() * results.run().simulatedPs();
  }

  @ParameterizedTest
  @ValueSource(strings = {COLLECTIVES, BETWEEN})
  void shouldChangeNoResultWhenCallsOfPacketsAreReplayed(String scenario) {
    assertThat(run(scenario, "hybrid", "run.memoization", "verify").run().simulatedPs())
        .isEqualTo(run(scenario, "hybrid", "run.memoization", "none").run().simulatedPs());
  }

  @Test
  void shouldReportAStallWhenAReceiverWaitsForNobody() {
    String limited = TRAFFIC + "run: {limit: 10 us}\n";
    assertThatThrownBy(() -> run(limited, "hybrid")).isInstanceOf(SimulationException.class)
        .hasMessageContaining("not finished after 10 us").hasMessageContaining("of flows");
  }

  @Test
  void shouldNamePlaceAndRemedyWhenTheChoiceDoesNotFit() {
    assertThatThrownBy(() -> run(TRAFFIC, "{type: hybrid, packets: {tiers: [clutser]}}"))
        .isInstanceOf(ScenarioException.class).hasMessageContaining("fidelity.packets.tiers[0]")
        .hasMessageContaining("did you mean 'cluster'?");
    assertThatThrownBy(() -> run(TRAFFIC, "{type: hybrid, packets: {links: ['node0.nic0 -> cluster.swtch']}}"))
        .isInstanceOf(ScenarioException.class).hasMessageContaining("did you mean 'node0.nic0 -> cluster.switch'?");
    assertThatThrownBy(() -> run(TRAFFIC, "{type: hybrid, packets: {}}"))
        .isInstanceOf(ScenarioException.class).hasMessageContaining("chooses nothing");
    assertThatThrownBy(
        () -> run(TRAFFIC, "{type: hybrid, packets: {links: ['node0.nic0 <-> *']}}", "transport", "roce"))
        .isInstanceOf(SimulationException.class).hasMessageContaining("choose all of the tier 'cluster'");
  }

  @Test
  void shouldModelATransportWhenItsLinksAreChosen() {
    Results results = run(TRAFFIC, "hybrid", "transport", "roce");
    assertThat(results.metric("acknowledged.last")).isPresent();
    Results packets = run(TRAFFIC, "packet", "transport", "roce");
    assertThat((double) results.run().simulatedPs())
        .isCloseTo(packets.run().simulatedPs(), within(0.1 * packets.run().simulatedPs()));
  }
}
