package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

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

/** Holds clusters with parts that are slow, lossy or down against closed forms, at every fidelity. */
class FaultsTest {
  private static final Registry REGISTRY = Registry.discover(FaultsTest.class.getClassLoader(), List.of());

  private static final String STAR = """
      name: star
      cluster:
        faults: [%s]
        tiers:
          - name: node
            terminals: {accelerator: 4}
            topology:
              type: star
              link: {type: generic, rate: 100 Gb/s, latency: 1 us, max-payload: 4 KiB, overhead: 0 B}
      """;

  /** Two hosts of two accelerators and two NICs, a switch per rail. */
  private static final String HOSTS = """
      name: hosts
      cluster:
        faults: [%s]
        tiers:
          - name: node
            terminals: {accelerator: 2, nic: 2}
            nic: {type: generic, switching: cut-through, latency: 0 s}
            topology:
              type: star
              link: {type: generic, rate: 800 Gb/s, latency: 10 ns, max-payload: 4 KiB, overhead: 0 B}
          - name: cluster
            size: 2
            topology:
              type: star
              link: {type: generic, rate: 100 Gb/s, latency: 1 us, max-payload: 4 KiB, overhead: 0 B}
      workload: {type: traffic, pattern: shift, shift: 2, loop: closed, messages: 1, message-size: 16 MiB}
      """;

  /** 4 leaves of 4 hosts and 4 spines. */
  private static final String TREE = """
      name: tree
      run: {granularity: packet, burst: 4 KiB}
      cluster:
        faults: [%s]
        tiers:
          - name: net
            terminals: {accelerator: 16}
            topology:
              type: fat-tree
              down: [4, 4]
              up: [1, 4]
              link: {type: generic, rate: 100 Gb/s, latency: 100 ns, max-payload: 4 KiB, overhead: 0 B}
              routing: %s
      workload: {type: traffic, pattern: shift, shift: 4, loop: closed, messages: 1, message-size: 16 MiB}
      """;

  private static final String ALL_REDUCE = "workload: {type: collective, op: all_reduce, size: 64 MiB}\n";
  private static final String SHIFT =
      "workload: {type: traffic, pattern: shift, shift: 1, loop: closed, messages: 1, message-size: 4 KiB}\n";

  private static Scenario scenario(String text, String fidelity) {
    return new ScenarioReader(REGISTRY).parse("faults.yaml", text, Map.of("fidelity", fidelity)).points().get(0)
        .scenario();
  }

  private static double time(String text, String fidelity) {
    Results results = scenario(text, fidelity).simulation().run();
    return results.metric("time").orElseThrow().value();
  }

  private static String message(String text) {
    try {
      scenario(text, "flow");
    } catch (ScenarioException e) {
      return e.problems().get(0).path() + ": " + e.problems().get(0).message();
    }
    throw new AssertionError("was accepted");
  }

  // A ring is as fast as its slowest link: half the rate, twice the time.
  @ParameterizedTest
  @CsvSource({
      "packet, device: node.accelerator2", "flow, device: node.accelerator2", "analytic, device: node.accelerator2",
      "packet, link: node.accelerator2 -> node.switch", "flow, link: node.accelerator2 -> node.switch",
      "analytic, link: node.accelerator2 <-> node.switch"})
  void shouldTakeTwiceAsLongWhenALinkOfARingHasHalfTheRate(String fidelity, String part) {
    double healthy = time(STAR.formatted("") + ALL_REDUCE, fidelity);
    double slow = time(STAR.formatted("{" + part.replace(": ", ": '") + "', rate: 50 Gb/s}") + ALL_REDUCE, fidelity);

    assertThat(slow / healthy).isCloseTo(2, within(.02));
  }

  @ParameterizedTest
  @ValueSource(strings = {"packet", "flow", "analytic"})
  void shouldArriveLaterByTheLatencyWhenALinkIsLonger(String fidelity) {
    double healthy = time(STAR.formatted("") + SHIFT, fidelity);
    double longer = time(STAR.formatted("{device: node.accelerator2, latency: 100 us}") + SHIFT, fidelity);

    assertThat(longer - healthy).isCloseTo(99, within(1e-3));
  }

  @ParameterizedTest
  @ValueSource(strings = {"packet", "flow"})
  void shouldHalveTheRateOfOneNicWhenItsPortIsSlow(String fidelity) {
    double healthy = time(HOSTS.formatted(""), fidelity);
    double slow = time(HOSTS.formatted("{device: node1.nic1, rate: 50 Gb/s}"), fidelity);

    assertThat(slow / healthy).isCloseTo(2, within(.02));
  }

  @Test
  void shouldSlowARailWhenANameIsAPattern() {
    double healthy = time(HOSTS.formatted(""), "flow");

    assertThat(time(HOSTS.formatted("{device: 'node*.nic1', rate: 25 Gb/s}"), "flow") / healthy)
        .isCloseTo(4, within(.04));
    assertThat(message(HOSTS.formatted("{device: 'node*.nic7', rate: 25 Gb/s}")))
        .isEqualTo("cluster.faults[0].device: no device's name matches 'node*.nic7'");
  }

