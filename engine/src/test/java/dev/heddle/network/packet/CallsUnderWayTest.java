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
import dev.heddle.workload.Program;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random machines whose ranks send long messages while a collective call of theirs is under way: every result is the
 * same whether the call takes the messages over or not.
 */
class CallsUnderWayTest {
  private static PacketNetwork.MemoizedCalls all = PacketNetwork.MemoizedCalls.NONE;
  private static PacketNetwork.MemoizedCalls late = PacketNetwork.MemoizedCalls.NONE;

  @AfterAll
  static void shouldHaveTakenMessagesOver() {
    if (!Fixtures.replaysOneSeed()) {
      assertThat(all.joined()).as("calls that took messages over").isGreaterThan(50);
      assertThat(all.putOff()).as("recordings that were put off").isGreaterThan(50);
      assertThat(all.replayed()).as("calls replayed").isGreaterThan(all.recorded());
      assertThat(all.disturbed()).as("calls disturbed").isGreaterThan(20);
      assertThat(late.replayed()).as("calls of late members replayed").isGreaterThan(late.recorded());
      assertThat(late.disturbed()).as("calls of late members disturbed").isGreaterThan(20);
    }
  }

  static LongStream seeds() {
    return Fixtures.seeds(7000, 72);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldYieldEqualResultsWhenCallsTakeMessagesOver(long seed) {
    all = all.plus(shouldBeEqual(seed, "under way", false));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldYieldEqualResultsWhenMembersComeLate(long seed) {
    late = late.plus(shouldBeEqual(seed, "late", true));
  }

  private static PacketNetwork.MemoizedCalls shouldBeEqual(long seed, String name, boolean late) {
    RandomStream random = RandomStream.of(seed, name, "shape");
    Fabric fabric = MemoizationTest.machine(random);
    SimulationOptions options = SimulationOptions.defaults()
        .granularity(SimulationOptions.Granularity.BURST, DataSize.ofBytes(512L << random.nextInt(4)))
        .injectionQueue(random.nextInt(4) == 0 ? 2 + random.nextInt(20) : 1024);
    CollectiveAlgorithm algorithm = MemoizationTest.algorithm(random);
    Workload senders = new Senders(seed, random.nextInt(4) == 0, random.nextInt(3) > 0, late);
    return MemoizationTest.shouldBeEqual(
        changed -> new Simulation("run", fabric, senders, changed, seed).with(algorithm), options, 1);
  }

  @Test
  void shouldReplayCallsWhoseMembersComeLateInTheSameWay() {
    Fabric fabric = MemoizationTest.machine(RandomStream.of(3, "late", "machine"));
    int calls = 30;
    Fixtures.Watched model = new Fixtures.Watched();
    lateMembers(fabric, calls, 100_000, SimulationOptions.defaults()).at(model).run();
    PacketNetwork.MemoizedCalls counts = model.networks.get(0).memoizedCalls();
    assertThat(counts.recorded()).as("calls recorded").isLessThan(calls / 2);
    assertThat(counts.replayed()).as("calls replayed").isGreaterThan(calls / 2);
    assertThat(counts.disturbed()).as("calls disturbed").isZero();
  }

  @Test
  void shouldSkipTheStepsOfALongCallWhoseMembersComeLateForTheFirstTime() {
    Fabric fabric = Fixtures.fastNode(4);
    Fixtures.Watched model = new Fixtures.Watched();
    Results replayed = lateMembers(fabric, 1, 80_000_000, SimulationOptions.defaults()).at(model).run();
    SimulationOptions none = SimulationOptions.defaults().memoization(Memoization.NONE);
    assertThat(replayed).isEqualTo(lateMembers(fabric, 1, 80_000_000, none).run());
    assertThat(model.networks.get(0).memoizedCalls().replayed()).as("calls replayed").isEqualTo(1);
    assertThat(model.networks.get(0).skippedEvents() / (double) replayed.run().events()).isBetween(0.8, 1.0);
  }

  @Test
  void shouldRecordACallOnceWhenMessagesComeToItInSeveralInstants() {
    Fabric fabric = Fixtures.fastNode(8);
    Fixtures.Watched model = new Fixtures.Watched();
    Results replayed = severalInstants(fabric, SimulationOptions.defaults()).at(model).run();
    SimulationOptions none = SimulationOptions.defaults().memoization(Memoization.NONE);
    assertThat(replayed).isEqualTo(severalInstants(fabric, none).run());
    PacketNetwork.MemoizedCalls counts = model.networks.get(0).memoizedCalls();
    assertThat(counts.recorded()).as("the call, and the call with all messages").isEqualTo(2);
    assertThat(counts.putOff()).as("recordings that were put off, one an instant").isEqualTo(4);
    assertThat(counts.disturbed()).as("calls disturbed").isZero();
  }

  // A ring of four ranks, each of which sends a message to another rank while the ring is under way.
  private static Simulation severalInstants(Fabric fabric, SimulationOptions options) {
    Workload ring = cluster -> WorkloadPlan.of(
        cluster.terminals(DeviceKind.ACCELERATOR), (rank, context) -> memberThatSends(rank))
        .withGroups(List.of(Group.of(0, 1, 2, 3)));
    return new Simulation("run", fabric, ring, options.parallel(1, 1), 1)
        .with(new RingAlgorithmProvider().create(new RingAlgorithmProvider.Settings(1, 1)));
  }

  // A rank of the ring sends to one beside it, nanoseconds later than the rank before.
  private static Program memberThatSends(int rank) {
    List<Consumer<Operation>> call =
        List.of(operation -> operation.collective(0, CollectiveOp.ALL_REDUCE, 8_000_000, 0));
    List<Consumer<Operation>> message = List.of(
        operation -> operation.compute(50_000_003 + rank * 10_007L),
        operation -> operation.send(rank + 4, 300_000, 1, 0));
    List<Consumer<Operation>> receipt = List.of(operation -> operation.receive(rank - 4, 1));
    return new Fixtures.Steps(rank < 4 ? List.of(call, message) : List.of(receipt, List.of()));
  }

  private static Simulation lateMembers(Fabric fabric, int calls, long bytes, SimulationOptions options) {
    Workload late = cluster -> {
      int[] ranks = cluster.terminals(DeviceKind.ACCELERATOR);
      return WorkloadPlan.of(ranks, (rank, context) -> lateMember(rank, calls, bytes))
          .withGroups(List.of(Group.of(IntStream.range(0, ranks.length).toArray())));
    };
    return new Simulation("run", fabric, late, options.parallel(1, 1), 1)
        .with(new RingAlgorithmProvider().create(new RingAlgorithmProvider.Settings(1, 1)));
  }

  // A rank calls collectives, later than others by a time of its own.
  private static Program lateMember(int rank, int calls, long bytes) {
    Consumer<Operation> compute = operation -> operation.compute(100_000_000 + rank % 3 * 77_001L + rank * 13);
    Consumer<Operation> call = operation -> operation.collective(0, CollectiveOp.ALL_REDUCE, bytes, 0);
    return new Fixtures.Steps(List.of(Collections.nCopies(calls, List.of(compute, call)).stream()
        .flatMap(List::stream).toList()));
  }

  /**
   * Ranks of which the first ones call collectives, and each sends messages to a partner in the meantime.
   *
   * @param jitter whether some senders are late
   * @param apart whether the partners are no members
   * @param late whether members come to calls at times of their own, and most messages after the calls
   */
  private record Senders(long seed, boolean jitter, boolean apart, boolean late) implements Workload {
    private static final int COUNT = 8;

    @Override
    public WorkloadPlan plan(Cluster cluster) {
      int[] ranks = cluster.terminals(DeviceKind.ACCELERATOR);
      int members = members(ranks.length);
      return WorkloadPlan.of(ranks, (rank, context) -> new Sender(this, rank, context.ranks()))
          .withGroups(List.of(Group.of(IntStream.range(0, members).toArray())));
    }

    int members(int ranks) {
      return apart ? ranks / 2 : ranks;
    }
  }

  /** A rank: a stream for calls, and one that sends or receives a message or two while each is under way. */
  private static final class Sender implements Program {
    private final Senders senders;
    private final int rank;
    private final int members;
    private final int partner;
    private final boolean sends;
    private final boolean receives;
    private final RandomStream own;
    private final RandomStream common;
    private final long latenessPs;
    private final int[] turn = new int[2];
    private final int[] step = new int[2];

    Sender(Senders senders, int rank, int ranks) {
      this.senders = senders;
      this.rank = rank;
      members = senders.members(ranks);
      int half = ranks / 2;
      sends = rank < half;
      receives = rank >= half && rank < 2 * half;
      partner = sends ? rank + half : rank - half;
      own = RandomStream.of(senders.seed, "rank " + rank, "under way");
      common = RandomStream.of(senders.seed, "all", "under way");
      latenessPs = senders.late && own.nextInt(3) == 0 ? 1_003 + own.nextInt(3) * 400_007L : 0;
    }

    @Override
    public int streams() {
      return 2;
    }

    @Override
    public boolean next(int stream, Operation operation) {
      if (turn[stream] == Senders.COUNT || rank >= members && !receives) {
        return false;
      }
      if (stream == 0) {
        return call(operation);
      }
      if (sends) {
        send(operation);
      } else if (receives) {
        operation.receive(partner, 2 * turn[1] + step[1]);
        goOn(1, 2);
      } else {
        return false;
      }
      return true;
    }

    private boolean call(Operation operation) {
      if (rank >= members || members < 2) {
        return false;
      }
      switch (step[0]) {
        case 0 -> operation.compute(300_000_000L + latenessPs);
        case 1 -> operation.signal(0);
        default -> operation.collective(
            0, turn[0] % 4 == 3 ? CollectiveOp.ALL_TO_ALL : CollectiveOp.ALL_REDUCE, 60_000, 0);
      }
      goOn(0, 3);
      return true;
    }

    private void send(Operation operation) {
      switch (step[1]) {
        case 0 -> {
          if (members < 2) {
            operation.compute(1);
          } else {
            operation.await(0, turn[1] + 1);
          }
        }
        case 1 -> operation.compute(
            (senders.late && turn[1] % 3 > 0 ? 150_000_000 : 500_003) + common.nextInt(3) * 1_500_117L
                + (senders.jitter && own.nextInt(3) == 0 ? own.nextInt(90_000) : 0));
        case 2 -> operation.send(partner, 150_000, 2 * turn[1], 0);
        default -> operation.send(partner, turn[1] % 3 == 2 ? 140_000 : 400, 2 * turn[1] + 1, 0);
      }
      goOn(1, 4);
    }

    private void goOn(int stream, int steps) {
      step[stream] = (step[stream] + 1) % steps;
      turn[stream] += step[stream] == 0 ? 1 : 0;
    }
  }
}
