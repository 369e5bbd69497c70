package dev.heddle.network.packet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.network.NetworkModel;
import dev.heddle.network.RunOptions;
import dev.heddle.results.Results;
import dev.heddle.results.Results.RunInfo;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Link;
import dev.heddle.spi.Switch;
import dev.heddle.spi.Workload;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.TierPlanBuilder;
import dev.heddle.tier.Topology;
import dev.heddle.units.RandomStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of the division of fabrics among partitions: leaves stay whole, loads are even, and results are the same. */
class FabricDivisionTest {
  private static final Switch SWITCH = Fixtures.device(100, Switch.Switching.CUT_THROUGH);
  private static final double MOST_OVER_MEAN = 1.5;

  static LongStream seeds() {
    return Fixtures.seeds(7000, 30);
  }

  private static Link link(double nanos) {
    return Fixtures.link(100, nanos, 1024, 24, 32 << 10);
  }

  // Leaves with hosts, in blocks or dealt in turn, under spines that are cabled to all of them.
  private static Fabric leafSpine(int leaves, int hosts, int spines, boolean inTurn, double trunkNanos) {
    Topology topology = terminals -> {
      TierPlanBuilder plan = new TierPlanBuilder(terminals).selection(TierPlan.Selection.RANDOM);
      int[] leaf = IntStream.range(0, leaves)
          .map(i -> plan.addDevice("leaf" + i, DeviceKind.SWITCH, SWITCH)).toArray();
      for (int host = 0; host < leaves * hosts; host++) {
        plan.connect(host, leaf[inTurn ? host % leaves : host / hosts], link(50));
      }
      for (int spine = 0; spine < spines; spine++) {
        int top = plan.addDevice("spine" + spine, DeviceKind.SWITCH, SWITCH);
        Arrays.stream(leaf).forEach(each -> plan.connect(each, top, link(trunkNanos)));
      }
      return plan.routeByShortestPaths().build();
    };
    return one(leaves * hosts, topology);
  }

  private static Fabric one(int terminals, Topology topology) {
    return Fabric.of(List.of(
        new Tier("net", 1, Map.of(DeviceKind.ACCELERATOR, terminals), Optional.empty(), topology)));
  }

  private static FabricDivision divide(Fabric fabric, int most) {
    return new FabricDivision(new NetworkPlan(fabric, 0, false), most);
  }

