package dev.heddle.collectives.tpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.ScheduleCounts;
import dev.heddle.fabric.Fabric;
import dev.heddle.sim.Fidelity;
import dev.heddle.testkit.fixture.CollectiveRequest;
import dev.heddle.topology.torus3d.Torus3dTopologyProvider.Settings;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class SliceCollectivesTest {
  private static final TpuAlgorithmProvider.Settings NETWORK = TpuAlgorithmProvider.Settings.networkOnly();

  private static Settings settings(String size, boolean twisted) {
    Settings torus = Slices.torus(
        "45 GB/s", Arrays.stream(size.split("x")).map(Integer::valueOf).toArray(Integer[]::new));
    return twisted ? torus.twisted() : torus;
  }

  private static Schedule proved(Fabric fabric, CollectiveOp op, Group group, long bytes) {
    CollectiveRequest request = new CollectiveRequest(Collective.of(op, group.size(), bytes), group, fabric);
    assertThat(request.verdict(new TpuAlgorithmProvider().create(NETWORK)).findings()).as("%s", op).isEmpty();
    return request.schedule(new TpuAlgorithmProvider().create(NETWORK));
  }

  // Bytes on each directed link by the routes of all messages.
  private static long[] loads(Fabric fabric, Schedule schedule, Group group) {
    ScheduleCounts counts = ScheduleCounts.of(schedule);
    long[] loads = new long[fabric.links()];
    for (int from = 0; from < group.size(); from++) {
      for (int to = 0; to < group.size(); to++) {
        long bytes = counts.bytes(from, to);
        if (bytes > 0) {
          for (int link : fabric.route(group.member(from), group.member(to))) {
            loads[link] += bytes;
          }
        }
      }
    }
    return loads;
  }

  @ParameterizedTest
  @CsvSource({"4x4x4, false", "3x3x3, false", "4x4, false", "4x4x8, true", "3x3x6, true", "6x3x6, true"})
  void shouldLoadEveryLinkOfASymmetricTorusAlikeWithTheLeastBytes(String size, boolean twisted) {
    Fabric fabric = Slices.fabric(settings(size, twisted));
    int chips = fabric.terminals();
    Group group = Group.ofFirst(chips);
    long bytes = 60L * chips * chips;
    int links = fabric.links() / chips;
    for (CollectiveOp op : List.of(CollectiveOp.ALL_GATHER, CollectiveOp.REDUCE_SCATTER, CollectiveOp.ALL_REDUCE)) {
      long once = op == CollectiveOp.ALL_REDUCE ? 2 : 1;
      assertThat(loads(fabric, proved(fabric, op, group, bytes), group)).as("%s on %s", op, size)
          .containsOnly(once * bytes / chips * (chips - 1) / links);
    }
  }

  @ParameterizedTest
  @CsvSource({"4x4x4, false, 1.969", "4x4x8, true, 1.732"})
  void shouldExchangeAllToAllWithinTheBisectionBound(String size, boolean twisted, double bound) {
    Fabric fabric = Slices.fabric(settings(size, twisted));
    int chips = fabric.terminals();
    long bytes = (4L << 20) / chips * chips;
    double us = Slices.us(fabric, NETWORK, Slices.of(CollectiveOp.ALL_TO_ALL, bytes), Fidelity.FLOW);
    double rate = bytes * (chips - 1.0) / chips / us / 1e3 / 45;
    // A chip's messages wait for each other where they leave by the same link, which loses more than half.
    assertThat(rate).as("rate of each chip in links").isBetween(0.4 * bound, bound);
  }

  @Test
  void shouldProveMeshesBoxesAndOtherGroups() {
    Fabric mesh = Slices.fabric(Slices.mesh("45 GB/s", 2, 4, 4));
    Fabric torus = Slices.fabric(settings("4x4x4", false));
    Fabric twisted = Slices.fabric(settings("3x3x6", true));
    int[] plane = IntStream.range(0, 64).filter(chip -> chip % 4 == 1).toArray();
    int[] box = IntStream.range(0, 64).filter(chip -> chip % 4 < 3 && chip / 16 < 2).toArray();
    for (CollectiveOp op : List.of(CollectiveOp.ALL_GATHER, CollectiveOp.REDUCE_SCATTER, CollectiveOp.ALL_REDUCE,
        CollectiveOp.ALL_TO_ALL)) {
      proved(mesh, op, Group.ofFirst(32), 100_003);
      proved(torus, op, Group.of(plane), 100_003);
      proved(torus, op, Group.of(box), 100_003);
      proved(torus, op, Group.of(63, 2, 17), 100_003);
      proved(twisted, op, Group.ofFirst(6), 100_003);
    }
  }

  // The last link of a line carries three chunks in a gather, the first one in a reduction, along one axis and then
  // four times as many along the other; 3 hops of 100 ns for each axis, there and back.
  @ParameterizedTest
  @EnumSource(value = Fidelity.class, names = {"FLOW", "PACKET"})
  void shouldReduceBeforeItGathersOnLines(Fidelity fidelity) {
    Fabric fabric = Slices.fabric(Slices.mesh("45 GB/s", 4, 4));
    long bytes = 64L << 20;
    double bound = 2 * 3 * (1 + 4) * bytes / 16.0 / 2 / 45e3 + 2 * 2 * 3 * 0.1;
    double us = Slices.us(fabric, NETWORK, Slices.of(CollectiveOp.ALL_REDUCE, bytes), fidelity);
    assertThat(us).isCloseTo(bound, within(0.05 * bound));
  }

  @ParameterizedTest
  @EnumSource(value = Fidelity.class, names = {"FLOW", "PACKET"})
  void shouldTakeTheTimeOfTheBucketAlgorithm(Fidelity fidelity) {
    Fabric fabric = Slices.fabric(settings("4x4x4", false));
    long bytes = 64L << 20;
    // 2 V (N - 1) / N over three axes both ways, and two hops of 100 ns for each axis, there and back.
    double bound = 2.0 * bytes * 63 / 64 / (3 * 90e3) + 2 * 3 * 2 * 0.1;
    double us = Slices.us(fabric, NETWORK, Slices.of(CollectiveOp.ALL_REDUCE, bytes), fidelity);
    assertThat(us).isCloseTo(bound, within(0.03 * bound));
  }

  @Test
  void shouldTakeTwiceAsLongOnAMeshOfFour() {
    long bytes = 8L << 20;
    double ring = Slices.us(Slices.fabric(Slices.torus("45 GB/s", 8)), NETWORK,
        Slices.of(CollectiveOp.ALL_GATHER, bytes), Fidelity.PACKET);
    double line = Slices.us(Slices.fabric(Slices.mesh("45 GB/s", 8)), NETWORK,
        Slices.of(CollectiveOp.ALL_GATHER, bytes), Fidelity.PACKET);
    assertThat(line / ring).isCloseTo(2, within(0.1));
  }
}
