package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.sim.Fidelity;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of coupled flows with other traffic on their links, or of different sizes, against packets. */
class SharedLinksTest {
  private static final String FIRST = "[0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23]";
  private static final String SECOND = "[8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31]";

  // Random messages differ from seed to seed by some per cent of a ring's time, and so between fidelities.
  private static final int SEEDS = 4;

  private static double micros(String scenario, Fidelity fidelity) {
    return micros(scenario, fidelity, 1);
  }

  private static double micros(String scenario, Fidelity fidelity, int seed) {
    try (Registry registry = Registry.discover(SharedLinksTest.class.getClassLoader(), List.of())) {
      return new ScenarioReader(registry).parse("shared", scenario, Map.of("seed", Integer.toString(seed))).points()
          .get(0).scenario().simulation()
          .at(fidelity).run().metric("collective.all_reduce.time").orElseThrow().value();
    }
  }

  /** NCCL's rings on four nodes of H100, two below each leaf with a number of upward links. */
  private static double rings(int up, String workload, Fidelity fidelity) {
    return rings(up, workload, fidelity, 1);
  }

  private static double meanOfRings(int up, String workload, Fidelity fidelity) {
    return IntStream.rangeClosed(1, SEEDS).mapToDouble(seed -> rings(up, workload, fidelity, seed)).average()
        .orElseThrow();
  }

  private static double rings(int up, String workload, Fidelity fidelity, int seed) {
    return micros(
        "{name: shared, run: {measure: 2 ms}, cluster: {tiers: [{preset: hgx-h100-node}, {name: cluster, size: 4,"
            + " topology: {type: fat-tree, down: [16, 2], up: [1, " + up + "], link: {preset: infiniband-ndr},"
            + " forwarding: {preset: infiniband-switch-ndr}}}]}, workload: " + workload + ", collectives: {type: nccl,"
            + " version: 2.27.7, environment: {NCCL_ALGO: Ring, NCCL_PROTO: Simple}, timing: {gpu: {preset: "
            + "nccl-hopper},"
            + " host: {launch: 8 us}, network: {node: 384 GB/s, latency: 5 us, simple: 0 s}}}}",
        fidelity, seed);
  }

  private static double groups(int up, String size, String groups, Fidelity fidelity) {
    return rings(up, "{type: collective, size: " + size + ", groups: [" + groups + "]}", fidelity);
  }

  @Test
  void shouldSlowRingsAsPacketsDoWhenTwoGroupsShareUplinks() {
    double packetAlone = groups(4, "64 MiB", FIRST, Fidelity.PACKET);
    double flowAlone = groups(4, "64 MiB", FIRST, Fidelity.FLOW);
    double packet = groups(4, "64 MiB", FIRST + ", " + SECOND, Fidelity.PACKET);
    double flow = groups(4, "64 MiB", FIRST + ", " + SECOND, Fidelity.FLOW);
    assertThat(packet / packetAlone).isGreaterThan(1.2);
    assertThat(flow / flowAlone).isCloseTo(packet / packetAlone, within(0.1));
    assertThat(flow).isCloseTo(packet, within(0.12 * packet));
  }

  private static String besideMessages(String size) {
    return "{type: concurrent, workloads: [{type: collective, size: " + size + ", groups: [" + FIRST + "]},"
        + " {type: traffic, pattern: mixed, inter-share: 100 %, load: 4 %, message-size: 64 KiB}]}";
  }

  @Test
  void shouldSlowARingAsPacketsDoWhenSmallMessagesUseItsLinksToo() {
    double packetAlone = groups(16, "64 MiB", FIRST, Fidelity.PACKET);
    double flowAlone = groups(16, "64 MiB", FIRST, Fidelity.FLOW);
    double packet = meanOfRings(16, besideMessages("64 MiB"), Fidelity.PACKET);
    double flow = meanOfRings(16, besideMessages("64 MiB"), Fidelity.FLOW);
    assertThat(packet).isGreaterThan(1.2 * packetAlone);
    assertThat(flow / flowAlone).isCloseTo(packet / packetAlone, within(0.1 * packet / packetAlone));
    assertThat(flow).isCloseTo(packet, within(0.12 * packet));
  }

  // A slice of a ring that waits for room queues behind messages. The flow network has no queue for it: contention
  // slows the ring less.
  @Test
  void shouldSlowARingNoMoreThanPacketsDoWhenItsConnectionsWaitForRoom() {
    double packet = rings(16, besideMessages("16 MiB"), Fidelity.PACKET) / groups(16, "16 MiB", FIRST, Fidelity.PACKET);
    double flow = rings(16, besideMessages("16 MiB"), Fidelity.FLOW) / groups(16, "16 MiB", FIRST, Fidelity.FLOW);
    assertThat(packet).isGreaterThan(1.05);
    assertThat(flow).isBetween(1.02, packet + 0.02);
  }

  @ParameterizedTest
  @EnumSource(value = Fidelity.class, names = {"FLOW", "ANALYTIC"})
  void shouldGoAtThePaceOfTheSlowestEdgeWhenARingHasOne(Fidelity fidelity) {
    String ring = "{name: slow, cluster: {tiers: [{name: node, terminals: {accelerator: 4, cpu: 1}, topology: {"
        + "type: mesh-node, peers: [{link: {type: generic, rate: 50 GB/s, latency: 100 ns, max-payload: 4 KiB},"
        + " pairs: [[0, 1], [1, 2], [2, 3]]}, {link: {type: generic, rate: 10 GB/s, latency: 100 ns, "
        + "max-payload: 4 KiB},"
        + " pairs: [[3, 0]]}], host: {link: {type: pcie, generation: 5, lanes: 16}}}}]},"
        + " workload: {type: collective, size: 4 MiB}, collectives: {type: ring}}";
    double packet = micros(ring, Fidelity.PACKET);
    // Six quarters of the data over 10 GB/s.
    assertThat(packet).isCloseTo(1.5 * 4.194304e6 / 10e3, within(0.02 * packet));
    assertThat(micros(ring, fidelity)).isCloseTo(packet, within(0.01 * packet));
  }
}