  private static int leafOf(Fabric fabric, int host) {
    return IntStream.range(0, fabric.links()).filter(link -> fabric.linkSource(link) == host)
        .map(fabric::linkTarget).findFirst().orElseThrow();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldKeepLeavesWholeWithEvenLoadsAndEqualResults(long seed) {
    RandomStream random = RandomStream.of(seed, "division", "shape");
    int partitions = 2 + random.nextInt(3);
    int leaves = partitions * (1 + random.nextInt(3));
    Fabric fabric =
        leafSpine(leaves, 2 + random.nextInt(5), 1 + random.nextInt(4), random.nextInt(2) == 0, 200);
    FabricDivision division = divide(fabric, partitions);
    assertThat(division.obstacle()).as("seed %d", seed).isEmpty();
    assertThat(division.partitions).as("seed %d", seed).isEqualTo(partitions);
    int[] load = new int[partitions];
    for (int link = 0; link < fabric.links(); link++) {
      load[division.partitionOf[fabric.linkSource(link)]]++;
    }
    assertThat(Arrays.stream(load).max().orElseThrow()).as("greatest of %s, seed %d", Arrays.toString(load), seed)
        .isLessThanOrEqualTo((int) Math.ceil(MOST_OVER_MEAN * fabric.links() / partitions));
    for (int host = 0; host < fabric.terminals(); host++) {
      assertThat(division.partitionOf[host]).as("host %d, seed %d", host, seed)
          .isEqualTo(division.partitionOf[leafOf(fabric, host)]);
    }
    Workload workload = Fixtures.burst(6, 20_000, Fixtures::uniform);
    Results expected = new Simulation("one", fabric, workload, SimulationOptions.defaults(), seed).run();
    for (int count : new int[] {2, partitions, 5 * partitions}) {
      for (int threads = 1; threads <= 3; threads += 2) {
        Results results = new Simulation(
            "one", fabric, workload, SimulationOptions.defaults().parallel(count, threads), seed).run();
        assertThat(results.with(withoutEvents(results.run())))
            .as("%d partitions, %d threads, seed %d", count, threads, seed)
            .isEqualTo(expected.with(withoutEvents(expected.run())));
      }
    }
  }

  // A link that waits for credit may look more than once, as another partition states the times of returns together.
  private static RunInfo withoutEvents(RunInfo run) {
    return new RunInfo(run.scenario(), run.version(), run.fidelity(), run.seed(), run.simulatedPs(), 0,
        run.packetHops(), run.fingerprint(), run.wallNanos());
  }

  @Test
  void shouldWaitForTheLatencyOfTheLinksThatAreCut() {
    FabricDivision division = divide(leafSpine(4, 4, 1, false, 700), 4);
    assertThat(division.leastDelay()).isEqualTo(700_000);
  }

  @Test
  void shouldDivideByItselfOnlyWhereNoStateRecurs() {
    Fabric sprayed = leafSpine(32, 16, 16, false, 200);
    assertThat(sprayed.links()).isEqualTo(2048);
    assertThat(most(sprayed, 0, Long.MAX_VALUE)).isEqualTo(5);
    assertThat(most(sprayed, 7, Long.MAX_VALUE)).isEqualTo(7);
    assertThat(most(leafSpine(16, 16, 16, false, 200), 0, Long.MAX_VALUE)).isEqualTo(1);
    assertThat(most(leafSpine(4, 4, 4, false, 200), 0, Long.MAX_VALUE)).isEqualTo(1);
    Fabric star = one(900, Fixtures.star(link(50), SWITCH));
    assertThat(most(star, 0, Long.MAX_VALUE)).isEqualTo(1);
    assertThat(most(star, 0, 1000)).isEqualTo(4);
    Workload workload = Fixtures.burst(2, 20_000, Fixtures::uniform);
    Results divided = new Simulation("run", sprayed, workload, SimulationOptions.defaults(), 1).run();
    Results whole =
        new Simulation("run", sprayed, workload, SimulationOptions.defaults().parallel(1, 1), 1).run();
    assertThat(divided.with(withoutEvents(divided.run()))).isEqualTo(whole.with(withoutEvents(whole.run())));
  }

  private static int most(Fabric fabric, int asked, long windowEndPs) {
    return FabricDivision.most(new NetworkPlan(fabric, 0, false), new RunOptions(
        0, 1024, 0, windowEndPs, 1, asked, 1, 1, null, true, 0, 0));
  }

  @Test
  void shouldCutHostsFromTheirSwitchWhenThereIsOne() {
    Fabric star = one(12, Fixtures.star(link(50), SWITCH));
    FabricDivision division = divide(star, 2);
    assertThat(division.partitions).isEqualTo(2);
    int centre = division.partitionOf[12];
    assertThat(IntStream.range(0, 12).filter(host -> division.partitionOf[host] != centre).count())
        .isGreaterThanOrEqualTo(10);
    assertThat(division.leastDelayTo(0)).isEqualTo(50_000);
  }

  @Test
  void shouldDivideWhereLinksTakeNoCredit() {
    Fabric star = one(12, Fixtures.star(Fixtures.link(100, 50, 1024, 24, 0), SWITCH));
    FabricDivision division = divide(star, 3);
    assertThat(division.obstacle()).isEmpty();
    assertThat(division.partitions).isEqualTo(3);
    assertThat(division.leastDelay()).isEqualTo(50_000);
    Workload workload = Fixtures.burst(6, 20_000, Fixtures::uniform);
    Results whole = new Simulation("one", star, workload, SimulationOptions.defaults().parallel(1, 1), 1).run();
    assertThat(new Simulation("one", star, workload, SimulationOptions.defaults().parallel(3, 2), 1).run())
        .isEqualTo(whole);
  }

  @Test
  void shouldWarnWhenPartitionsOrThreadsCannotHelp() {
    Fabric star = one(4, Fixtures.star(link(50), SWITCH));
    assertThat(warnings(Fidelity.PACKET, star, 1, 1)).isEmpty();
    assertThat(warnings(Fidelity.PACKET, star, 4, 2)).isEmpty();
    assertThat(warnings(Fidelity.PACKET, star, 1, 2)).containsExactly(
        "run.threads: 2 has no effect with one partition; set run.partitions to at least 2");
    assertThat(warnings(Fidelity.PACKET, star, 2, 3)).containsExactly(
        "run.threads: 3 has no effect beyond 2, the number of partitions");
    assertThat(warnings(Fidelity.PACKET, one(4, Fixtures.star(link(0), SWITCH)), 2, 2)).containsExactly(
        "run.partitions: 2 has no effect, the run is one partition on one thread: the fabric is one node, or its links"
            + " have no latency");
    assertThat(warnings(Fidelity.PACKET, one(4, Fixtures.star(Fixtures.halfDuplex(link(50)), SWITCH)), 2, 1))
        .singleElement().asString().contains("both directions of a link share a wire");
    assertThat(warnings(Fidelity.FLOW, star, 2, 1)).containsExactly(
        "fidelity flow runs on one thread: run.partitions and run.threads have no effect");
  }

  private static List<String> warnings(NetworkModel model, Fabric fabric, int partitions, int threads) {
    return model.divisionWarnings(fabric, new RunOptions(
        0, 1024, 0, Long.MAX_VALUE, 1, partitions, threads, 1, null, false, 0, 0));
  }
}
