package dev.heddle.network.packet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.fabric.Fabric;
import dev.heddle.results.Results;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.sim.SimulationOptions.Memoization;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.standard.collective.RingAlgorithmProvider;
import dev.heddle.units.DataSize;
import dev.heddle.units.RandomStream;
import dev.heddle.workload.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Short messages, of small collectives of other groups or of ranks' own, that come to the links of a call under way, as
 * those of the norm of gradients come to a ring that reduces them: every result is the same whether the call takes them
 * over or not.
 */
class ShortMessagesTest {
  private static PacketNetwork.MemoizedCalls all = PacketNetwork.MemoizedCalls.NONE;

  @AfterAll
  static void shouldHaveTakenMessagesOver() {
    if (!Fixtures.replaysOneSeed()) {
      assertThat(all.joined()).as("calls that took messages over").isGreaterThan(50);
      assertThat(all.disturbed()).as("calls disturbed").isGreaterThan(10);
    }
  }

  static LongStream seeds() {
    return Fixtures.seeds(8000, 60);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldYieldEqualResultsWhenShortMessagesComeToCalls(long seed) {
    RandomStream random = RandomStream.of(seed, "short", "shape");
    Fabric fabric = MemoizationTest.machine(random);
    SimulationOptions options = SimulationOptions.defaults()
        .granularity(SimulationOptions.Granularity.BURST, DataSize.ofBytes(512L << random.nextInt(4)))
        .injectionQueue(random.nextInt(4) == 0 ? 2 + random.nextInt(20) : 1024);
    CollectiveAlgorithm algorithm = MemoizationTest.algorithm(random);
    Workload norms = new Norms(seed, random.nextInt(3) == 0, 4L << random.nextInt(8));
    all = all.plus(MemoizationTest.shouldBeEqual(
        changed -> new Simulation("run", fabric, norms, changed, seed).with(algorithm), options, 2));
  }

  @Test
  void shouldSkipStepsBeforeAMessageComesByLinksThatOthersUsedMeanwhile() {
    Fabric fabric = Fixtures.fastNode(6);
    CollectiveAlgorithm ring =
        new RingAlgorithmProvider().create(new RingAlgorithmProvider.Settings(1, 1));
    SimulationOptions options = SimulationOptions.defaults().parallel(1, 1);
    Simulation simulation = new Simulation("late", fabric, new Late(), options, 1).with(ring);
    Results expected =
        new Simulation("late", fabric, new Late(), options.memoization(Memoization.NONE), 1).with(ring).run();
    Fixtures.Watched model = new Fixtures.Watched();
    assertThat(simulation.at(model).run()).isEqualTo(expected);
    PacketNetwork network = model.networks.get(0);
    assertThat(network.memoizedCalls().joined()).as("calls that took messages over").isEqualTo(1);
    assertThat(network.memoizedCalls().disturbed()).as("calls disturbed").isZero();
    // The ring is recorded twice, and its steps are skipped in both.
    assertThat(network.skippedEvents() / (double) expected.run().events()).isBetween(1.8, 2.0);
  }

  /** A ring of four ranks; two others exchange messages, and one of them sends a short one to the ring after that. */
  private record Late() implements Workload {
    private static final int MEMBERS = 4;
    private static final long BYTES = 12_800_000;

    @Override
    public WorkloadPlan plan(Cluster cluster) {
      int[] ranks = cluster.terminals(DeviceKind.ACCELERATOR);
      return WorkloadPlan.of(ranks, (rank, context) -> new Fixtures.Steps(List.of(steps(rank))))
          .withGroups(List.of(Group.of(IntStream.range(0, MEMBERS).toArray())));
    }

    private static List<Consumer<Operation>> steps(int rank) {
      return switch (rank) {
        case 0 -> List.of(
            to -> to.collective(0, CollectiveOp.ALL_REDUCE, BYTES, 0), to -> to.receive(MEMBERS, 1));
        case MEMBERS -> List.of(
            to -> to.compute(200_000_000), to -> to.send(MEMBERS + 1, 5_000, 0, 0), to -> to.compute(20_000_000),
            to -> to.send(0, 100, 1, 0));
        case MEMBERS + 1 -> List.of(to -> to.receive(MEMBERS, 0));
        default -> List.of(to -> to.collective(0, CollectiveOp.ALL_REDUCE, BYTES, 0));
      };
    }
  }

  /**
   * Half of the ranks do large collectives together, and a small one with a partner after each; the partners, which are
   * done with their own part, come to it while the large one is under way, and some send a short message besides.
   *
   * @param jitter whether some partners come at times of their own
   * @param bytes of the small collectives
   */
  private record Norms(long seed, boolean jitter, long bytes) implements Workload {
    private static final int COUNT = 8;

    @Override
    public WorkloadPlan plan(Cluster cluster) {
      int[] ranks = cluster.terminals(DeviceKind.ACCELERATOR);
      int half = ranks.length / 2;
      List<Group> groups = new ArrayList<>();
      groups.add(Group.of(IntStream.range(0, half).toArray()));
      for (int rank = 0; rank < half; rank++) {
        groups.add(Group.of(new int[] {rank, rank + half}));
      }
      return WorkloadPlan.of(ranks, (rank, context) -> new Fixtures.Steps(List.of(steps(rank, half))))
          .withGroups(groups);
    }

    private List<Consumer<Operation>> steps(int rank, int half) {
      RandomStream common = RandomStream.of(seed, "all", "short");
      RandomStream own = RandomStream.of(seed, "rank " + rank, "short");
      List<Consumer<Operation>> steps = new ArrayList<>();
      for (int turn = 0; turn < COUNT && half > 1 && rank < 2 * half; turn++) {
        long latePs = 500_003 + common.nextInt(6) * 700_117L;
        boolean greets = common.nextInt(3) == 0;
        int tag = turn;
        steps.add(to -> to.compute(200_000_000));
        if (rank < half) {
          steps.add(to -> to.collective(0, CollectiveOp.ALL_REDUCE, 60_000, 0));
        } else {
          steps.add(to -> to.compute(latePs + (jitter && own.nextInt(3) == 0 ? own.nextInt(90_000) : 0)));
        }
        steps.add(to -> to.collective(1 + rank % half, CollectiveOp.ALL_REDUCE, bytes, 0));
        if (greets && rank < half) {
          steps.add(to -> to.receive(rank + half, tag));
        } else if (greets) {
          steps.add(steps.size() - 1, to -> to.send(rank - half, 300, tag, 0));
        }
      }
      return steps;
    }
  }
}
