package dev.heddle.network.packet;

import static dev.heddle.network.packet.Fixtures.device;
import static dev.heddle.network.packet.Fixtures.link;
import static dev.heddle.network.packet.Fixtures.star;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.engine.SteppedCollectives;
import dev.heddle.fabric.Fabric;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.sim.SimulationOptions.Memoization;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Switch.Switching;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.units.DataSize;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that tell a sender of room in its connection, behind data of the same rank. */
class NoticesOfRoomTest {
  private static final int DATA = SteppedCollectives.firstTag(0);
  private static final int PACKET = 4096;
  private static final long WIRE_PS = PACKET * 80L;
  private static final int PACKETS = 100;
  private static final long LATENCY_PS = 2 * 1000 + 2 * 300_000;

  private static final SimulationOptions OPTIONS =
      SimulationOptions.defaults().granularity(SimulationOptions.Granularity.PACKET, DataSize.ofBytes(PACKET));

  // Two nodes of two accelerators and a NIC; links of 100 Gb/s and packets without headers, passed on as they come.
  private static final Fabric FABRIC = Fixtures.cluster(
      2, 2, star(link(100, 1, PACKET, 0, 0), device(0, Switching.CUT_THROUGH)), device(0, Switching.CUT_THROUGH),
      star(link(100, 300, PACKET, 0, 0), device(0, Switching.CUT_THROUGH)));

  // The time of a run in which rank 0 sends data to rank 2, which nobody awaits, and messages without data, the last of
  // which another computation follows at its receiver.
  private static long timePs(int receiver, int data, int notices, int tag, Memoization memoization) {
    List<Consumer<Operation>> sender = new ArrayList<>();
    List<Consumer<Operation>> waiting = new ArrayList<>();
    for (int i = 0; i < data; i++) {
      sender.add(operation -> operation.send(2, (long) PACKETS * PACKET, DATA, 0));
    }
    for (int i = 0; i < notices; i++) {
      sender.add(operation -> operation.send(receiver, 0, tag, 0));
      waiting.add(operation -> operation.receive(0, tag));
    }
    waiting.add(operation -> operation.compute(1_000_000_000L));
    Workload workload = cluster -> WorkloadPlan.of(cluster.terminals(DeviceKind.ACCELERATOR), (rank, context) -> {
      return rank == 0 ? program(sender) : rank == receiver ? program(waiting) : program(List.of());
    });
    return new Simulation("notices", FABRIC, workload, OPTIONS.memoization(memoization), 1).run()
        .run().simulatedPs() - 1_000_000_000L;
  }

  private static Program program(List<Consumer<Operation>> steps) {
    return new Fixtures.Steps(List.of(steps));
  }

  // A notice waits for the packets that have begun, of which there are eight at most on the links of its path.
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7})
  void shouldSendNoticesToOtherNodesBehindPacketsThatHaveBegun(int data) {
    for (Memoization memoization : Memoization.values()) {
      assertThat(timePs(2, data, 1, DATA + 1, memoization)).as("%s", memoization)
          .isBetween(LATENCY_PS, 8 * WIRE_PS + LATENCY_PS);
      assertThat(timePs(2, data, 5, DATA + 1, memoization)).as("%s", memoization)
          .isBetween(LATENCY_PS, 8 * WIRE_PS + LATENCY_PS);
    }
  }

  @ParameterizedTest
  @EnumSource(Memoization.class)
  void shouldSendOtherMessagesInTheirOrder(Memoization memoization) {
    long all = 3 * PACKETS * WIRE_PS + LATENCY_PS;
    assertThat(timePs(2, 3, 1, DATA, memoization)).isLessThan(all);
    assertThat(timePs(2, 3, 1, 7, memoization)).isBetween(all, all + WIRE_PS);
  }
}
