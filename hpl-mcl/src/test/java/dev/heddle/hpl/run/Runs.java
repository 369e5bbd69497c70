package dev.heddle.hpl.run;

import dev.heddle.fabric.Fabric;
import dev.heddle.hpl.HplVariant;
import dev.heddle.hpl.PanelBroadcast;
import dev.heddle.hpl.PanelFactorization;
import dev.heddle.hpl.ProcessGrid;
import dev.heddle.hpl.RowSwap;
import dev.heddle.results.Results;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.standard.collective.RingAlgorithmProvider;
import dev.heddle.units.ComputeRate;
import dev.heddle.units.Fraction;
import dev.heddle.units.SimTime;
import java.util.Optional;
import java.util.Set;

/** Runs of HPL for tests. */
final class Runs {
  private Runs() {}

  /** Kernels that take no time but their operations': 1 Tflop/s, no launch, no software. */
  static KernelSettings kernels(String peak) {
    return new KernelSettings(
        Optional.of(ComputeRate.parse(peak)), Fraction.of(1), 1, SimTime.ZERO, SimTime.ZERO);
  }

  static HplRun of(long order, int blockSize, ProcessGrid grid, int depth, PanelBroadcast broadcast, RowSwap swap) {
    HplVariant variant = new HplVariant(
        false, depth, broadcast, PanelFactorization.CROUT, 2, PanelFactorization.RIGHT, 1);
    return new HplRun(
        order, blockSize, Optional.of(grid), Optional.empty(), variant, swap, 64, kernels("1 Tflop/s"),
        Optional.empty());
  }

  static Results simulate(Fabric fabric, HplRun run, Set<HplTerm> free) {
    return new Simulation("hpl", fabric, new HplWorkload(run, free), SimulationOptions.defaults(), 1)
        .with(RingAlgorithmProvider.single())
        .at(Fidelity.FLOW).run();
  }

  static double seconds(Fabric fabric, HplRun run, Fidelity fidelity) {
    return new Simulation("hpl", fabric, new HplWorkload(run), SimulationOptions.defaults(), 1)
        .with(RingAlgorithmProvider.single()).at(fidelity).run()
        .run().simulatedPs() / 1e12;
  }

  static double seconds(Fabric fabric, HplRun run, HplTerm... free) {
    return simulate(fabric, run, Set.of(free)).metric("time").orElseThrow().value() / 1e6;
  }
}
