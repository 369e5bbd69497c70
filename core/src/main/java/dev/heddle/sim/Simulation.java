package dev.heddle.sim;

import dev.heddle.fabric.Fabric;
import dev.heddle.results.Results;
import dev.heddle.spi.Workload;

/**
 * One run, composed by hand: a fabric, a workload, options, a seed.
 *
 * @param name of the run, for its results
 * @param fabric the machine
 * @param workload what its ranks do
 * @param options how it is carried out and measured
 * @param seed of all random streams
 */
public record Simulation(String name, Fabric fabric, Workload workload, SimulationOptions options, long seed) {
  /**
   * Runs the simulation at packet fidelity.
   *
   * @throws SimulationException when the run cannot be carried out: a deadlock, a unit that fits no buffer, a limit
   */
  public Results run() {
    throw new UnsupportedOperationException("packet network");
  }
}
