package dev.heddle.topology.torus2d;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.collective.MemoryAccess;
import dev.heddle.fabric.Fabric;
import dev.heddle.results.Results;
import dev.heddle.results.Results.LinkUsage;
import dev.heddle.sim.Fidelity;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MemoryTest {
  private static final int BYTES = 4_000_000;
  // Four ranks a chip share 40 GB/s: 10 GB/s each, so a byte takes 100 ps.
  private static final double US_PER_CROSSING = BYTES / 10e3;
  private static final double OVERHEAD_US = 2.5;
  // A descriptor that does not cross still takes 1 ps, a hundredth of a byte's time; the sum is rounded to whole bytes.
  private static final double ROUNDED = BYTES / 4096 / 100.0 + 1;

  private static Fabric fabric() {
    return Tori.fabric(
        new TorusTopologyProvider().create(TorusTopologyProvider.Settings.of(
            List.of(2, 2), Tori.link(2, Optional.empty()), Tori.chip(4, 1))),
        16);
  }

  @ParameterizedTest
  @EnumSource(value = Fidelity.class, names = {"PACKET", "FLOW"})
  void shouldCountReadsAndWritesOfEveryAccess(Fidelity fidelity) {
    for (MemoryAccess access : MemoryAccess.values()) {
      Results results = ClassedMessages.run(
          fabric(), new ClassedMessages(access.trafficClass(), BYTES, rank -> rank == 0 ? 1 : -1), fidelity);
      assertThat(touched(results, "node.accelerator0 -> node.hbm0")).as("reads of %s", access)
          .isCloseTo(access.reads() * (double) BYTES, within(ROUNDED));
      assertThat(touched(results, "node.hbm1 -> node.accelerator1")).as("writes of %s", access)
          .isCloseTo(access.writes() * (double) BYTES, within(ROUNDED));
    }
  }

  private static double touched(Results results, String link) {
    LinkUsage usage = results.links().stream().filter(found -> found.name().equals(link)).findFirst().orElseThrow();
    return usage.payloadGBps() * 1e3 * results.metric("time").orElseThrow().value();
  }

  @ParameterizedTest
  @EnumSource(value = Fidelity.class, names = {"PACKET", "FLOW"})
  void shouldTakeAsLongAsItsReads(Fidelity fidelity) {
    for (MemoryAccess access : List.of(MemoryAccess.COPY, MemoryAccess.SUM, MemoryAccess.SUM_OF_FIVE)) {
      assertThat(timeUs(new ClassedMessages(access.trafficClass(), BYTES, rank -> rank == 0 ? 1 : -1), fidelity))
          .as("%s", access).isCloseTo(access.reads() * US_PER_CROSSING, within(OVERHEAD_US));
    }
  }

  @ParameterizedTest
  @EnumSource(value = Fidelity.class, names = {"PACKET", "FLOW"})
  void shouldShareOneRateAmongReadsAndWrites(Fidelity fidelity) {
    ClassedMessages exchange =
        new ClassedMessages(0, BYTES, rank -> rank == 0 ? 1 : rank == 1 ? 0 : -1);
    assertThat(timeUs(exchange, fidelity)).isCloseTo(2 * US_PER_CROSSING, within(2 * US_PER_CROSSING * 0.01));
    ClassedMessages copyWithinMemory = new ClassedMessages(0, BYTES, rank -> rank == 0 ? 0 : -1);
    assertThat(timeUs(copyWithinMemory, fidelity)).isCloseTo(2 * US_PER_CROSSING, within(2 * US_PER_CROSSING * 0.01));
  }

  @Test
  void shouldWaitForAMemoryApartByWhereMessagesComeFrom() {
    Fabric fabric = fabric();
    int toMemory = IntStream.range(0, fabric.links())
        .filter(link -> fabric.linkName(link).equals("node.chip0x0 -> node.hbm0")).findFirst().orElseThrow();
    assertThat(fabric.queuesByArrival(toMemory)).isTrue();
    assertThat(fabric.queuesByArrival(Fabric.opposite(toMemory))).isFalse();
    assertThat(fabric.linkModel(toMemory).credits()).hasSize(TorusPlanner.QUEUES);
  }

  @Test
  void shouldShareMemoryAmongAsManyRanksAsTheChipHas() {
    assertThat(Tori.chip(8, 2).memoryPerRank().bytesPerNano()).isCloseTo(10, within(1e-9));
    assertThat(Tori.chip(8, 1).memoryPerRank().bytesPerNano()).isCloseTo(5, within(1e-9));
    assertThat(Tori.chip(8, 2).fabricPerRank().bytesPerNano()).isCloseTo(3200, within(1e-9));
  }

  private static double timeUs(ClassedMessages messages, Fidelity fidelity) {
    return ClassedMessages.run(fabric(), messages, fidelity).metric("time").orElseThrow().value();
  }
}
