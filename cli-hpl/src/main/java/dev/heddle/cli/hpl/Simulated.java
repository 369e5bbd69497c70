package dev.heddle.cli.hpl;

import dev.heddle.fabric.Fabric;
import dev.heddle.hpl.HplCase;
import dev.heddle.hpl.HplInput;
import dev.heddle.hpl.ProcessGrid;
import dev.heddle.hpl.run.HplRun;
import dev.heddle.hpl.run.HplTerm;
import dev.heddle.hpl.run.HplWorkload;
import dev.heddle.hpl.run.KernelSettings;
import dev.heddle.network.NetworkModel;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.Optional;
import java.util.Set;

/**
 * Runs of HPL on a cluster's network.
 *
 * @param fabric the machine
 * @param network fidelity of the runs
 * @param kernels compute times of its accelerators
 * @param nodeGrid part of the process grid that a node holds
 * @param memory of a process that the matrix may take; empty for the accelerator's
 */
record Simulated(
    Fabric fabric, NetworkModel network, KernelSettings kernels, Optional<ProcessGrid> nodeGrid,
    Optional<DataSize> memory) {
  private static final SimTime LIMIT = SimTime.parse("2400 h");

  double seconds(HplCase one, HplInput.Options options, Set<HplTerm> free) {
    HplRun run = new HplRun(
        one.problem().order(), one.problem().blockSize(), Optional.of(one.problem().grid()), nodeGrid, one.variant(),
        options.swap(), options.swapThreshold(), kernels, memory);
    return new Simulation("hpl", fabric, new HplWorkload(run, free), SimulationOptions.defaults().limit(LIMIT), 1)
        .at(network).timePs() / 1e12;
  }
}
