package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.observe.NetworkObserver;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.sim.Simulation;
import dev.heddle.testkit.fixture.OfferedMessages;
import dev.heddle.testkit.fixture.OfferedMessages.Offer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Congestion control of InfiniBand: a victim of a congestion tree, and the share of an incast. */
class InfinibandCongestionTest {
  private static final double RATE = 100e9;
  private static final int INCAST = 8;
  private static final String STAR = """
      name: tree
      run: {granularity: packet}
      transport: {type: infiniband, ccti-increase: 1}
      cluster:
        tiers:
          - name: net
            terminals: {accelerator: 11}
            topology:
              type: star
              link: {type: infiniband, generation: edr}
              centre: {type: infiniband}
      workload: {type: collective, op: all_reduce, size: 1 KiB}
      """;
  private static final String MARKS = "cluster.tiers[0].topology.centre.congestion";

  // Time until the message of host 0 to host 10 has arrived, and until all have, in microseconds.
  private static double[] us(Map<String, String> overrides, List<Offer> offers) {
    AtomicLong victim = new AtomicLong();
    AtomicLong last = new AtomicLong();
    try (Registry registry = Registry.discover(InfinibandCongestionTest.class.getClassLoader(), List.of())) {
      Simulation parsed = new ScenarioReader(registry).parse("test.yaml", STAR, overrides).points().get(0).scenario()
          .simulation();
      new Simulation(
          parsed.name(), parsed.fabric(), new OfferedMessages(offers), parsed.options(), parsed.seed(),
          parsed.fidelity(), parsed.collectives(), parsed.transport()).run(new NetworkObserver() {
            @Override
            public void transmitted(int link, int channel, long startPs, long endPs, int payloadBytes) {}

            @Override
            public void delivered(int source, int destination, long bytes, long generatedPs, long deliveredPs) {
              if (destination == 10) {
                victim.set(deliveredPs);
              }
              last.accumulateAndGet(deliveredPs, Math::max);
            }
          });
    }
    return new double[] {victim.get() / 1e6, last.get() / 1e6};
  }

  // Hosts 0 to 7 send to host 9; host 0 sends to host 10 too, whose link is its own.
  private static List<Offer> tree() {
    List<Offer> offers = new ArrayList<>(List.of(new Offer(0, 10, 20_000_000)));
    IntStream.range(0, INCAST).forEach(host -> offers.add(new Offer(host, 9, 40_000_000)));
    return offers;
  }

  /**
   * The incast leaves host 0 an eighth of its link's rate, so that seven eighths are the victim's fair rate. Packets of
   * the incast hold the credits of the host's link, and the victim waits with them, unless the incast is slowed.
   */
  @Test
  void shouldRestoreVictimOfCongestionTree() {
    double fair = 20_000_000 * 8 / (RATE * (INCAST - 1) / INCAST) * 1e6;

    assertThat(us(Map.of(), tree())[0]).as("without marks").isGreaterThan(2 * fair);
    assertThat(us(Map.of(MARKS, "{}"), tree())[0]).as("with marks").isLessThan(2 * fair);
  }

  /** Thresholds are those of a packet or few, which a fluid does not have: other fidelities say that they have none. */
  @Test
  void shouldWarnThatMarksNeedPackets() {
    try (Registry registry = Registry.discover(InfinibandCongestionTest.class.getClassLoader(), List.of())) {
      assertThat(new ScenarioReader(registry).parse("test.yaml", STAR, Map.of(MARKS, "{}", "fidelity", "flow")).points()
          .get(0).scenario().simulation().warnings()).singleElement().asString().contains("steady state", "queues");
      assertThat(new ScenarioReader(registry).parse("test.yaml", STAR, Map.of()).points().get(0).scenario().simulation()
          .warnings()).singleElement().asString().contains("no switch marks");
    }
  }

  /** Without marks the protocol has the line rate, and credits alone divide the link. */
  @Test
  void shouldFillLinkWhenNothingMarks() {
    List<Offer> incast = tree().subList(1, 1 + INCAST);
    double wire = INCAST * 40e6 * 8 / RATE * 1e6;

    assertThat(us(Map.of(), incast)[1]).isBetween(wire, 1.03 * wire);
    assertThat(us(Map.of(MARKS, "{threshold: 0}"), incast)[1]).isEqualTo(us(Map.of(), incast)[1]);
  }
}
