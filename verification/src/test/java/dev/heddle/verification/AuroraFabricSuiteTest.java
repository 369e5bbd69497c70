package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.common.collect.ImmutableMap;
import dev.heddle.collectives.oneccl.HostPath;
import dev.heddle.collectives.oneccl.ScaleOut;
import dev.heddle.registry.Registry;
import dev.heddle.results.ValidationReport;
import dev.heddle.results.ValidationReport.Row;
import dev.heddle.results.ValidationReport.Table;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.sim.SimulationOptions.Granularity;
import dev.heddle.units.DataSize;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of Aurora's simulated all_reduce against experiments within a node, and against the packet network. */
class AuroraFabricSuiteTest {
  private static ValidationReport report;

  @BeforeAll
  static void runTheSuite() {
    report = new AuroraFabricSuite().run(Optional.empty());
  }

  private static Table table(String name) {
    return report.tables().stream().filter(each -> each.name().startsWith(name)).findFirst().orElseThrow();
  }

  @Test
  void shouldComeWithinTheBoundOfTheExperimentsWithinANode() {
    Table table = table("Within a node: experiment and simulation");
    assertThat(table.rows()).hasSize(3);
    assertThat(table.boundPct()).isEqualTo(10);
    assertThat(table.holds()).isTrue();
  }

  @Test
  void shouldTakeTwoXeLinksWorthWhenTwoGpusExchangeBothWays() {
    // Z/2 in each direction twice, over 11.5 GB/s per direction: 76.1 ms, and latency.
    double millis = table("Within a node: experiment and simulation").rows().get(0).model();
    assertThat(millis).isCloseTo(0.875 / 11.5 * 1e3, within(0.1));
  }

  @Test
  void shouldComeToTheClosedFormWhenItsSimplificationsAreMade() {
    List<Row> rows = table("From simulation to closed form").rows();
    assertThat(rows.get(0).errorPct()).isGreaterThan(70);
    assertThat(rows.get(rows.size() - 1).errorPct()).isBetween(0.0, 0.5);
  }

  @Test
  void shouldRankBottlenecksByWhatTheyCost() {
    List<Row> rows = table("What each bottleneck costs: 16 nodes of 12").rows();
    assertThat(rows).hasSize(9).extracting(Row::model).isSorted();
    assertThat(rows.get(0).label()).startsWith("Xe-Links below 53 GB/s");
    assertThat(table("What each bottleneck costs: 16 nodes of 1 ").rows().get(0).label())
        .startsWith("copies to and from the host");
  }

  @ParameterizedTest
  @EnumSource(HostPath.class)
  void shouldAgreeWithThePacketNetworkOnTheWholeMachine(HostPath host) {
    AuroraRuns runs =
        new AuroraRuns(Registry.discover(AuroraFabricSuiteTest.class.getClassLoader(), List.of()), "aurora");
    AuroraRuns.Run run = new AuroraRuns.Run(2, 12, DataSize.parse("24 MB"), ScaleOut.RING, host);
    SimulationOptions bursts = SimulationOptions.defaults().granularity(Granularity.BURST, DataSize.ofKiB(16));
    double packet = runs.millis(run, Map.of(), Fidelity.PACKET, bursts);
    assertThat(runs.millis(run, Map.of())).isCloseTo(packet, within(0.02 * packet));
  }

  // Between groups, shortest paths would send all data of a group over two links of 25 GB/s.
  @Test
  void shouldSpreadOverTheMachinesGroupsWhenTwoOfThemExchange() {
    AuroraRuns runs =
        new AuroraRuns(Registry.discover(AuroraFabricSuiteTest.class.getClassLoader(), List.of()), "aurora");
    AuroraRuns.Run run =
        new AuroraRuns.Run(128, 12, DataSize.parse("2 GB"), ScaleOut.HALVING_DOUBLING, HostPath.NONE);
    double adaptive = runs.millis(run, Map.of("cluster.tiers[1].topology.groups", "40"));
    double minimal = runs.millis(run, ImmutableMap.of(
        "cluster.tiers[1].topology.groups", "40", "cluster.tiers[1].topology.routing", "minimal"));
    double between = 12 * 64 * 2e9 / 12 / 2 * 2 / 50e9 * 1e3;
    assertThat(minimal).as("halves of 768 ranks over two links, out and back").isGreaterThan(between);
    assertThat(adaptive).isLessThan(0.1 * minimal);
  }

  @Test
  void shouldMatchTheSuiteWhenItsPageIsRead() throws IOException {
    ValidationPage.shouldBe("aurora-fabric.md", ValidationPage.of(report));
  }
}
