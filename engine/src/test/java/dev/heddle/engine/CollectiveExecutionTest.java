package dev.heddle.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.collective.Layout;
import dev.heddle.collective.MemoryAccess;
import dev.heddle.collective.Pipeline;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.TransportModel;
import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.results.Results;
import dev.heddle.results.SpaceTime;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationException;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectivePlan;
import dev.heddle.spi.Communicator;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Link;
import dev.heddle.spi.Switch;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.standard.collective.DirectAlgorithmProvider;
import dev.heddle.standard.collective.RingAlgorithmProvider;
import dev.heddle.standard.link.GenericLinkProvider;
import dev.heddle.standard.link.GenericSwitchProvider;
import dev.heddle.standard.topology.StarTopologyProvider;
import dev.heddle.standard.workload.CollectiveWorkloadProvider;
import dev.heddle.standard.workload.CollectiveWorkloadProvider.Settings;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Holds collectives against closed forms on a star: 10 B/ns, no overheads, 100 ns a link. */
class CollectiveExecutionTest {
  private static final double NS_PER_BYTE = 0.1;
  private static final double LATENCY_NS = 200;
  private static final int UNIT = 4096;

  @TempDir
  Path folder;

  private static Fabric star(int ranks) {
    Link link = new GenericLinkProvider().create(new GenericLinkProvider.Settings(
        DataRate.ofGigabitsPerSecond(80), SimTime.ofNanos(100), DataSize.ofBytes(UNIT), DataSize.ZERO, Optional.empty(),
        Optional.empty(), 1));
    Switch centre = new GenericSwitchProvider().create(new GenericSwitchProvider.Settings(
        SimTime.ZERO, Switch.Switching.CUT_THROUGH, Switch.Buffering.VIRTUAL_OUTPUT, Switch.Arbitration.ROUND_ROBIN,
        DataSize.ZERO, DataSize.ZERO));
    return Fabric.of(List.of(new Tier(
        "node", 1, Map.of(DeviceKind.ACCELERATOR, ranks), Optional.empty(),
        new StarTopologyProvider().create(new StarTopologyProvider.Settings(link, Map.of(), centre)))));
  }

  private static Results run(int ranks, Settings settings, CollectiveAlgorithm algorithm, Fidelity fidelity) {
    return new Simulation(
        "test", star(ranks), new CollectiveWorkloadProvider().create(settings), SimulationOptions.defaults(), 1)
        .with(algorithm).at(fidelity).run();
  }

  private static double nanos(Results results, CollectiveOp op) {
    return 1e3 * results.metric("collective." + op.key() + ".time").orElseThrow().value();
  }

  private static CollectiveAlgorithm direct() {
    return new DirectAlgorithmProvider().create(new DirectAlgorithmProvider.Settings(1));
  }

  // From rank 0 to rank 1, in one step.
  private static CollectiveAlgorithm chain() {
    return new RingAlgorithmProvider().create(new RingAlgorithmProvider.Settings(1, 1));
  }

  /** A chain under a protocol, step by step. */
  private record Under(TransportModel protocol) implements CollectiveAlgorithm {
    @Override
    public Communicator communicator(Cluster cluster, Group group) {
      Communicator chain = chain().communicator(cluster, group);
      return collective -> CollectivePlan.of(chain.plan(collective).schedule().withProtocol(protocol));
    }
  }

  /** A ring whose slices have a quarter of a rank's share. */
  private record Sliced(int window) implements CollectiveAlgorithm {
    @Override
    public Communicator communicator(Cluster cluster, Group group) {
      Communicator ring = RingAlgorithmProvider.single().communicator(cluster, group);
      return collective -> CollectivePlan.of(ring.plan(collective).schedule().withProtocol(
          new TransportModel("", 1, 1, collective.bytes() / 16, window, TransportModel.Costs.NONE)));
    }
  }

  @Test
  void shouldNameTheWindowWhenItHoldsNoMoreThanAStepOfARing() {
    Settings settings = Settings.of(CollectiveOp.ALL_REDUCE, DataSize.ofBytes(16L * UNIT));
    assertThat(nanos(run(4, settings, new Sliced(5), Fidelity.PACKET), CollectiveOp.ALL_REDUCE)).isPositive();
    assertThatThrownBy(() -> run(4, settings, new Sliced(4), Fidelity.PACKET))
        .isInstanceOf(SimulationException.class).hasMessageContaining("stalled at")
        .hasMessageContaining("the window of the schedule's transport must hold more messages than a step has slices")
        .hasMessageContaining("rank 0 stream 0: room in its connection to rank 1, tag");
  }

