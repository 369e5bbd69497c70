package dev.heddle.collectives.oneccl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.collective.ScheduleCounts;
import dev.heddle.collective.Verifier;
import dev.heddle.collectives.oneccl.OneCclAlgorithmProvider.Settings;
import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.sim.Fidelity;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Provider;
import dev.heddle.testkit.contract.CollectiveContract;
import dev.heddle.testkit.fixture.CollectiveRequest;
import dev.heddle.testkit.fixture.Fabrics;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class OneCclTest extends CollectiveContract<Settings> {
  // Ranks and the nodes that they are on; a GPU has two tiles.
  private static final Map<Integer, Integer> NODES =
      Map.of(1, 1, 2, 2, 3, 3, 4, 1, 5, 5, 8, 2, 12, 3, 20, 5, 24, 4, 28, 7);

  @Override
  protected Provider<Settings, CollectiveAlgorithm> provider() {
    return new OneCclAlgorithmProvider();
  }

  @Override
  protected List<Settings> settings() {
    List<Settings> settings = new ArrayList<>();
    for (ScaleOut scaleOut : ScaleOut.values()) {
      for (HostPath host : HostPath.values()) {
        settings.add(new Settings(2, scaleOut, host));
      }
    }
    settings.add(new Settings(1, ScaleOut.RING, HostPath.NONE));
    return settings;
  }

  @Override
  protected boolean serves(CollectiveOp op, int ranks) {
    return op == CollectiveOp.ALL_REDUCE;
  }

  @Override
  protected List<Integer> ranks() {
    return NODES.keySet().stream().sorted().toList();
  }

  @Override
  protected List<Integer> comparedRanks() {
    return List.of(2, 8, 12, 20);
  }

  @Override
  protected Fabric cluster(int ranks) {
    return nodes(nodesOf(ranks), ranks / nodesOf(ranks));
  }

  // Nodes beyond a power of two: those that receive their data also receive messages of the next round at the same
  // time, which phases separate.
  @Override
  protected double agreement(CollectiveOp op, int ranks, Fidelity fidelity) {
    return Integer.bitCount(nodesOf(ranks)) == 1 ? 0.05 : 0.16;
  }

  private static int nodesOf(int ranks) {
    return Objects.requireNonNull(NODES.get(ranks));
  }

  private static Fabric nodes(int nodes, int accelerators) {
    Map<DeviceKind, Integer> terminals = new LinkedHashMap<>();
    terminals.put(DeviceKind.ACCELERATOR, accelerators);
    terminals.put(DeviceKind.NIC, accelerators);
    terminals.put(DeviceKind.AGGREGATOR, accelerators);
    return Fabric.of(List.of(
        Tier.inner("node", terminals, Fabrics.virtualOutputSwitch(), Fabrics.star(Fabrics.link("128 Gb/s"))),
        Tier.outer("cluster", nodes, Fabrics.star(Fabrics.link("400 Gb/s")))));
  }

  private static CollectiveRequest request(Fabric fabric, long bytes, int... members) {
    return new CollectiveRequest(
        Collective.of(CollectiveOp.ALL_REDUCE, members.length, bytes), Group.of(members), fabric);
  }

  private static CollectiveAlgorithm oneCcl(ScaleOut scaleOut, HostPath host) {
    return new OneCclAlgorithmProvider().create(new Settings(2, scaleOut, host));
  }

  @ParameterizedTest
  @EnumSource(ScaleOut.class)
  void shouldSendHalvesOverGpusSixthsOverPlanesAndTheLeastBetweenNodes(ScaleOut scaleOut) {
    long bytes = 12L * 4 * 1000;
    int[] members = nodes(4, 12).terminals(DeviceKind.ACCELERATOR);
    ScheduleCounts counts =
        ScheduleCounts.of(request(nodes(4, 12), bytes, members).schedule(oneCcl(scaleOut, HostPath.NONE)));
    assertThat(counts.bytes(0, 1)).as("both ways of MDFI, out and back").isEqualTo(bytes);
    assertThat(counts.bytes(0, 2)).as("a plane's link, out and back").isEqualTo(2 * bytes / 12);
    assertThat(counts.bytes(0, 3)).as("another plane").isZero();
    long between = counts.bytes(0, 12) + counts.bytes(0, 24) + counts.bytes(0, 36);
    assertThat(between).as("2 (n - 1) / n of a twelfth").isEqualTo(2 * bytes / 12 * 3 / 4);
    assertThat(counts.bytes(0, 13)).as("another place of another node").isZero();
  }

  @Test
  void shouldCopyOnceWhenHostsReduceAndEveryMessageWhenDevicesDo() {
    Fabric fabric = nodes(4, 2);
    CollectiveRequest request = request(fabric, 8000, fabric.terminals(DeviceKind.ACCELERATOR));
    ScheduleCounts reduce = ScheduleCounts.of(request.schedule(oneCcl(ScaleOut.RING, HostPath.REDUCE)));
    ScheduleCounts copy = ScheduleCounts.of(request.schedule(oneCcl(ScaleOut.RING, HostPath.COPY)));
    assertThat(reduce.bytes(0, 8)).isEqualTo(4000);
    assertThat(copy.bytes(0, 8)).isEqualTo(2 * 4000 * 3 / 4);
    assertThat(copy.bytes(8, 10)).as("between hosts").isEqualTo(copy.bytes(0, 8));
    assertThat(copy.bytes(0, 2)).as("between devices of two nodes").isZero();
  }

  @Test
  void shouldBeProvedOnSixteenNodesOfTwelve() {
    Fabric fabric = nodes(16, 12);
    CollectiveRequest request = request(fabric, 1 << 20, fabric.terminals(DeviceKind.ACCELERATOR));
    CollectiveAlgorithm algorithm = oneCcl(ScaleOut.RING, HostPath.NONE);
    assertThat(request.verdict(algorithm).findings()).isEmpty();
  }

  @Test
  void shouldFindPlacesWhateverTheOrderOfRanks() {
    Fabric fabric = nodes(2, 4);
    CollectiveAlgorithm algorithm = oneCcl(ScaleOut.RING, HostPath.NONE);
    int[] accelerators = fabric.terminals(DeviceKind.ACCELERATOR);
    int[] mixed = {accelerators[5], accelerators[2], accelerators[0], accelerators[7], accelerators[3],
        accelerators[4], accelerators[1], accelerators[6]};
    CollectiveRequest request = request(fabric, 8000, mixed);
    assertThat(Verifier.withWindow(2).verify(request.schedule(algorithm)).findings()).isEmpty();
    assertThat(ScheduleCounts.of(request.schedule(algorithm)).bytes(2, 6)).as("tiles 0 and 1 of node 0")
        .isEqualTo(8000);
  }

  @Test
  void shouldUseNoMdfiWhenRanksSitOnDifferentGpus() {
    Fabric fabric = nodes(1, 12);
    CollectiveRequest request = request(fabric, 1000, 0, 3);
    assertThat(ScheduleCounts.of(request.schedule(oneCcl(ScaleOut.RING, HostPath.NONE))).bytes(0, 1)).isEqualTo(1000);
    assertThat(request.plan(oneCcl(ScaleOut.RING, HostPath.NONE)).pipelines()).hasSize(2);
  }

  @Test
  void shouldRefuseRanksThatNodesCannotPlaceAlike() {
    Fabric fabric = nodes(2, 4);
    int second = fabric.terminals(DeviceKind.ACCELERATOR)[4];
    assertRefused(
        request(fabric, 1000, 0, 1, 2), HostPath.NONE, "node 0 has the tiles [0, 1, 2], 2 of them to a GPU");
    assertRefused(
        request(fabric, 1000, 0, 1, second), HostPath.NONE,
        "node 1 has 1 ranks, 1 of each GPU, others 2 ranks, 2 of each");
    assertRefused(
        request(fabric, 1000, 0, 1, second, second + 2), HostPath.NONE,
        "node 1 has 2 ranks, 1 of each GPU, others 2 ranks");
    assertRefused(request(fabric, 1000, fabric.terminals(DeviceKind.NIC)), HostPath.NONE, "on accelerators only");
    Fabric bare = Fabrics.nodesOnStars(2, 2);
    assertRefused(
        request(bare, 1000, bare.terminals(DeviceKind.ACCELERATOR)), HostPath.COPY, "accelerator 0 has none among 0");
  }

  private static void assertRefused(CollectiveRequest request, HostPath host, String message) {
    assertThatThrownBy(() -> request.schedule(oneCcl(ScaleOut.RING, host)))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining(message);
  }
}
