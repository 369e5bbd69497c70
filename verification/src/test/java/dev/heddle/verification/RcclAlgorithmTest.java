package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.algorithm.RcclAlgorithmProvider;
import dev.heddle.collectives.nccl.algorithm.RcclAlgorithmProvider.Settings;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.rccl.RingOrders;
import dev.heddle.collectives.nccl.search.Placement;
import dev.heddle.collectives.nccl.timing.MachineTiming;
import dev.heddle.collectives.nccl.timing.RcclTiming;
import dev.heddle.fabric.Fabric;
import dev.heddle.sim.Fidelity;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Provider;
import dev.heddle.standard.workload.CollectiveWorkloadProvider;
import dev.heddle.testkit.contract.CollectiveContract;
import dev.heddle.units.DataSize;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of RCCL on one and two nodes of MI300X. */
class RcclAlgorithmTest extends CollectiveContract<Settings> {
  private static final int PER_NODE = 8;
  private static final Map<Integer, Fabric> CLUSTERS = new LinkedHashMap<>();

  @Override
  protected Provider<Settings, CollectiveAlgorithm> provider() {
    return new RcclAlgorithmProvider();
  }

  private static MachineTiming timing() {
    return PresetMachines.timing(
        "{gpu: {preset: nccl-cdna3}, host: {launch: 8 us}, network: {node: 384 GB/s, latency: 5 us}}");
  }

  @Override
  protected List<Settings> settings() {
    return List.of(new Settings("2.27.7", Map.of(), Optional.of(timing())));
  }

  @Override
  protected List<Settings> refusedSettings() {
    Optional<MachineTiming> timing = Optional.of(timing());
    return List.of(
        new Settings("1.9", Map.of(), timing), new Settings("2.27.7", Map.of("NCCL_PROTOS", "LL"), timing));
  }

  @Override
  protected boolean serves(CollectiveOp op, int ranks) {
    return true;
  }

  @Override
  protected List<Integer> ranks() {
    return List.of(1, 2, 4, 8, 12, 16);
  }

  @Override
  protected Fabric cluster(int ranks) {
    return CLUSTERS.computeIfAbsent(
        (ranks + PER_NODE - 1) / PER_NODE, nodes -> PresetMachines.fabric("mi300x-oci", nodes));
  }

  @Override
  protected List<Integer> comparedRanks() {
    return List.of(8, 16);
  }

  @Override
  protected List<DataSize> comparedSizes() {
    return List.of(DataSize.ofKiB(64 << 10));
  }

  // Packets of a chain wait at each rank for the whole of a piece; messages between pairs are queued at a GPU.
  @Override
  protected double agreement(CollectiveOp op, int ranks, Fidelity fidelity) {
    return op.rooted() ? 0.15 : 0.05;
  }

  @ParameterizedTest
  @CsvSource({"8, 14, 2", "16, 8, 1"})
  void shouldUseEachLinkOfANodeAsOftenAsTheOthers(int ranks, int channels, int uses) {
    RingOrders rings = rings(cluster(ranks), ranks);
    assertThat(rings.channels()).isEqualTo(channels);
    int[] used = new int[PER_NODE * PER_NODE];
    int[] entered = new int[PER_NODE];
    for (int channel = 0; channel < channels; channel++) {
      for (int rank = 0; rank < ranks; rank++) {
        assertThat(rings.rank(channel, rings.position(channel, rank))).isEqualTo(rank);
        int next = rings.behind(channel, rank, -1);
        if (rank < PER_NODE && next < PER_NODE) {
          used[rank * PER_NODE + next]++;
        } else if (rank < PER_NODE) {
          entered[next - PER_NODE]++;
        }
      }
    }
    for (int i = 0; i < used.length; i++) {
      assertThat(used[i]).as("uses of the link from %s to %s", i / PER_NODE, i % PER_NODE)
          .isEqualTo(i / PER_NODE == i % PER_NODE ? 0 : uses);
    }
    assertThat(entered).containsOnly(ranks > PER_NODE ? 1 : 0);
  }

  // Each of eight NICs has a proxy, which posts the messages of its channels in turn.
  @Test
  void shouldPostMessagesByTheProxyOfEachNic() {
    MachineTiming slow = PresetMachines.timing("{gpu: {preset: nccl-cdna3}, host: {launch: 8 us}, network: {node:"
        + " 384 GB/s, latency: 5 us, message: 1 ms}}");
    RcclTiming rccl = RcclTiming.of(cluster(16), group(16), NcclConfig.of(NcclVersion.parse("2.27.7"), Map.of()));
    var execution = rccl.execution(CollectiveOp.ALL_GATHER, 64 << 10);
    double turns = Math.max(1, execution.channels() / 8.0);
    assertThat(rccl.on(slow).collective(CollectiveOp.ALL_GATHER, 64 << 10, execution, false).nanos() / 1e6)
        .isBetween(turns, 15 * turns + 1);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4, 8, 16})
  void shouldTakeTheTimeOfTheClosedFormOnAnIdleMachine(int ranks) {
    long bytes = 256L << 20;
    RcclTiming rccl = RcclTiming.of(cluster(ranks), group(ranks), NcclConfig.of(NcclVersion.parse("2.27.7"), Map.of()));
    for (CollectiveOp op : List.of(
        CollectiveOp.ALL_REDUCE, CollectiveOp.ALL_GATHER, CollectiveOp.REDUCE_SCATTER)) {
      double closed = rccl.on(timing()).collective(op, bytes, rccl.execution(op, bytes), false).nanos() / 1e3;
      double flow = PresetMachines.micros(cluster(ranks), product(settings().get(0)),
          CollectiveWorkloadProvider.Settings.of(op, DataSize.ofBytes(bytes)).ranks(ranks), Fidelity.FLOW);
      assertThat(flow).as("%s on %s ranks", op, ranks).isCloseTo(closed, within(0.02 * closed));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {8, 16})
  void shouldCrossNoMoreThanOneLinkFromDieToDieOfANode(int ranks) {
    Fabric lumi = PresetMachines.fabric("mi250x-slingshot", 2);
    Group group = group(lumi, ranks);
    RingOrders rings = rings(lumi, ranks);
    assertThat(rings.channels()).isEqualTo(8);
    for (int channel = 0; channel < rings.channels(); channel++) {
      for (int rank = 0; rank < ranks; rank++) {
        int next = rings.behind(channel, rank, -1);
        if (rank / PER_NODE == next / PER_NODE) {
          assertThat(lumi.route(group.member(rank), group.member(next))).as("%s to %s", rank, next).hasSize(1);
        }
      }
    }
  }

  @Test
  void shouldPlanOneRingWhereNodesHaveDifferentNumbersOfRanks() {
    assertThat(rings(cluster(12), 12).channels()).isEqualTo(1);
    assertThat(product(settings().get(0)).communicator(cluster(12), group(12))
        .plan(Collective.of(CollectiveOp.ALL_REDUCE, 12, 1L << 20, 0)).pipelines()).hasSize(1);
  }

  private static RingOrders rings(Fabric machine, int ranks) {
    int[] members = group(machine, ranks).members();
    return RingOrders.of(machine, group(machine, ranks), Placement.of(
        Arrays.stream(members).map(machine::node).toArray(), Arrays.stream(members).map(machine::position).toArray()));
  }

  private Group group(int ranks) {
    return group(cluster(ranks), ranks);
  }

  private static Group group(Fabric machine, int ranks) {
    return Group.of(Arrays.copyOf(machine.terminals(DeviceKind.ACCELERATOR), ranks));
  }
}
