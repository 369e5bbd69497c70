package dev.heddle.network.packet;

import static dev.heddle.network.packet.Fixtures.device;
import static dev.heddle.network.packet.Fixtures.direct;
import static dev.heddle.network.packet.Fixtures.link;
import static dev.heddle.network.packet.Fixtures.star;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.common.collect.ImmutableMap;
import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.results.Results;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Switch;
import dev.heddle.spi.Switch.Switching;
import dev.heddle.spi.Workload;
import dev.heddle.tier.Topology;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tiers at packet fidelity: paths of messages over several tiers, and compositions of different kinds. */
class TiersTest {
  private static double metric(Results results, String id) {
    return results.metric(id).orElseThrow().value();
  }

  private static Results run(Fabric fabric, Workload workload, SimulationOptions options) {
    return new Simulation("test", fabric, workload, options, 7).run();
  }

  private static Results oneMessage(Fabric fabric, int from, int to, long bytes, SimulationOptions options) {
    return run(fabric, Fixtures.burst(1, bytes, (rank, ranks, random) -> rank == from ? to : rank), options);
  }

  @Test
  void shouldCarryMessagesThroughTheInnermostTierThatHoldsBothEnds() {
    // Two nodes a rack, two racks: a message within the rack takes the rack's links, one between racks the cluster's.
    Switch forwarding = device(0, Switching.CUT_THROUGH);
    Fabric fabric =
        Fabric.of(
            List.of(
                Tier.inner(
                    "node", ImmutableMap.of(DeviceKind.ACCELERATOR, 2, DeviceKind.NIC, 2), forwarding,
                    star(link(100, 1, 4096, 0, 0), forwarding)),
                new Tier("rack", 2, ImmutableMap.of(), Optional.of(forwarding),
                    star(link(100, 20, 4096, 0, 0), forwarding)),
                Tier.outer("cluster", 2, star(link(100, 300, 4096, 0, 0), forwarding))));
    long wire = 4096 * 80;
    long inNode = 2 * 1000;
    assertThat(metric(oneMessage(fabric, 0, 1, 4096, SimulationOptions.defaults()), "time") * 1e6)
        .isCloseTo(wire + inNode, within(0.5));
    assertThat(metric(oneMessage(fabric, 0, 2, 4096, SimulationOptions.defaults()), "time") * 1e6)
        .isCloseTo(wire + 2 * inNode + 2 * 20_000, within(0.5));
    assertThat(metric(oneMessage(fabric, 0, 5, 4096, SimulationOptions.defaults()), "time") * 1e6)
        .isCloseTo(wire + 2 * inNode + 2 * 300_000, within(0.5));
  }

  @Test
  void shouldSayWhenNothingTellsHowANicForwards() {
    Topology star = star(link(100, 1, 4096, 0, 0), device(0, Switching.CUT_THROUGH));
    Tier inner =
        new Tier("node", 1, ImmutableMap.of(DeviceKind.ACCELERATOR, 2, DeviceKind.NIC, 1), Optional.empty(), star);
    assertThatThrownBy(() -> Fabric.of(List.of(inner, Tier.outer("cluster", 2, star))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("node")
        .hasMessageContaining("NIC");
  }

  @Test
  void shouldComposeTiersOfDifferentKinds() {
    Fabric fabric =
        Fabric.of(
            List.of(
                new Tier(
                    "node", 1, ImmutableMap.of(DeviceKind.ACCELERATOR, 2, DeviceKind.NIC, 1),
                    Optional.of(device(10, Switching.WHOLE_UNIT)),
                    star(link(100, 1, 4096, 0, 0), device(1, Switching.CUT_THROUGH))),
                Tier.outer("cluster", 3, direct(link(100, 5, 4096, 0, 0)))));
    assertThat(fabric.nodes()).isEqualTo(3);
    assertThat(fabric.terminals()).isEqualTo(9);
    assertThat(fabric.name(5)).isEqualTo("node1.nic0");
    Workload workload = Fixtures.burst(10, 5000, Fixtures::uniform);
    assertThat(metric(run(fabric, workload, SimulationOptions.defaults()), "messages.delivered")).isEqualTo(60.0);
  }
}
