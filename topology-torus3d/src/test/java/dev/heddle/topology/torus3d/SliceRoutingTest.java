package dev.heddle.topology.torus3d;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.sim.SimulationException;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.DeviceKind;
import dev.heddle.testkit.fixture.Deliveries;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.testkit.fixture.OfferedMessages.Offer;
import dev.heddle.topology.torus3d.Torus3dTopologyProvider.Settings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SliceRoutingTest {
  private static Settings settings(String size, boolean twisted) {
    Settings settings = Slices.of(
        Arrays.stream(size.split("x")).map(Integer::valueOf).toArray(Integer[]::new));
    return twisted ? settings.twisted() : settings;
  }

  // Average distance to the others and diameter, by breadth-first search: see the sources of README.md.
  @ParameterizedTest
  @CsvSource({
      "4x4x4, false, 3.048, 6", "4x4x8, false, 4.031, 8", "4x4x8, true, 3.465, 6", "4x8x8, true, 4.329, 6",
      "8x4x4, true, 3.465, 6", "8x4x8, true, 4.329, 6"})
  void shouldRouteByShortestPathsOfTheLatticeThatWasPublished(
      String size, boolean twisted, double average, int diameter) {
    Fabric fabric = Slices.fabric(settings(size, twisted));
    int chips = fabric.terminals();
    long sum = 0;
    int most = 0;
    for (int from = 0; from < chips; from++) {
      int[] distances = distances(fabric, from);
      for (int to = 0; to < chips; to++) {
        assertThat(fabric.route(from, to).length).as("links from %s to %s", from, to).isEqualTo(distances[to]);
        sum += distances[to];
        most = Math.max(most, distances[to]);
      }
    }
    assertThat((double) sum / chips / (chips - 1)).isCloseTo(average, within(0.0005));
    assertThat(most).isEqualTo(diameter);
  }

  // Links to every chip by breadth-first search over the links alone.
  private static int[] distances(Fabric fabric, int from) {
    int[] distances = new int[fabric.terminals()];
    Arrays.fill(distances, -1);
    distances[from] = 0;
    ArrayDeque<Integer> open = new ArrayDeque<>(List.of(from));
    while (!open.isEmpty()) {
      int chip = open.remove();
      for (int link = 0; link < fabric.links(); link++) {
        int next = fabric.linkTarget(link);
        if (fabric.linkSource(link) == chip && distances[next] < 0) {
          distances[next] = distances[chip] + 1;
          open.add(next);
        }
      }
    }
    return distances;
  }

  @ParameterizedTest
  @CsvSource({"4x4x4", "8x4x6", "5x3x4"})
  void shouldCrossAxesInOrder(String size) {
    Settings settings = settings(size, false);
    Lattice lattice = Torus3dTopologyProvider.lattice(settings);
    Fabric fabric = Slices.fabric(settings);
    for (int to = 0; to < lattice.chips(); to++) {
      int axis = 0;
      for (int link : fabric.route(0, to)) {
        int here = fabric.linkSource(link);
        int next = fabric.linkTarget(link);
        while (lattice.coordinate(here, axis) == lattice.coordinate(next, axis)) {
          axis++;
          assertThat(axis).as("axis of a link on the route to %s", to).isLessThan(3);
        }
      }
    }
  }

  // Bytes that each chip sends to all others in unit time over links of unit rate, as limited by the busiest link.
  private static double throughput(Fabric fabric) {
    int[] uses = new int[fabric.links()];
    int chips = fabric.terminals();
    for (int from = 0; from < chips; from++) {
      for (int to = 0; to < chips; to++) {
        for (int link : fabric.route(from, to)) {
          uses[link]++;
        }
      }
    }
    return (chips - 1.0) / Arrays.stream(uses).max().orElseThrow();
  }

  @ParameterizedTest
  @CsvSource({"4x4x4, 1.969", "4x4x8, 0.992", "4x8x8, 0.996", "8x8x8, 0.998"})
  void shouldReachTheBisectionBoundOfAllToAllOnTori(String size, double bound) {
    assertThat(throughput(Slices.fabric(settings(size, false)))).isCloseTo(bound, within(0.0005));
  }

  @ParameterizedTest
  @CsvSource({"4x4x8, 1.732, 1.63", "4x8x8, 1.386, 1.31"})
  void shouldGainFromATwistAsMeasured(String size, double bound, double measuredGain) {
    double twisted = throughput(Slices.fabric(settings(size, true)));
    double plain = throughput(Slices.fabric(settings(size, false)));
    // Edge symmetry bounds any routing; one shortest path per pair in dimension order loses some of it.
    assertThat(twisted).isBetween(0.9 * bound, bound + 0.001);
    assertThat(twisted / plain).as("gain of %s, measured %s", size, measuredGain)
        .isCloseTo(measuredGain, within(0.05 * measuredGain));
  }

  @Test
  void shouldJoinEveryChipOfATwistedTorusBySixLinks() {
    for (String size : List.of("4x4x8", "8x4x8", "3x3x6")) {
      Fabric fabric = Slices.fabric(settings(size, true));
      int[] leaving = new int[fabric.terminals()];
      for (int link = 0; link < fabric.links(); link++) {
        leaving[fabric.linkSource(link)]++;
      }
      assertThat(leaving).as("links of %s", size).containsOnly(6);
    }
  }

  @Test
  void shouldDeadlockWithoutDatelinesAndNotWithThem() {
    for (Settings settings : List.of(settings("8x2", false), settings("4x4x8", true))) {
      Lattice lattice = Torus3dTopologyProvider.lattice(settings);
      List<Offer> offers = new ArrayList<>();
      for (int turn = 0; turn < 4; turn++) {
        for (int chip = 0; chip < lattice.chips(); chip++) {
          int to = chip;
          for (int step = 0; step < lattice.ringLength(0) / 2 - 1; step++) {
            to = lattice.next(to, 0);
          }
          offers.add(new Offer(chip, to, 1 << 18));
        }
      }
      Fabric with = Slices.fabric(given -> new SlicePlanner(settings, lattice, true).plan(given), lattice.chips());
      assertThat(Deliveries.of(with, offers, SimulationOptions.defaults()).deliveries()).hasSameSizeAs(offers);
      Fabric without = Slices.fabric(given -> new SlicePlanner(settings, lattice, false).plan(given), lattice.chips());
      assertThatThrownBy(() -> Deliveries.of(without, offers, SimulationOptions.defaults()))
          .isInstanceOf(SimulationException.class).hasMessageContaining("credit deadlock");
    }
  }

  @Test
  void shouldLeaveASliceByTheHostOfEachChip() {
    Map<DeviceKind, Integer> terminals = new LinkedHashMap<>();
    terminals.put(DeviceKind.ACCELERATOR, 16);
    terminals.put(DeviceKind.CPU, 4);
    terminals.put(DeviceKind.NIC, 4);
    Settings settings = Slices.of(4, 4).hosts(List.of(2, 2), Fabrics.link("16 GB/s"), Fabrics.link("25 GB/s"));
    Fabric fabric = Fabric.of(List.of(
        Tier.inner("slice", terminals, Fabrics.virtualOutputSwitch(), new Torus3dTopologyProvider().create(settings)),
        Tier.outer("pod", 2, Fabrics.star(Fabrics.link("25 GB/s")))));
    int[] route = fabric.route(6, 24);
    // Chip 1x2 is on host 0x1, the second.
    assertThat(fabric.name(fabric.linkTarget(route[0]))).contains("cpu1");
    assertThat(fabric.name(fabric.linkTarget(route[1]))).contains("nic1");
    assertThat(fabric.route(6, 3)).hasSize(2);
    assertThat(fabric.route(16, 15)).hasSize(3);
  }
}
