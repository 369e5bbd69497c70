package dev.heddle.topology.fattree;

import static dev.heddle.testkit.fixture.Records.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.spi.DeviceKind;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.testkit.fixture.Seeds;
import dev.heddle.tier.TierPlan;
import dev.heddle.topology.fattree.FatTreeTopologyProvider.Routing;
import dev.heddle.topology.fattree.FatTreeTopologyProvider.Settings;
import dev.heddle.units.RandomStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that D-mod-K carries every shift permutation of a full tree with one flow per link [Zahavi 2012]. */
class ContentionTest {

  static Stream<Settings> fullTrees() {
    return Stream.of(
        FatTrees.radix(1, 6, 1),
        FatTrees.radix(2, 8, 1),
        FatTrees.radix(2, 16, 1),
        FatTrees.radix(3, 4, 1),
        FatTrees.radix(3, 8, 1),
        FatTrees.radix(4, 6, 1),
        FatTrees.shape(List.of(3, 3, 3), List.of(), List.of()),
        FatTrees.shape(List.of(5, 7), List.of(), List.of()),
        FatTrees.shape(List.of(8, 4), List.of(), List.of(1, 4)),
        FatTrees.shape(List.of(6, 4, 5), List.of(1, 3, 4), List.of(1, 2, 2)),
        FatTrees.shape(List.of(12, 6, 3), List.of(1, 4, 6), List.of(1, 3, 3)),
        // Two ports in planes of their own, and dual ToR in one plane, of two and three levels.
        FatTrees.shape(List.of(8, 4), List.of(2, 8), List.of(1, 1)),
        FatTrees.shape(List.of(8, 4, 2), List.of(4, 8, 4), List.of(1, 1, 1)),
        with(FatTrees.shape(List.of(8, 4), List.of(2, 8), List.of(1, 1)), "planes", Optional.of(1)),
        with(FatTrees.shape(List.of(8, 4, 3), List.of(2, 4, 8), List.of(1, 2, 2)), "planes", Optional.of(1)),
        with(FatTrees.radix(3, 8, 1), "ports", Optional.of(2), "planes", Optional.of(1)));
  }

  static LongStream seeds() {
    return Seeds.several(20);
  }

  @ParameterizedTest
  @MethodSource("fullTrees")
  void shouldCarryOneFlowPerLinkWhenDModKRoutesAnyShift(Settings settings) {
    assertOneFlowPerLink(with(settings, "routing", Routing.D_MOD_K));
  }

  @ParameterizedTest
  @MethodSource("fullTrees")
  void shouldCarryOneFlowPerLinkWhenSModKRoutesAnyShift(Settings settings) {
    assertOneFlowPerLink(with(settings, "routing", Routing.S_MOD_K));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void shouldCarryOneFlowPerLinkWhenTreeIsRandomButOfConstantBisection(long seed) {
    assertOneFlowPerLink(randomTree(RandomStream.of(seed, "ContentionTest", "shape")));
  }

  // m_l p_l = w_(l+1) p_(l+1), with w1 = p1 = 1, and at most about 200 terminals.
  private static Settings randomTree(RandomStream random) {
    int levels = 2 + random.nextInt(2);
    List<Integer> down = new ArrayList<>();
    List<Integer> up = new ArrayList<>(List.of(1));
    List<Integer> parallel = new ArrayList<>(List.of(1));
    for (int level = 1; level <= levels; level++) {
      int most = levels == 2 ? 14 : 6;
      down.add(1 + random.nextInt(most));
      if (level < levels) {
        int ports = down.get(level - 1) * parallel.get(level - 1);
        int[] divisors = divisors(ports);
        int cables = divisors[random.nextInt(divisors.length)];
        parallel.add(cables);
        up.add(ports / cables);
      }
    }
    return FatTrees.shape(down, up, parallel);
  }

  private static int[] divisors(int number) {
    return IntStream.rangeClosed(1, number).filter(d -> number % d == 0).toArray();
  }

  @Test
  void shouldCarryAsManyFlowsPerLinkAsOversubscribedWhenShiftCrossesLeaves() {
    Settings settings = FatTrees.radix(2, 12, 2);
    assertThat(mostFlows(plan(settings, 96), 8)).isEqualTo(2);
  }

  @Test
  void shouldCountTwoFlowsWhenOneCableMustCarryThem() {
    Settings settings = FatTrees.shape(List.of(2, 2), List.of(1, 1), List.of(1, 1));
    assertThat(mostFlows(plan(settings, 4), 2)).isEqualTo(2);
  }

  private static void assertOneFlowPerLink(Settings settings) {
    int terminals = Math.toIntExact(ShapeChoice.of(settings).shape(1).terminals());
    TierPlan plan = plan(settings, terminals);
    for (int shift = 1; shift < terminals; shift++) {
      assertThat(mostFlows(plan, shift)).as("flows of the busiest link, shift %s, %s", shift, settings).isEqualTo(1);
    }
  }

  private static TierPlan plan(Settings settings, int terminals) {
    return new FatTreeTopologyProvider().create(settings).plan(Fabrics.terminals(DeviceKind.NIC, terminals));
  }

  private static int mostFlows(TierPlan plan, int shift) {
    int[] flows = new int[plan.links()];
    for (int source = 0; source < plan.terminals(); source++) {
      int destination = (source + shift) % plan.terminals();
      for (int device = source; device != destination;) {
        int entry = plan.routeEntry(device, destination);
        int link = TierPlan.linkOf(entry >= 0 ? entry : plan.candidate(entry, source));
        flows[link]++;
        device = plan.linkTarget(link);
      }
    }
    return Arrays.stream(flows).max().orElse(0);
  }
}
