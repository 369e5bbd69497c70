package dev.heddle.collectives.neuron;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.fabric.Fabric;
import dev.heddle.results.Results;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.standard.CollectiveWorkloadProvider;
import dev.heddle.units.DataSize;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SpeedTest {
  @Test
  void shouldReduceOneGibibyteOnSixteenBySixteenChipsWithinSeconds() {
    long begun = System.nanoTime();
    Fabric fabric = Machines.torus(4, 16, 16);
    Results results = new Simulation(
            "large", fabric,
            new CollectiveWorkloadProvider().create(
                CollectiveWorkloadProvider.Settings.of(CollectiveOp.ALL_REDUCE, DataSize.ofBytes(1L << 30))),
            SimulationOptions.defaults(), 1)
        .at(Fidelity.FLOW).with(Machines.algorithm(Algorithm.KANGARING)).run();
    Duration taken = Duration.ofNanos(System.nanoTime() - begun);
    // Of all data a chip touches 8 times as much to reduce and 6 times as much to gather, at 2900 GB/s.
    double boundUs = (1L << 30) * (511.0 / 512) * (6 + 8) / 2900e3;
    assertThat(results.metric("collective.all_reduce.time").orElseThrow().value()).isBetween(boundUs, 1.6 * boundUs);
    assertThat(taken).isLessThan(Duration.ofSeconds(5));
  }
}