  @ParameterizedTest
  @EnumSource(Fidelity.class)
  void shouldTakeTheClosedFormWhenARingReduces(Fidelity fidelity) {
    long bytes = 8L * 100 * UNIT;
    Results results = run(
        8, Settings.of(CollectiveOp.ALL_REDUCE, DataSize.ofBytes(bytes)), RingAlgorithmProvider.single(), fidelity);
    double step = bytes / 8 * NS_PER_BYTE + LATENCY_NS;
    assertThat(nanos(results, CollectiveOp.ALL_REDUCE)).isCloseTo(14 * step, within(0.01 * step));
    assertThat(results.metric("collective.all_reduce.busbw").orElseThrow().value())
        .isCloseTo(1.75 * bytes / (14 * step), within(1e-3));
  }

  private Settings pairs(String rows) throws IOException {
    return Settings.ofPairs(Files.writeString(folder.resolve("pairs.txt"), rows));
  }

  @ParameterizedTest
  @EnumSource(Fidelity.class)
  void shouldTakeWhatTheMostWantedRankReceivesWhenPairsDiffer(Fidelity fidelity) throws IOException {
    long bytes = 100 * UNIT;
    Results results = run(
        4, pairs("7 0 0 " + bytes + "\n0 7 1 " + bytes + "\n0 0 7 " + bytes + "\n0 0 9 7\n"), direct(), fidelity);
    assertThat(nanos(results, CollectiveOp.ALL_TO_ALL_V))
        .isCloseTo(3 * bytes * NS_PER_BYTE + LATENCY_NS, within(UNIT * NS_PER_BYTE));
    assertThat(results.metric("collective.all_to_all_v.algbw").orElseThrow().value())
        .isCloseTo((3 * bytes + 7) / nanos(results, CollectiveOp.ALL_TO_ALL_V), within(1e-3));
  }

  @ParameterizedTest
  @EnumSource(Fidelity.class)
  void shouldTakeAsLongAsAnAllToAllWhenPairsAreAlike(Fidelity fidelity) throws IOException {
    String row = "50000 ".repeat(8) + "\n";
    double alike = nanos(
        run(8, Settings.of(CollectiveOp.ALL_TO_ALL, DataSize.ofBytes(8 * 50_000)), direct(), fidelity),
        CollectiveOp.ALL_TO_ALL);
    assertThat(nanos(run(8, pairs(row.repeat(8)), direct(), fidelity), CollectiveOp.ALL_TO_ALL_V)).isEqualTo(alike);
  }

  @Test
  void shouldSayHowManyRanksPairsAreForWhenOthersTakePart() throws IOException {
    Settings settings = pairs("1 2\n3 4\n");
    assertThatThrownBy(() -> run(3, settings, direct(), Fidelity.FLOW))
        .hasMessageContaining("has sizes for 2 ranks, but 3 take part; 'ranks: 2' takes the first");
    assertThat(nanos(run(3, settings.ranks(2), direct(), Fidelity.FLOW), CollectiveOp.ALL_TO_ALL_V)).isPositive();
  }

  @ParameterizedTest
  @EnumSource(value = Fidelity.class, names = {"PACKET", "FLOW"})
  void shouldSendTwiceTheBytesWhenHalfOfEachLineIsFlags(Fidelity fidelity) {
    Settings settings = Settings.of(CollectiveOp.BROADCAST, DataSize.ofBytes(100 * UNIT));
    TransportModel flags = new TransportModel("flags", 8, 16, Long.MAX_VALUE, 0, TransportModel.Costs.NONE);
    assertThat(nanos(run(2, settings, new Under(flags), fidelity), CollectiveOp.BROADCAST))
        .isCloseTo(200 * UNIT * NS_PER_BYTE + LATENCY_NS, within(1.0));
  }

  /** Rank 0 sends rank 1 two chunks, each of which takes a start. */
  private record TwoTransfers(boolean overlapping, long startPs) implements CollectiveAlgorithm {
    @Override
    public Communicator communicator(Cluster cluster, Group group) {
      return collective -> CollectivePlan.of(schedule(collective));
    }

    private Schedule schedule(Collective collective) {
      Layout layout = Layout.of(collective, 2);
      TransportModel protocol =
          new TransportModel("", 1, 1, Long.MAX_VALUE, 0, new TransportModel.Costs(0, startPs, 0, 0, 0));
      return Schedule.planned("two", layout, rank -> steps(layout, rank)).withProtocol(protocol);
    }

    private RankSteps steps(Layout layout, int rank) {
      RankStepsBuilder steps = new RankStepsBuilder(layout, rank);
      int block = steps.threadBlock(0, rank == 0 ? 1 : RankSteps.NONE, rank == 0 ? RankSteps.NONE : 0);
      for (int chunk = 0; chunk < 2; chunk++) {
        if (rank != 0) {
          steps.memoryAccess(steps.receive(block, ChunkRange.output(chunk, 1)), 0, 0);
        } else {
          int sent = steps.access(steps.send(block, ChunkRange.input(chunk, 1)), MemoryAccess.COPY);
          if (overlapping) {
            steps.asynchronous(sent);
          }
        }
      }
      return steps.build();
    }
  }

