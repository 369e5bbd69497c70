package dev.heddle.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.collective.Layout;
import dev.heddle.collective.MessageLabel;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.TransportModel;
import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.results.Results;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectivePlan;
import dev.heddle.spi.Communicator;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Link;
import dev.heddle.spi.Switch;
import dev.heddle.standard.link.GenericLinkProvider;
import dev.heddle.standard.link.GenericSwitchProvider;
import dev.heddle.standard.topology.StarTopologyProvider;
import dev.heddle.standard.workload.CollectiveWorkloadProvider;
import dev.heddle.standard.workload.CollectiveWorkloadProvider.Settings;
import dev.heddle.tier.Topology;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Times of thread blocks against closed forms, with negligible link times: 1 B/ps, 1 ns. */
class ScheduleProgramTest {
  private static final int SLICE = 1000;
  private static final int SLICES = 10;
  private static final double COPY_PS = 5;
  private static final double LINKS_NS = 30;

  private static Switch centre() {
    return new GenericSwitchProvider().create(new GenericSwitchProvider.Settings(
        SimTime.ZERO, Switch.Switching.CUT_THROUGH, Switch.Buffering.VIRTUAL_OUTPUT, Switch.Arbitration.ROUND_ROBIN,
        DataSize.ZERO, DataSize.ZERO));
  }

  private static Topology star() {
    Link link = new GenericLinkProvider().create(new GenericLinkProvider.Settings(
        DataRate.ofGigabitsPerSecond(8000), SimTime.ofNanos(1), DataSize.ofBytes(SLICE), DataSize.ZERO,
        Optional.empty(),
        Optional.empty(), 1));
    return new StarTopologyProvider().create(new StarTopologyProvider.Settings(link, Map.of(), centre()));
  }

  private static Fabric nodes(int nodes, int ranks) {
    return Fabric.of(List.of(
        Tier.inner("node", Map.of(DeviceKind.ACCELERATOR, ranks, DeviceKind.NIC, 1), centre(), star()),
        Tier.outer("cluster", nodes, star())));
  }

  /** The first rank sends each other its share; all its thread blocks share one copy engine, or none do. */
  private record Fan(boolean shared, boolean stores, TransportModel protocol) implements CollectiveAlgorithm {
    Fan(boolean shared) {
      this(shared,
          new TransportModel("", 1, 1, SLICE, 0, new TransportModel.Costs(0, 0, COPY_PS, 0, 0)));
    }

    Fan(boolean shared, TransportModel protocol) {
      this(shared, false, protocol);
    }

    @Override
    public Communicator communicator(Cluster cluster, Group group) {
      return collective -> CollectivePlan.of(schedule(collective));
    }

    private Schedule schedule(Collective collective) {
      Layout layout = Layout.of(collective, 1);
      return Schedule.planned("fan", layout, rank -> steps(layout, rank)).withProtocol(protocol);
    }

    private RankSteps steps(Layout layout, int rank) {
      RankStepsBuilder steps = new RankStepsBuilder(layout, rank);
      if (rank > 0) {
        int block = steps.threadBlock(0, RankSteps.NONE, 0);
        steps.memoryAccess(steps.receive(block, ChunkRange.output(0, 1)), 0, stores ? 1 : 0);
        return steps.build();
      }
      for (int target = 1; target < layout.ranks(); target++) {
        int block = steps.threadBlock(0, target, RankSteps.NONE);
        steps.send(shared ? steps.onCopyEngine(block, 7) : block, ChunkRange.input(target, 1));
      }
      return steps.build();
    }
  }

  private static Results run(Fabric fabric, int ranks, CollectiveAlgorithm algorithm) {
    Settings settings = Settings.of(CollectiveOp.SCATTER, DataSize.ofBytes((long) ranks * SLICES * SLICE));
    return new Simulation(
        "test", fabric, new CollectiveWorkloadProvider().create(settings), SimulationOptions.defaults(), 1)
        .with(algorithm).run();
  }

  private static double nanos(Fabric fabric, int ranks, CollectiveAlgorithm algorithm) {
    return 1e3 * run(fabric, ranks, algorithm).metric("collective.scatter.time").orElseThrow().value();
  }

