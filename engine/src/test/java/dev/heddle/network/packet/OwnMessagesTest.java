package dev.heddle.network.packet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.fabric.Fabric;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.units.DataSize;
import dev.heddle.units.RandomStream;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random machines whose ranks send long messages to each other in turns, alone or across each other's way: every result
 * is the same whether messages that recur are replayed or not.
 */
class OwnMessagesTest {
  private static PacketNetwork.MemoizedCalls all = PacketNetwork.MemoizedCalls.NONE;
  private static PacketNetwork.MemoizedCalls both = PacketNetwork.MemoizedCalls.NONE;

  @AfterAll
  static void shouldHaveReplayedAndDisturbedMessages() {
    if (!Fixtures.replaysOneSeed()) {
      assertThat(all.replayed()).as("messages replayed").isGreaterThan(all.recorded() + 100);
      assertThat(all.disturbed()).as("messages disturbed").isGreaterThan(20);
      assertThat(both.joined()).as("messages that met others").isGreaterThan(100);
      assertThat(both.replayed()).as("messages replayed").isGreaterThan(2 * both.recorded());
      assertThat(both.disturbed()).as("messages that met others and were disturbed").isGreaterThan(20);
    }
  }

  static LongStream seeds() {
    return Fixtures.seeds(9000, 60);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldYieldEqualResultsWhenMessagesAreReplayed(long seed) {
    RandomStream random = RandomStream.of(seed, "messages", "shape");
    Fabric fabric = MemoizationTest.machine(random);
    SimulationOptions options = SimulationOptions.defaults()
        .granularity(SimulationOptions.Granularity.BURST, DataSize.ofBytes(512L << random.nextInt(4)))
        .injectionQueue(random.nextInt(3) == 0 ? 1 + random.nextInt(3) : 1024);
    Workload turns = new Turns(seed, 1 + random.nextInt(3), random.nextInt(3) == 0, 1 + random.nextInt(2));
    all = all.plus(MemoizationTest.shouldBeEqual(
        changed -> new Simulation("run", fabric, turns, changed, seed), options, 2));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldYieldEqualResultsWhenMessagesThatMeetAreReplayed(long seed) {
    RandomStream random = RandomStream.of(seed, "exchange", "shape");
    Fabric fabric = MemoizationTest.machine(random);
    SimulationOptions options = SimulationOptions.defaults()
        .granularity(SimulationOptions.Granularity.BURST, DataSize.ofBytes(512L << random.nextInt(4)))
        .injectionQueue(random.nextInt(4) == 0 ? 1 + random.nextInt(3) : 1024);
    Workload stages = new Stages(
        seed, 2 + random.nextInt(3), random.nextInt(3) == 0 ? 1 + random.nextInt(3) : 0, random.nextInt(4) == 0);
    both = both.plus(MemoizationTest.shouldBeEqual(
        changed -> new Simulation("run", fabric, stages, changed, seed), options, 2));
  }

  /**
   * Lines of ranks, each of which sends to the next one and to the one before, at times of its own.
   *
   * @param length of a line
   * @param foreign every so many turns a rank sends a short message besides; 0 for never
   * @param jitter whether senders may be late
   */
  private record Stages(long seed, int length, int foreign, boolean jitter) implements Workload {
    private static final int COUNT = 12;

    @Override
    public WorkloadPlan plan(Cluster cluster) {
      return WorkloadPlan.of(
          cluster.terminals(DeviceKind.ACCELERATOR), (rank, context) -> new Stage(this, rank, context.ranks()));
    }
  }

  /** A rank of a line: a stream for each direction, each of which pauses, sends, receives and may send again. */
  private static final class Stage implements Program {
    private final Stages stages;
    private final int rank;
    private final int ranks;
    private final RandomStream own;
    private final long[] pausePs = new long[2];
    private final long bytes;
    private final int[] turn = new int[2];
    private final int[] step = new int[2];

    Stage(Stages stages, int rank, int ranks) {
      this.stages = stages;
      this.rank = rank;
      this.ranks = ranks;
      RandomStream common = RandomStream.of(stages.seed, "stage " + rank % stages.length, "exchange");
      own = RandomStream.of(stages.seed, "rank " + rank, "exchange");
      pausePs[0] = 20_000_000L + common.nextInt(4_000_000);
      pausePs[1] = 20_000_000L + common.nextInt(2) * common.nextInt(4_000_000);
      bytes = 30_000L << RandomStream.of(stages.seed, "stages", "exchange").nextInt(3);
    }

    @Override
    public int streams() {
      return 2;
    }

    @Override
    public boolean next(int stream, Operation operation) {
      if (turn[stream] == Stages.COUNT) {
        return false;
      }
      int to = stream == 0 ? neighbour(1) : neighbour(-1);
      int from = stream == 0 ? neighbour(-1) : neighbour(1);
      switch (step[stream]++) {
        case 0 -> operation.compute(pausePs[stream] + (stages.jitter && own.nextInt(4) == 0 ? own.nextInt(9_000) : 0));
        case 1 -> send(operation, to, bytes, stream);
        case 2 -> receive(operation, from, stream);
        case 3 -> operation.compute(1 + (stages.jitter ? own.nextInt(1_000_000) : 0));
        case 4 -> send(operation, isForeign(rank, stream) ? to : rank, 2_000, stream + 2);
        default -> {
          receive(operation, from >= 0 && isForeign(from, stream) ? from : rank, stream + 2);
          step[stream] = 0;
          turn[stream]++;
        }
      }
      return true;
    }

    private boolean isForeign(int sender, int stream) {
      return stages.foreign > 0 && (turn[stream] + sender) % (2 * stages.foreign) == 0;
    }

    // The next rank of the line or the one before; -1 for none.
    private int neighbour(int by) {
      int first = rank - rank % stages.length;
      int other = rank + by;
      return other < first || other >= Math.min(ranks, first + stages.length) ? -1 : other;
    }

    private void send(Operation operation, int to, long size, int tag) {
      if (to >= 0 && to != rank) {
        operation.send(to, size, tag, 0);
      } else {
        operation.signal(0);
      }
    }

    private void receive(Operation operation, int from, int tag) {
      if (from >= 0 && from != rank) {
        operation.receive(from, tag);
      } else {
        operation.signal(0);
      }
    }
  }

  /**
   * Turns in which every rank of some sends to the one a number of places ahead.
   *
   * @param every one in so many ranks sends
   * @param jitter whether senders may be late
   * @param messages that a sender sends at once
   */
  private record Turns(long seed, int every, boolean jitter, int messages) implements Workload {
    private static final int COUNT = 15;

    @Override
    public WorkloadPlan plan(Cluster cluster) {
      return WorkloadPlan.of(
          cluster.terminals(DeviceKind.ACCELERATOR), (rank, context) -> new Sender(this, rank, context.ranks()));
    }
  }

  private static final class Sender implements Program {
    private final Turns turns;
    private final int rank;
    private final int ranks;
    private final RandomStream common;
    private final RandomStream own;
    private int turn;
    private int step;
    private int shift;
    private long bytes;

    Sender(Turns turns, int rank, int ranks) {
      this.turns = turns;
      this.rank = rank;
      this.ranks = ranks;
      common = RandomStream.of(turns.seed, "turns", "messages");
      own = RandomStream.of(turns.seed, "rank " + rank, "messages");
    }

    @Override
    public int streams() {
      return 1;
    }

    // A pause, messages where it is the rank's turn to send, and the receipt of those that it is sent.
    @Override
    public boolean next(int stream, Operation operation) {
      if (turn == Turns.COUNT || ranks < 2) {
        return false;
      }
      if (step == 0) {
        shift = 1 + common.nextInt(Math.min(2, ranks - 1));
        bytes = 40_000L << common.nextInt(2);
        operation.compute(
            (1 + common.nextInt(3)) * 10_000_000L + (turns.jitter && own.nextInt(4) == 0 ? own.nextInt(90_000) : 0));
      } else if (step <= turns.messages) {
        send(operation);
      } else {
        receive(operation);
      }
      if (step++ == 2 * turns.messages) {
        step = 0;
        turn++;
      }
      return true;
    }

    private void send(Operation operation) {
      if (rank % turns.every == 0) {
        operation.send((rank + shift) % ranks, bytes * step, step, 0);
      } else {
        operation.signal(0);
      }
    }

    private void receive(Operation operation) {
      int from = Math.floorMod(rank - shift, ranks);
      if (from % turns.every == 0) {
        operation.receive(from, step - turns.messages);
      } else {
        operation.signal(0);
      }
    }
  }
}
