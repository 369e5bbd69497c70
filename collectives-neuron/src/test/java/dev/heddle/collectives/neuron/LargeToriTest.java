package dev.heddle.collectives.neuron;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.fabric.Fabric;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.standard.workload.CollectiveWorkloadProvider;
import dev.heddle.units.DataSize;
import org.junit.jupiter.api.Test;

class LargeToriTest {
  private static double us(Fabric fabric, Algorithm algorithm, CollectiveOp op, long bytes, Fidelity fidelity) {
    return new Simulation(
        "large", fabric,
        new CollectiveWorkloadProvider().create(
            CollectiveWorkloadProvider.Settings.of(op, DataSize.ofBytes(bytes))),
        SimulationOptions.defaults(), 1)
        .at(fidelity).with(Machines.algorithm(algorithm)).run()
        .metric("collective." + op.key() + ".time").orElseThrow().value();
  }

  @Test
  void shouldReduceOneGibibyteOnSixteenBySixteenChipsAsFastAsMemoriesLet() {
    double us = us(Machines.torus(4, 16, 16), Algorithm.KANGARING, CollectiveOp.ALL_REDUCE, 1L << 30, Fidelity.FLOW);
    // A chip accesses its memory 8 times per byte of all data to reduce and 6 times to gather, at 2900 GB/s.
    double boundUs = (1L << 30) * (511.0 / 512) * (6 + 8) / 2900e3;
    assertThat(us).isBetween(boundUs, 1.6 * boundUs);
  }

  @Test
  void shouldSendEveryChunkOverTheNetworkOnceWhenHierarchical() {
    Fabric two = Machines.instances(2, 2, 2, 2);
    long bytes = 16L << 20;
    // A NIC of 25 GB/s sends the chunks of its chip's two ranks, of sixteen.
    double networkUs = bytes / 8 / 25e3;
    double packet = us(two, Algorithm.HIERARCHICAL, CollectiveOp.ALL_GATHER, bytes, Fidelity.PACKET);
    double flow = us(two, Algorithm.HIERARCHICAL, CollectiveOp.ALL_GATHER, bytes, Fidelity.FLOW);
    double ring = us(two, Algorithm.RING, CollectiveOp.ALL_GATHER, bytes, Fidelity.PACKET);
    assertThat(packet).isBetween(networkUs, Math.min(ring, 2 * networkUs));
    assertThat(flow / packet).as("flow %s us, packet %s us", flow, packet).isBetween(0.9, 1.1);
  }

  @Test
  void shouldPredictWhatRdhTakesByItsLatencyAndItsBusiestMemory() {
    Fabric fabric = Machines.torus(4, 4, 4);
    for (CollectiveOp op : new CollectiveOp[] {CollectiveOp.ALL_GATHER, CollectiveOp.REDUCE_SCATTER}) {
      for (long bytes : new long[] {1 << 10, 1 << 22, 1 << 24}) {
        double packet = us(fabric, Algorithm.RDH, op, bytes, Fidelity.PACKET);
        double predicted = us(fabric, Algorithm.RDH, op, bytes, Fidelity.ANALYTIC);
        assertThat(predicted / packet).as("%s of %s B: predicted %s us, packet %s us", op, bytes, predicted, packet)
            .isBetween(0.88, 1.12);
      }
    }
  }

  @Test
  void shouldAgreeAtBothFidelitiesWhereMessagesOfOneQueueGoSeveralWays() {
    Fabric fabric = Machines.torus(4, 4, 4, 4);
    for (CollectiveOp op : new CollectiveOp[] {CollectiveOp.ALL_GATHER, CollectiveOp.REDUCE_SCATTER}) {
      // 63 messages of a rank leave by 6 links and fit into the DMA engines' queues.
      double packet = us(fabric, Algorithm.MESH, op, 256 << 10, Fidelity.PACKET);
      double flow = us(fabric, Algorithm.MESH, op, 256 << 10, Fidelity.FLOW);
      assertThat(flow / packet).as("%s: flow %s us, packet %s us", op, flow, packet).isBetween(0.85, 1.15);
    }
  }
}
