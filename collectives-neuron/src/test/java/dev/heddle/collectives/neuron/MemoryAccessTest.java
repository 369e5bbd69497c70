package dev.heddle.collectives.neuron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.neuron.NeuronAlgorithmProvider.Settings;
import dev.heddle.collectives.neuron.NeuronAlgorithmProvider.Stages;
import dev.heddle.fabric.Fabric;
import dev.heddle.results.Results;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.standard.workload.CollectiveWorkloadProvider;
import dev.heddle.units.DataSize;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Accesses of HBM as the simulation counts them: the payload of all memories' buses. */
class MemoryAccessTest {
  private static final int RANKS = 64;
  private static final long BYTES = 64L * 64 * 1024;
  private static final Fabric FABRIC = Machines.torus(4, 4, 4);

  private static Results run(Algorithm algorithm, CollectiveOp op, long bytes, Fidelity fidelity) {
    return run(Machines.algorithm(algorithm), op, bytes, fidelity);
  }

  private static Results run(CollectiveAlgorithm algorithm, CollectiveOp op, long bytes, Fidelity fidelity) {
    return new Simulation(
        "touches", FABRIC,
        new CollectiveWorkloadProvider().create(
            CollectiveWorkloadProvider.Settings.of(op, DataSize.ofBytes(bytes))),
        SimulationOptions.defaults().burst(DataSize.ofKiB(16)), 1)
        .at(fidelity).with(algorithm).run();
  }

  // Bytes read and written by all memories for each byte of a chunk.
  private static double touchesPerChunk(Algorithm algorithm, CollectiveOp op, Fidelity fidelity) {
    return touched(run(algorithm, op, BYTES, fidelity)) / (BYTES / RANKS);
  }

  private static double touched(Results results) {
    return carried(results, name -> name.contains("accelerator") && name.contains("hbm"));
  }

  private static double carried(Results results, Predicate<String> links) {
    double gbPerS = results.links().stream()
        .filter(link -> links.test(link.name())).mapToDouble(Results.LinkUsage::payloadGBps).sum();
    return gbPerS * 1e3 * results.metric("time").orElseThrow().value();
  }

  // Of n ranks' chunks, each passes n ranks except for the last hop, or n / 2 pairs.
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
  void shouldMoveNothingButSumsWhereATransferReadsAllOperands() {
    double fabric = carried(
        run(Algorithm.KANGARING, CollectiveOp.REDUCE_SCATTER, BYTES, Fidelity.PACKET),
        name -> name.contains("hbm") && name.indexOf("chip") > name.indexOf("hbm"));
    // Each chunk's sum travels n / 2 - 1 hops round the cycle, and a secondary's is sent to it at the end.
    assertThat(fabric / BYTES).isCloseTo(RANKS / 2 - 1 + 0.5, within(0.01));
  }

  @Test
  void shouldTouchMemoryAsOftenWithRdhWhetherItsStagesOverlapOrNot() {
    for (Stages stages : Stages.values()) {
      // 15 chunks come over links, read once and written once; 16 are given to three ranks, two of which share a read.
      assertThat(rdh(stages, CollectiveOp.ALL_GATHER, BYTES, Fidelity.PACKET)).as("gathering, %s", stages)
          .isCloseTo(2.0 * 15 + (2 + 3) * 16, within(0.01));
      // 16 sums of four, written; 8, 4, 2 and 1 sums of one to four, sent; a sum of five.
      assertThat(rdh(stages, CollectiveOp.REDUCE_SCATTER, BYTES, Fidelity.PACKET)).as("reducing, %s", stages)
          .isCloseTo(16.0 * 5 + 8 * 2 + 4 * 3 + 2 * 4 + 5 + 6, within(0.01));
    }
  }

  private static double rdh(Stages stages, CollectiveOp op, long bytes, Fidelity fidelity) {
    Settings settings = Settings.of(Optional.of(Algorithm.RDH)).stages(stages);
    return touched(run(new NeuronAlgorithmProvider().create(settings), op, bytes, fidelity)) / (BYTES / RANKS) / RANKS;
  }

  @Test
  void shouldTakeLessTimeWithRdhWhenItsStagesOverlapButNotLessThanLinksAndMemoriesNeed() {
    long bytes = 32L << 20;
    for (Fidelity fidelity : new Fidelity[] {Fidelity.PACKET, Fidelity.FLOW}) {
      for (CollectiveOp op : new CollectiveOp[] {CollectiveOp.ALL_GATHER, CollectiveOp.REDUCE_SCATTER}) {
        double linksUs = bytes * 15.0 / RANKS / 128e3;
        // Work within the chip overlaps all but the last chunk's transfer over a link, or all but the first one's.
        double memoryUs = bytes * (op.reduces() ? 126.0 : 110.0) / RANKS / 725e3;
        double halfInMemoryUs = bytes * 40.0 / RANKS / 725e3;
        double inTurn = us(Stages.IN_TURN, op, bytes, fidelity);
        double overlapped = us(Stages.AS_ARRIVED, op, bytes, fidelity);
        assertThat(inTurn).as("%s at %s", op, fidelity).isGreaterThan(linksUs + 2 * halfInMemoryUs);
        assertThat(overlapped).as("%s at %s", op, fidelity).isLessThan(0.95 * inTurn)
            .isGreaterThan(Math.max(linksUs, memoryUs));
      }
    }
  }

  private static double us(Stages stages, CollectiveOp op, long bytes, Fidelity fidelity) {
    Settings settings = Settings.of(Optional.of(Algorithm.RDH)).stages(stages);
    return run(new NeuronAlgorithmProvider().create(settings), op, bytes, fidelity)
        .metric("collective." + op.key() + ".time").orElseThrow().value();
  }

  @Test
  void shouldLetMemoryAloneHoldASumWithinAChip() {
    Fabric chip = Machines.torus(4, 2, 2);
    long bytes = 16L << 20;
    // Four operands read, the sum written, and once more read and written where it belongs.
    double boundUs = bytes / 4 * 7 / 725e3;
    for (Fidelity fidelity : new Fidelity[] {Fidelity.PACKET, Fidelity.FLOW}) {
      double us = new Simulation(
          "chip", chip,
          new CollectiveWorkloadProvider().create(CollectiveWorkloadProvider.Settings
              .of(CollectiveOp.REDUCE_SCATTER, DataSize.ofBytes(bytes)).ranks(4)),
          SimulationOptions.defaults().burst(DataSize.ofKiB(16)), 1)
          .at(fidelity).with(Machines.algorithm(Algorithm.RDH)).run()
          .metric("collective.reduce_scatter.time").orElseThrow().value();
      assertThat(us).as("%s", fidelity).isBetween(boundUs, 1.2 * boundUs);
    }
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