  // A pattern in a link's ends is that of a device: all links, those of a rail, those of one direction.
  @ParameterizedTest
  @CsvSource({"* -> *, 2", "node*.nic1 <-> cluster.switch, 4", "* -> node1.nic*, 2"})
  void shouldSlowAllMatchingLinksWhenTheNamesOfALinkArePatterns(String link, int times) {
    double healthy = time(HOSTS.formatted(""), "flow");
    String rate = times == 2 ? "50 Gb/s" : "25 Gb/s";

    assertThat(time(HOSTS.formatted("{link: '" + link + "', rate: " + rate + "}"), "flow") / healthy)
        .isCloseTo(times, within(.02 * times));
    assertThat(message(HOSTS.formatted("{link: '* -> node*.nic7', rate: 25 Gb/s}")))
        .isEqualTo("cluster.faults[0].link: no device's name matches 'node*.nic7'");
    assertThat(message(HOSTS.formatted("{link: 'node0.nic* -> node1.nic*', rate: 25 Gb/s}")))
        .isEqualTo("cluster.faults[0].link: no link leads from 'node0.nic*' to 'node1.nic*'; links from it lead to"
            + " node0.switch, cluster.switch");
  }

  // The other NIC carries the messages of both accelerators, out of the node and into it.
  @ParameterizedTest
  @CsvSource({"packet, device: node0.nic1", "flow, device: node0.nic1", "packet, link: node0.nic1 <-> cluster.switch",
      "flow, link: node1.nic0 <-> cluster.switch"})
  void shouldShareTheOtherNicWhenOneIsDown(String fidelity, String part) {
    double healthy = time(HOSTS.formatted(""), fidelity);
    double down = time(HOSTS.formatted("{" + part.replace(": ", ": '") + "', down: true}"), fidelity);

    assertThat(down / healthy).isCloseTo(2, within(.02));
  }

  // By destination, one of the four flows of a leaf moves to the port of another.
  @ParameterizedTest
  @ValueSource(strings = {"packet", "flow"})
  void shouldMoveRoutesToAnotherPortWhenASpineIsDown(String fidelity) {
    double healthy = time(TREE.formatted("", "d-mod-k"), fidelity);
    double down = time(TREE.formatted("{device: net.spine0, down: true}", "d-mod-k"), fidelity);

    assertThat(down / healthy).isCloseTo(2, within(.02));
  }

  // Sprayed packets share the three spines that are left.
  @Test
  void shouldShareTheRemainingSpinesWhenPacketsAreSprayed() {
    double flow = time(TREE.formatted("{device: net.spine0, down: true}", "random"), "flow")
        / time(TREE.formatted("", "random"), "flow");
    double packet = time(TREE.formatted("{device: net.spine0, down: true}", "adaptive"), "packet")
        / time(TREE.formatted("", "adaptive"), "packet");

    assertThat(flow).isCloseTo(4. / 3, within(.01));
    assertThat(packet).isCloseTo(4. / 3, within(.08));
  }

  @Test
  void shouldBeTheSameOnAnyNumberOfPartitionsWhenPartsAreDown() {
    String text = TREE.formatted("{device: net.spine0, down: true}, {device: net.accelerator3, rate: 40 Gb/s}",
        "adaptive");
    Results one = scenario(text, "packet").simulation().run();
    Results four = scenario(text.replace("run: {", "run: {partitions: 4, "), "packet").simulation().run();

    assertThat(four.metric("time")).isEqualTo(one.metric("time"));
  }

  @Test
  void shouldNameThePartWhenAFaultIsWrong() {
    assertThat(message(STAR.formatted("{device: node.accelerator9, rate: 1 Gb/s}") + SHIFT))
        .isEqualTo("cluster.faults[0].device: no device is called 'node.accelerator9'; did you mean"
            + " 'node.accelerator0'?");
    assertThat(message(HOSTS.formatted("{device: node0.nic0, rate: 50 Gb/s}, {link: 'node0.nic1 <-> node1.nic1',"
        + " down: true}"))).isEqualTo("cluster.faults[1].link: no link leads from 'node0.nic1' to 'node1.nic1'; links"
            + " from it lead to node0.switch, cluster.switch");
    assertThat(message(STAR.formatted("{device: node.accelerator1, rate: 400 Gb/s}") + SHIFT))
        .isEqualTo("cluster.faults[0].rate: '400 Gb/s' is not below the rate of any of the links");
    assertThat(message(STAR.formatted("{device: node.accelerator1}") + SHIFT))
        .isEqualTo("cluster.faults[0]: states no fault: rate, latency or loss, or down: true");
    assertThat(message(STAR.formatted("{rate: 1 Gb/s}") + SHIFT))
        .isEqualTo("cluster.faults[0]: a fault is that of a device or of a link: state one of the two");
  }

  @Test
  void shouldSayWhoIsCutOffWhenNoPathIsLeft() {
    assertThat(message(STAR.formatted("{device: node.accelerator1, down: true}") + SHIFT))
        .isEqualTo("cluster.faults[0].down: 'node.accelerator1' is cut off, and nothing replaces it");
    assertThat(message(HOSTS.formatted("{device: node0.nic0, down: true}, {device: node0.nic1, down: true}")))
        .isEqualTo("cluster.faults[0].down: 'node0.nic0' is cut off, and no other NIC of its node is left");
    assertThat(message(TREE.formatted("{device: net.spine0, down: true}, {device: net.spine1, down: true},"
        + " {device: net.spine2, down: true}, {device: net.spine3, down: true}", "d-mod-k")))
        .isEqualTo("cluster.faults[0].down: no route is left from 'net.accelerator0' to 'net.accelerator4'");
  }

  @Test
  void shouldLosePacketsAtPacketFidelityAlone() {
    String text = STAR.formatted("{device: node.accelerator1, loss: 1 %}") + SHIFT;

    assertThatThrownBy(() -> scenario(text, "flow").simulation().run()).hasMessageContaining("loses 1 %");
  }
}