  @ParameterizedTest
  @EnumSource(value = Fidelity.class, names = {"PACKET", "FLOW"})
  void shouldStartTransfersSideBySideWhenTheyOverlap(Fidelity fidelity) {
    Settings settings = Settings.of(CollectiveOp.BROADCAST, DataSize.ofBytes(2 * UNIT));
    double startNs = 10e3;
    double wireNs = UNIT * NS_PER_BYTE;
    assertThat(nanos(run(2, settings, new TwoTransfers(false, 10_000_000), fidelity), CollectiveOp.BROADCAST))
        .as("one after the other").isCloseTo(2 * startNs + wireNs + LATENCY_NS, within(1.0));
    assertThat(nanos(run(2, settings, new TwoTransfers(true, 10_000_000), fidelity), CollectiveOp.BROADCAST))
        .as("side by side").isCloseTo(startNs + 2 * wireNs + LATENCY_NS, within(1.0));
  }

  @ParameterizedTest
  @EnumSource(value = Fidelity.class, names = {"PACKET", "FLOW"})
  void shouldStopAndWaitWhenAConnectionHoldsOneMessage(Fidelity fidelity) {
    Settings settings = Settings.of(CollectiveOp.BROADCAST, DataSize.ofBytes(10 * UNIT));
    TransportModel one = new TransportModel("one", 1, 1, UNIT, 1, TransportModel.Costs.NONE);
    // Each of ten slices goes there; before the next one, the word that there is room comes back.
    double expected = 10 * (UNIT * NS_PER_BYTE + LATENCY_NS) + 9 * LATENCY_NS;
    assertThat(nanos(run(2, settings, new Under(one), fidelity), CollectiveOp.BROADCAST))
        .isCloseTo(expected, within(0.02 * expected));
  }

  @ParameterizedTest
  @EnumSource(value = Fidelity.class, names = {"PACKET", "FLOW"})
  void shouldOverlapWorkAndWireWhenSlicesFollowEachOther(Fidelity fidelity) {
    Settings settings = Settings.of(CollectiveOp.REDUCE, DataSize.ofBytes(10 * UNIT));
    TransportModel.Costs costs =
        new TransportModel.Costs(1_000_000, 50_000, 2 * NS_PER_BYTE * 1e3, 3_000_000, 7_000_000);
    TransportModel sliced = new TransportModel("sliced", 1, 1, UNIT, 0, costs);
    double work = 50 + 2 * NS_PER_BYTE * UNIT;
    double expected = 1000 + 10 * work + 3000 + UNIT * NS_PER_BYTE + LATENCY_NS;
    // The next slices do not wait for the delay of a slice. The receiver works on a slice too.
    assertThat(nanos(run(2, settings, new Under(sliced), fidelity), CollectiveOp.REDUCE))
        .isBetween(expected, expected + 2 * work);
  }

  @ParameterizedTest
  @EnumSource(value = Fidelity.class, names = {"PACKET", "FLOW"})
  void shouldShareLinksWhenGroupsRunSideBySide(Fidelity fidelity) {
    Settings one = Settings.of(CollectiveOp.ALL_GATHER, DataSize.ofBytes(400L * UNIT));
    Settings two = one.groups(List.of(List.of(0, 1, 2, 3), List.of(0, 1, 2, 3)));
    double alone = nanos(run(4, one, RingAlgorithmProvider.single(), fidelity), CollectiveOp.ALL_GATHER);
    Results both = run(4, two, RingAlgorithmProvider.single(), fidelity);
    assertThat(1e3 * both.metric("time").orElseThrow().value()).isCloseTo(2 * alone, within(0.03 * alone));
    assertThat(both.metric("collective.all_gather.count").orElseThrow().value()).isEqualTo(2);
  }

  @Test
  void shouldRunNoFasterThanItsLimitWhenAPipelineHasOne() {
    CollectiveAlgorithm limited = (cluster, group) -> collective -> CollectivePlan
        .of(direct().communicator(cluster, group).plan(collective).schedule())
        .withPipelines(() -> List.of(Pipeline.of(
            ImmutableIntArray.of(0, 1), ImmutableIntArray.of(1, 0), collective.bytes(), UNIT,
            new Pipeline.Fill(0, 0, 5_000_000)).limited(1e-3)));
    for (Fidelity fidelity : List.of(Fidelity.FLOW, Fidelity.ANALYTIC)) {
      Results results = run(
          2, Settings.of(CollectiveOp.SEND_RECV, DataSize.ofBytes(100 * UNIT)).repeats(3), limited, fidelity);
      assertThat(nanos(results, CollectiveOp.SEND_RECV)).isCloseTo(100 * UNIT + 5000, within(1.0));
    }
  }

