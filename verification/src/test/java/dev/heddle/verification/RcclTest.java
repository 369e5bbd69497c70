package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.rccl.RcclRings;
import dev.heddle.collectives.nccl.timing.RcclTiming;
import dev.heddle.collectives.nccl.tuner.Candidate;
import dev.heddle.collectives.nccl.tuner.Choice;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of RCCL's rings and choices, against its formulas worked out by hand and ranges that it states. */
class RcclTest {
  private static final Registry REGISTRY = Registry.discover(RcclTest.class.getClassLoader(), List.of());

  private static RcclTiming rccl(String preset, int nodes, int perNode, String version, Map<String, String> variables) {
    Cluster cluster = cluster(preset, nodes);
    int[] members = Arrays.stream(cluster.terminals(DeviceKind.ACCELERATOR))
        .boxed().collect(Collectors.groupingBy(cluster::node, TreeMap::new, Collectors.toList())).values().stream()
        .flatMap(node -> node.stream().limit(perNode)).mapToInt(Integer::intValue).toArray();
    return RcclTiming.of(cluster, Group.of(members), NcclConfig.of(NcclVersion.parse(version), variables));
  }

  private static Cluster cluster(String preset, int nodes) {
    return new ScenarioReader(REGISTRY).cluster(preset, preset,
        Map.of("cluster.tiers[1].size", Integer.toString(nodes)));
  }

  private static Candidate candidate(Choice choice, Algorithm algorithm, Protocol protocol) {
    return choice.candidates().stream()
        .filter(each -> each.algorithm() == algorithm && each.protocol() == protocol).findFirst().orElseThrow();
  }

  @ParameterizedTest
  @CsvSource({
      // Seven links of 48 GB/s a GPU; eight NICs of 48 GB/s, divided and used twice.
      "mi300x-oci, 2, 8, 336, 32, 8", "mi300x-oci, 1, 8, 336, 28, 0",
      // Parts of a node: one link, at least 32 channels; three links, at least 24.
      "mi300x-oci, 1, 2, 48, 32, 0", "mi300x-oci, 1, 4, 144, 24, 0",
      // One GPU of each node has one NIC: 48 GB/s.
      "mi300x-oci, 2, 1, 48, 4, 1",
      // LUMI: 4 + 2 + 1 links of 36 GB/s, eight rings between nodes and four within one.
      "mi250x-slingshot, 4, 8, 252, 16, 4", "mi250x-slingshot, 1, 8, 252, 8, 0"})
  void shouldPlanRings(String preset, int nodes, int perNode, double bandwidth, int channels, int nics) {
    RcclRings rings = rccl(preset, nodes, perNode, "2.20.5", Map.of()).rings();

    assertThat(rings.bandwidth()).isCloseTo(bandwidth, within(1e-9));
    assertThat(rings.channels()).isEqualTo(channels);
    assertThat(rings.nics()).isEqualTo(nics);
  }

  @Test
  void shouldExpectTimesOfTheTuningModel() {
    Choice choice = rccl("mi300x-oci", 2, 8, "2.20.5", Map.of()).choice(CollectiveOp.ALL_REDUCE, 1 << 30);

    Candidate ring = candidate(choice, Algorithm.RING, Protocol.SIMPLE);
    // 17 once, 26 steps within nodes of 3 us to post on hosts of Intel, 4 of 320 us between them.
    assertThat(ring.latencyUs()).isCloseTo(17 + 26 * 3 + 4 * 320, within(1e-9));
    assertThat(ring.gigabytesPerSecond()).isCloseTo(336 * 16 / 30.0, within(1e-9));
    assertThat(ring.timeUs()).isCloseTo(1375 + 1073.741824e6 / 179.2e3, within(1e-6));
    Candidate tree = candidate(choice, Algorithm.TREE, Protocol.LL);
    assertThat(tree.latencyUs()).isCloseTo(12 + 2 * (7 * .9 + 10.5), within(1e-9));
    assertThat(tree.timeUs()).isCloseTo(45.6 + 1073.741824e6 / (336 * .06 / 2 * .1 * 1e3), within(1e-6));
    assertThat(choice.best()).isEqualTo(ring);
  }

  @Test
  void shouldCountOneStepLessBetweenNodesSinceRccl222() {
    Choice choice = rccl("mi300x-oci", 2, 8, "2.22.3", Map.of()).choice(CollectiveOp.ALL_REDUCE, 1 << 30);

    assertThat(candidate(choice, Algorithm.RING, Protocol.SIMPLE).latencyUs())
        .isCloseTo(17 + 28 * 3 + 2 * 320, within(1e-9));
  }

