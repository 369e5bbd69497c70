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

  @AfterAll
  static void shouldHaveReplayedAndDisturbedMessages() {
    if (Long.getLong("heddle.test.seed") == null) {
      assertThat(all.replayed()).as("messages replayed").isGreaterThan(all.recorded() + 100);
      assertThat(all.disturbed()).as("messages disturbed").isGreaterThan(20);
    }
  }

  static LongStream seeds() {
    Long replay = Long.getLong("heddle.test.seed");
    long count = Long.getLong("heddle.test.seeds", 60);
    return replay == null ? LongStream.range(9000, 9000 + count) : LongStream.of(replay);
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