  @ParameterizedTest
  @CsvSource({"2, false, 1", "2, true, 1", "5, false, 1", "5, true, 4"})
  void shouldTakeTurnsWhenThreadBlocksShareWhatCopies(int ranks, boolean shared, int turns) {
    double copyNs = SLICES * SLICE * COPY_PS / 1e3;
    assertThat(nanos(nodes(1, ranks), ranks, new Fan(shared)))
        .isBetween(turns * copyNs, turns * copyNs + LINKS_NS);
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "4, 4", "0.25, 1"})
  void shouldStoreAtARateOfItsOwnWhereAStepOnlyReceives(double storeCopies, double copies) {
    double copyNs = SLICES * SLICE * COPY_PS / 1e3;
    TransportModel storing = new TransportModel("", 1, 1, SLICE, 0, new TransportModel.Costs(
        0, 0, COPY_PS, storeCopies * COPY_PS, 0, 0, 0, 0, 0));
    // Sender and receiver work at the same time, except for the first slice of one and the last of the other.
    double one = copyNs / SLICES;
    assertThat(nanos(nodes(1, 2), 2, new Fan(false, true, storing)))
        .isBetween(copies * copyNs + Math.min(1, storeCopies) * one, copies * copyNs + one + LINKS_NS);
  }

  @Test
  void shouldSendPiecesAtThePaceOfThePort() {
    double copyNs = SLICES * SLICE * COPY_PS / 1e3;
    TransportModel pieces = new TransportModel("", 1, 1, Long.MAX_VALUE, 0, new TransportModel.Costs(
        0, 0, COPY_PS, COPY_PS, 0, 0, 0, 3 * COPY_PS, 0)).inPieces(SLICES * SLICE / 8);
    // The last of eight pieces leaves when it is copied.
    assertThat(nanos(nodes(1, 2), 2, new Fan(false, pieces)))
        .isBetween((3 * 7 + 1) / 8.0 * copyNs, 3 * copyNs + LINKS_NS);
  }

  // The least times from slice to slice, in copies.
  private static TransportModel paced(double network, double port) {
    return new TransportModel("", 1, 1, SLICE, 0, new TransportModel.Costs(
        0, 0, COPY_PS, COPY_PS, 0, 0, network * COPY_PS, port * COPY_PS, 0));
  }

  @ParameterizedTest
  @CsvSource({"0, 0, 1, 1", "3, 0, 1, 3", "0, 3, 3, 1", "0.5, 0.5, 1, 1"})
  void shouldKeepItsPaceWhereAConnectionOrItsShareOfThePortIsSlowerThanTheCopy(
      double networkCopies, double portCopies, int local, int remote) {
    double copyNs = SLICES * SLICE * COPY_PS / 1e3;
    TransportModel paced = paced(networkCopies, portCopies);
    // The last slice's pace is not waited for at its receiver.
    assertThat(nanos(nodes(1, 2), 2, new Fan(false, paced)))
        .isBetween((local * (SLICES - 1) + 1) * copyNs / SLICES, local * copyNs + LINKS_NS);
    assertThat(nanos(nodes(2, 1), 2, new Fan(false, paced)))
        .isBetween((remote * (SLICES - 1) + 1) * copyNs / SLICES, remote * copyNs + LINKS_NS);
  }

  @ParameterizedTest
  @CsvSource({"1, 10", "2, 5", "5, 2", "10, 1", "0, 1"})
  void shouldHoldAWindowAtEachEndWhenAConnectionLeavesTheNode(int buffers, int trips) {
    double lagNs = 1000;
    TransportModel protocol = new TransportModel(
        "", 1, 1, SLICE, 1, new TransportModel.Costs(0, 0, 0, Math.round(lagNs * 1e3), Math.round(lagNs * 1e3)))
        .with(new TransportModel.Connections(
            0, false, Long.MAX_VALUE, MessageLabel.SAME_CLASS, MessageLabel.SAME_CLASS, TransportModel.Headers.PLAIN,
            buffers));
    assertThat(nanos(nodes(2, 1), 2, new Fan(false, protocol)))
        .isBetween(trips * lagNs, trips * (lagNs + LINKS_NS));
    assertThat(nanos(nodes(1, 2), 2, new Fan(false, protocol)))
        .isBetween(SLICES * lagNs, SLICES * (lagNs + LINKS_NS));
  }

  @ParameterizedTest
  @CsvSource({"1, 999, 2", "1, 1000, 1", "4, 999, 5", "4, 1000, 4"})
  void shouldSendOneWithoutDataAfterWhatTakesRoutesOfItsOwn(int routes, long adaptiveAbove, int messages) {
    Fan fan = new Fan(false,
        new TransportModel("", 1, 1, SLICE, 0, TransportModel.Costs.NONE).with(new TransportModel.Connections(
            routes, routes > 1, adaptiveAbove, MessageLabel.SAME_CLASS, MessageLabel.SAME_CLASS,
            TransportModel.Headers.PLAIN, 1)));
    assertThat(run(nodes(2, 1), 2, fan).metric("messages.delivered").orElseThrow().value())
        .isEqualTo(SLICES * messages);
    assertThat(run(nodes(1, 2), 2, fan).metric("messages.delivered").orElseThrow().value()).isEqualTo(SLICES);
  }

  // A lag longer than all turns, one as long as a few, and none; one connection and several, which share the proxy.
  @ParameterizedTest
  @CsvSource({"2, 9000", "2, 900", "2, 0", "5, 9000", "5, 0"})
  void shouldSendToOtherNodesInTurnsOfTheRanksProxy(int ranks, double lagNs) {
    double turnNs = 300;
    long lagPs = Math.round(lagNs * 1e3);
    Fan turns = new Fan(false, new TransportModel("", 1, 1, SLICE, 0, new TransportModel.Costs(
        0, 0, 0, 0, lagPs, lagPs, 0, 0, Math.round(turnNs * 1e3))));
    double lastNs = lagNs + ((ranks - 1) * SLICES - 1) * turnNs;
    assertThat(nanos(nodes(ranks, 1), ranks, turns)).isBetween(lastNs, lastNs + LINKS_NS);
    assertThat(nanos(nodes(1, ranks), ranks, turns)).isBetween(lagNs, lagNs + 2 * LINKS_NS);
  }

  @Test
  void shouldSendWithinTheNodeWhileItCopiesWhenSlicesLeaveInPieces() {
    TransportModel whole =
        new TransportModel("", 1, 1, Long.MAX_VALUE, 0, new TransportModel.Costs(0, 0, COPY_PS, 0, 0));
    TransportModel pieces = whole.inPieces(SLICES * SLICE / 8);
    double copyNs = SLICES * SLICE * COPY_PS / 1e3;
    double wireNs = SLICES * SLICE / 1e3;
    double after = nanos(nodes(1, 2), 2, new Fan(false, whole));
    assertThat(after).isGreaterThan(copyNs + wireNs);
    // Of eight pieces, each whole lines of 128 B, the last one is on its way when all is copied.
    assertThat(nanos(nodes(1, 2), 2, new Fan(false, pieces))).isBetween(copyNs, after - 0.85 * wireNs);
    assertThat(nanos(nodes(2, 1), 2, new Fan(false, pieces)))
        .isEqualTo(nanos(nodes(2, 1), 2, new Fan(false, whole)));
  }

  @Test
  void shouldKeepTheConnectionsPaceOnlyWhenItLeavesTheNode() {
    double paceNs = SLICE * 4 * COPY_PS / 1e3;
    double copyNs = SLICE * COPY_PS / 1e3;
    Fan paced = new Fan(true, paced(4, 0));
    // Each slice leaves as soon as it is copied; after the last one the thread block is done a pace later.
    assertThat(nanos(nodes(2, 1), 2, paced)).isCloseTo(SLICES * paceNs, within(0.01));
    assertThat(nanos(nodes(1, 2), 2, paced)).isBetween(SLICES * copyNs, SLICES * copyNs + LINKS_NS);
    // While one connection is paced, others copy: three of them take no longer, eight occupy the copy engine.
    assertThat(nanos(nodes(4, 1), 4, paced)).isBetween(SLICES * paceNs, SLICES * paceNs + 3 * copyNs + LINKS_NS);
    assertThat(nanos(nodes(9, 1), 9, paced)).isBetween(8 * SLICES * copyNs, 8 * SLICES * copyNs + paceNs + LINKS_NS);
  }
}
