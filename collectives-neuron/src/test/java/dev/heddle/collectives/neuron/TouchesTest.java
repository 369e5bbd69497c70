package dev.heddle.collectives.neuron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.fabric.Fabric;
import dev.heddle.results.Results;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.standard.CollectiveWorkloadProvider;
import dev.heddle.units.DataSize;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Accesses of HBM as the simulation counts them: the payload of all memories' buses. */
class TouchesTest {
  private static final int RANKS = 64;
  private static final long BYTES = 64L * 64 * 1024;
  private static final Fabric FABRIC = Machines.torus(4, 4, 4);

  private static Results run(Algorithm algorithm, CollectiveOp op, long bytes, Fidelity fidelity) {
    return new Simulation(
            "touches", FABRIC,
            new CollectiveWorkloadProvider().create(
                CollectiveWorkloadProvider.Settings.of(op, DataSize.ofBytes(bytes))),
            SimulationOptions.defaults().train(DataSize.ofKiB(16)), 1)
        .at(fidelity).with(Machines.algorithm(algorithm)).run();
  }

  // Bytes read and written by all memories for each byte of a chunk.
  private static double touchesPerChunk(Algorithm algorithm, CollectiveOp op, Fidelity fidelity) {
    Results results = run(algorithm, op, BYTES, fidelity);
    double gbPerS = results.links().stream()
        .filter(link -> link.name().contains("accelerator") && link.name().contains("hbm"))
        .mapToDouble(Results.LinkUsage::payloadGBps).sum();
    double bytes = gbPerS * 1e3 * results.metric("time").orElseThrow().value();
    return bytes / (BYTES / RANKS);
  }

  // Of n ranks' chunks, each passes n ranks but for the last hop, or n / 2 pairs.
  @ParameterizedTest
  @CsvSource({"RING, 4", "KANGARING, 3"})
  void shouldTouchMemoryAsOftenAsTheDocumentCountsWhenGathering(Algorithm algorithm, int perTwoRanks) {
    for (Fidelity fidelity : new Fidelity[] {Fidelity.PACKET, Fidelity.FLOW}) {
      double touches = touchesPerChunk(algorithm, CollectiveOp.ALL_GATHER, fidelity) / RANKS;
      assertThat(touches / (RANKS / 2.0)).as("%s at %s", algorithm, fidelity).isCloseTo(perTwoRanks, within(0.1));
    }
  }

  @ParameterizedTest
  @CsvSource({"RING, 6", "KANGARING, 4"})
  void shouldTouchMemoryAsOftenAsTheDocumentCountsWhenReducing(Algorithm algorithm, int perTwoRanks) {
    for (Fidelity fidelity : new Fidelity[] {Fidelity.PACKET, Fidelity.FLOW}) {
      double touches = touchesPerChunk(algorithm, CollectiveOp.REDUCE_SCATTER, fidelity) / RANKS;
      assertThat(touches / (RANKS / 2.0)).as("%s at %s", algorithm, fidelity).isCloseTo(perTwoRanks, within(0.13));
    }
  }

  @Test
  void shouldCountExactlyOnThePathOfOneChunk() {
    // Ring gathers: n - 1 hops of one read and one write.
    assertThat(touchesPerChunk(Algorithm.RING, CollectiveOp.ALL_GATHER, Fidelity.PACKET) / RANKS)
        .isCloseTo(2.0 * (RANKS - 1), within(0.01));
    // KangaRing: n / 2 - 1 hops of one read and two writes, and a read and a write within the last pair.
    assertThat(touchesPerChunk(Algorithm.KANGARING, CollectiveOp.ALL_GATHER, Fidelity.PACKET) / RANKS)
        .isCloseTo(3.0 * (RANKS / 2 - 1) + 2, within(0.01));
    // Ring reduces: a first hop of one read and one write, n - 2 of two reads and one write, and a sum where it ends.
    assertThat(touchesPerChunk(Algorithm.RING, CollectiveOp.REDUCE_SCATTER, Fidelity.PACKET) / RANKS)
        .isCloseTo(2 + 3.0 * (RANKS - 2) + 3, within(0.01));
    // KangaRing: the first hop reads two and writes one, n / 2 - 2 read three; the last sum reads three, too.
    assertThat(touchesPerChunk(Algorithm.KANGARING, CollectiveOp.REDUCE_SCATTER, Fidelity.PACKET) / RANKS)
        .isCloseTo(3 + 4.0 * (RANKS / 2 - 2) + 4, within(0.01));
  }

  @Test
  void shouldTakeOneToTwoMicrosecondsForEachHopOfARing() {
    for (Fidelity fidelity : new Fidelity[] {Fidelity.PACKET, Fidelity.FLOW}) {
      double us = run(Algorithm.RING, CollectiveOp.ALL_GATHER, 4096, fidelity)
          .metric("collective.all_gather.time").orElseThrow().value();
      assertThat(us / (RANKS - 1)).as("%s", fidelity).isBetween(1.0, 2.0);
    }
  }
}