  @ParameterizedTest
  @CsvSource({
      "ALL_REDUCE, 1048576, LL", "ALL_REDUCE, 1048577, SIMPLE",
      // Bytes of a rank: 98,304 for all_gather, 655,360 for reduce_scatter, of 16 ranks.
      "ALL_GATHER, 1572864, LL", "ALL_GATHER, 1572880, SIMPLE",
      "REDUCE_SCATTER, 10485760, LL", "REDUCE_SCATTER, 10485776, SIMPLE"})
  void shouldTakeProtocolsByRangesOfBytes(CollectiveOp op, long bytes, Protocol protocol) {
    assertThat(rccl("mi300x-oci", 2, 8, "2.26.6", Map.of()).choice(op, bytes).best().protocol()).isEqualTo(protocol);
  }

  @ParameterizedTest
  @CsvSource({
      // 256 numbers of 4 bytes or a multiple, then 512.
      "ALL_REDUCE, 2.22.3, 512, ", "ALL_REDUCE, 2.22.3, 1024, LL on 4", "ALL_REDUCE, 2.22.3, 65536, LL on 4",
      "ALL_REDUCE, 2.22.3, 131072, LL on 8", "ALL_REDUCE, 2.22.3, 524288, SIMPLE on 8",
      "ALL_REDUCE, 2.22.3, 16777216, SIMPLE on 8", "ALL_REDUCE, 2.22.3, 33554432, ",
      "ALL_GATHER, 2.22.3, 65536, ", "ALL_GATHER, 2.26.6, 8192, LL on 2", "ALL_GATHER, 2.26.6, 65536, LL128 on 4",
      "ALL_GATHER, 2.26.6, 1048576, ", "REDUCE_SCATTER, 2.26.6, 65536, ", "ALL_REDUCE, 2.28.3, 65536, "})
  void shouldTakeSchedulesOfMsccl(CollectiveOp op, String version, long bytes, String expected) {
    assertThat(rccl("mi300x-oci", 1, 8, version, Map.of()).schedule(op, bytes)
        .map(each -> each.protocol() + " on " + each.channels())).isEqualTo(Optional.ofNullable(expected));
  }

  @Test
  void shouldKeepOwnAlgorithmsElsewhere() {
    assertThat(rccl("mi300x-oci", 2, 8, "2.22.3", Map.of()).schedule(CollectiveOp.ALL_REDUCE, 1 << 20)).isEmpty();
    assertThat(rccl("mi300x-oci", 1, 4, "2.22.3", Map.of()).schedule(CollectiveOp.ALL_REDUCE, 1 << 20)).isEmpty();
    assertThat(rccl("mi250x-slingshot", 1, 8, "2.22.3", Map.of()).schedule(CollectiveOp.ALL_REDUCE, 1 << 20))
        .isEmpty();
    assertThat(rccl("mi300x-oci", 1, 8, "2.22.3", Map.of("RCCL_MSCCL_ENABLE", "0"))
        .schedule(CollectiveOp.ALL_REDUCE, 1 << 20)).isEmpty();
    Cluster cluster = cluster("mi300x-oci", 1);
    RcclTiming joined = RcclTiming.of(cluster, Group.of(cluster.terminals(DeviceKind.ACCELERATOR)),
        NcclConfig.of(NcclVersion.parse("2.22.3"), Map.of()), 8);
    assertThat(joined.execution(CollectiveOp.ALL_REDUCE, 1 << 20).title()).isEqualTo("Ring/Simple");
  }

  @Test
  void shouldLeaveProtocolsToUsers() {
    RcclTiming simple = rccl("mi300x-oci", 2, 8, "2.26.6", Map.of("NCCL_PROTO", "Simple", "NCCL_ALGO", "Tree"));

    Candidate best = simple.choice(CollectiveOp.ALL_REDUCE, 4096).best();
    assertThat(best.protocol()).isEqualTo(Protocol.SIMPLE);
    assertThat(best.algorithm()).isEqualTo(Algorithm.TREE);
  }

  @Test
  void shouldChangeFromTreesToRingsOnLumi() {
    RcclTiming lumi = rccl("mi250x-slingshot", 4, 8, "2.20.5", Map.of());

    assertThat(lumi.choice(CollectiveOp.ALL_REDUCE, 64 << 20).best().algorithm()).isEqualTo(Algorithm.TREE);
    assertThat(lumi.choice(CollectiveOp.ALL_REDUCE, 256 << 20).best().algorithm()).isEqualTo(Algorithm.RING);
  }

  @Test
  void shouldRefuseWhenRcclHasNoModel() {
    RcclTiming node = rccl("mi300x-oci", 1, 8, "2.20.5", Map.of());
    assertThatThrownBy(() -> node.choice(CollectiveOp.ALL_TO_ALL, 1 << 20)).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("all_to_all consists of send and receive, which are not modelled for RCCL");
    Cluster h100 = new ScenarioReader(REGISTRY).cluster("hgx-h100", "hgx-h100", Map.of());
    assertThatThrownBy(() -> RcclRings.of(h100, Group.of(0, 1), NcclVersion.LATEST))
        .hasMessageContaining("has no tuning model in RCCL");
  }
}
