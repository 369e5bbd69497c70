package dev.heddle.network.hybrid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.fabric.Fabric;
import dev.heddle.network.NetworkModel;
import dev.heddle.network.hybrid.HybridModelProvider.Packets;
import dev.heddle.network.hybrid.HybridModelProvider.Settings;
import dev.heddle.sim.SimulationException;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Provider;
import dev.heddle.testkit.contract.NetworkModelContract;
import dev.heddle.testkit.fixture.Deliveries;
import dev.heddle.testkit.fixture.Deliveries.Delivery;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.testkit.fixture.OfferedMessages.Offer;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HybridModelTest extends NetworkModelContract<Settings> {
  @Override
  protected Provider<Settings, NetworkModel> provider() {
    return new HybridModelProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(
        new Settings(Optional.empty()),
        new Settings(Optional.of(Packets.ofTiers("node", "cluster"))),
        new Settings(Optional.of(new Packets(List.of(), List.of("node0.nic* <-> cluster.switch")))),
        new Settings(Optional.of(
            new Packets(List.of(), List.of("node1.accelerator2 -> node1.switch", "node0.switch <-> node0.nic0")))));
  }

  private static final Fabric FABRIC = Fabrics.nodesOnStars(2, 4);
  private static final NetworkModel NETWORK_ONLY = new HybridModelProvider().create(new Settings(Optional.empty()));
  private static final long BYTES = 16 << 20;

  private static List<Long> arrivals(NetworkModel model, Offer... offers) {
    return Deliveries.of(FABRIC, List.of(offers), SimulationOptions.defaults(), model).deliveries().stream()
        .map(Delivery::atPs).toList();
  }

  // Each of n messages has an nth of the link until all end together, up to the last packet and the way.
  @Test
  void shouldShareALinkFairlyWhenPacketsMeetFlows() {
    long alone = arrivals(NETWORK_ONLY, new Offer(0, 1, BYTES)).get(0);
    assertThat(arrivals(NETWORK_ONLY, new Offer(1, 0, BYTES), new Offer(2, 0, BYTES), new Offer(6, 0, BYTES)))
        .allSatisfy(at -> assertThat((double) at).isCloseTo(3.0 * alone, within(0.01 * alone)));
  }

  // A flow of half the bytes ends when the packets have half of theirs; the other half has the link alone.
  @Test
  void shouldGivePacketsTheWholeLinkWhenTheFlowHasEnded() {
    long alone = arrivals(NETWORK_ONLY, new Offer(0, 1, BYTES)).get(0);
    List<Long> times = arrivals(NETWORK_ONLY, new Offer(1, 0, BYTES / 2), new Offer(6, 0, BYTES));
    assertThat((double) times.get(0)).isCloseTo(1.0 * alone, within(0.01 * alone));
    assertThat((double) times.get(1)).isCloseTo(1.5 * alone, within(0.01 * alone));
  }

  // Four messages share the link to their NIC, so that each takes a quarter of the link to its destination; a flow
  // there has the other three.
  @Test
  void shouldLeaveFlowsWhatPacketsCannotUse() {
    long alone = arrivals(NETWORK_ONLY, new Offer(0, 1, BYTES)).get(0);
    List<Long> times = arrivals(
        NETWORK_ONLY, new Offer(0, 5, BYTES), new Offer(1, 6, BYTES), new Offer(2, 7, BYTES), new Offer(3, 8, BYTES),
        new Offer(7, 5, 3 * BYTES));
    assertThat(times).allSatisfy(at -> assertThat((double) at).isCloseTo(4.0 * alone, within(0.02 * alone)));
  }

  // By one channel messages leave one after another, as at either of the other fidelities.
  @ParameterizedTest
  @CsvSource({"1, 5", "5, 1"})
  void shouldKeepTheOrderOfASourceWhenPacketsFollowFlows(int first, int second) {
    long alone = arrivals(NETWORK_ONLY, new Offer(0, 1, BYTES)).get(0);
    List<Long> times = arrivals(
        NETWORK_ONLY, new Offer(0, first, BYTES), new Offer(0, second, BYTES), new Offer(0, first, BYTES));
    for (int i = 0; i < times.size(); i++) {
      assertThat((double) times.get(i)).isCloseTo((i + 1.0) * alone, within(0.01 * alone));
    }
  }

  @Test
  void shouldNameWhatDoesNotExistWhenAFabricIsGiven() {
    assertRefused(Packets.ofTiers("clustr"), "no tier is called 'clustr'; did you mean 'cluster'?");
    assertRefused(new Packets(List.of(), List.of("node0.nic9 -> cluster.switch")),
        "did you mean 'node0.nic0 -> cluster.switch'?");
    assertRefused(new Packets(List.of(), List.of("node0.nic0 -> node1.nic0")),
        "no link is called 'node0.nic0 -> node1.nic0'");
    assertThatThrownBy(() -> NETWORK_ONLY.requireFits(Fabrics.oneNode(4))).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("no tier between nodes: name tiers or links, such as {tiers: [node]}");
  }

  private static void assertRefused(Packets packets, String message) {
    NetworkModel model = new HybridModelProvider().create(new Settings(Optional.of(packets)));
    assertThatThrownBy(() -> model.requireFits(FABRIC)).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining(message);
    assertThatThrownBy(() -> arrivals(model, new Offer(0, 1, 1))).isInstanceOf(SimulationException.class)
        .hasMessageContaining(message);
  }

  @Override
  protected List<Settings> refusedSettings() {
    return List.of(new Settings(Optional.of(new Packets(List.of(), List.of()))));
  }
}