  // Rings whose all_reduce is a fluid and whose all_gather is not.
  private static Communicator mixed(Cluster cluster, Group group) {
    Communicator ring = RingAlgorithmProvider.single().communicator(cluster, group);
    return collective -> collective.op() == CollectiveOp.ALL_REDUCE
        ? ring.plan(collective) : CollectivePlan.of(ring.plan(collective).schedule());
  }

  /** One group that gathers and then reduces. */
  private record Both() implements Workload {
    @Override
    public WorkloadPlan plan(Cluster cluster) {
      int[] ranks = ranks(cluster);
      return WorkloadPlan.of(ranks, this::program).withGroups(groups(ranks, cluster));
    }

    private int[] ranks(Cluster cluster) {
      return cluster.terminals(DeviceKind.ACCELERATOR);
    }

    private List<Group> groups(int[] terminals, Cluster cluster) {
      return List.of(Group.ofFirst(terminals.length));
    }

    private Program program(int rank, WorkloadContext context) {
      CollectiveOp[] ops = {CollectiveOp.ALL_GATHER, CollectiveOp.ALL_REDUCE};
      int[] done = new int[1];
      return new Program() {
        @Override
        public int streams() {
          return 1;
        }

        @Override
        public boolean next(int stream, Operation operation) {
          if (done[0] == ops.length) {
            return false;
          }
          operation.collective(0, ops[done[0]++], 4 * UNIT, 0);
          return true;
        }
      };
    }
  }

  @ParameterizedTest
  @EnumSource(Fidelity.class)
  void shouldTellAGroupsCollectivesApartWhenOneIsAFluidAndOneIsNot(Fidelity fidelity) {
    Results results = new Simulation("test", star(4), new Both(), SimulationOptions.defaults(), 1)
        .with(CollectiveExecutionTest::mixed).at(fidelity).run();
    for (CollectiveOp op : List.of(CollectiveOp.ALL_GATHER, CollectiveOp.ALL_REDUCE)) {
      assertThat(results.metric("collective." + op.key() + ".count").orElseThrow().value())
          .isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5})
  void shouldGiveTheSameBitsWhenPartitionsDiffer(int partitions) {
    Settings settings = Settings.of(CollectiveOp.ALL_REDUCE, DataSize.ofKiB(300)).repeats(2);
    Simulation simulation = new Simulation(
        "test", star(7), new CollectiveWorkloadProvider().create(settings), SimulationOptions.defaults(), 1)
        .with(RingAlgorithmProvider.single());
    Simulation divided = new Simulation(
        "test", star(7), new CollectiveWorkloadProvider().create(settings),
        SimulationOptions.defaults().parallel(partitions, 2), 1).with(RingAlgorithmProvider.single());
    assertThat(divided.run().run().fingerprint()).isEqualTo(simulation.run().run().fingerprint());
    assertThat(divided.run().metrics()).isEqualTo(simulation.run().metrics());
  }

  @ParameterizedTest
  @ValueSource(ints = {5, 1000})
  void shouldKeepTheFirstMessagesWhenTheyAreToBeDrawn(int most) {
    Settings settings = Settings.of(CollectiveOp.ALL_REDUCE, DataSize.ofBytes(4 * UNIT));
    Results results = new Simulation(
        "test", star(4), new CollectiveWorkloadProvider().create(settings), SimulationOptions.defaults().draw(most), 1)
        .with(RingAlgorithmProvider.single()).run();
    SpaceTime drawn = results.spaceTime();
    assertThat(drawn.messages()).hasSize(Math.min(most, 4 * 6));
    assertThat(drawn.lanes()).containsExactly(
        "node.accelerator0", "node.accelerator1", "node.accelerator2", "node.accelerator3");
    for (SpaceTime.Message message : drawn.messages()) {
      assertThat(message.to()).isEqualTo((message.from() + 1) % 4);
      assertThat(message.endPs() - message.startPs()).isEqualTo(Math.round((UNIT * NS_PER_BYTE + LATENCY_NS) * 1e3));
    }
  }

  @Test
  void shouldRefuseGroupsWhoseTagsWouldMeet() {
    List<Group> groups = new ArrayList<>(Collections.nCopies(4096, Group.of(2)));
    groups.set(0, Group.of(0, 1));
    groups.add(Group.of(1, 0, 2));
    assertThatThrownBy(
        () -> new CollectiveGroups(star(3), new int[] {0, 1, 2}, groups, List.of(), RingAlgorithmProvider.single()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ranks 0 and 1 are together in groups 0 and 4096");
    assertThatThrownBy(
        () -> new CollectiveGroups(star(3), new int[] {0, 1}, List.of(Group.of(2)), List.of(),
            RingAlgorithmProvider.single()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("group 0 has the member 2");
  }
}
