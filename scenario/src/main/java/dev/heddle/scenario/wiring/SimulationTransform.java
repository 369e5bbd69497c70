package dev.heddle.scenario.wiring;

import dev.heddle.sim.Simulation;

/** Change of every simulation before it runs, such as another algorithm of collectives, fidelity or transport. */
@FunctionalInterface
public interface SimulationTransform {
  /** The simulation to run in place of the one that the scenario describes. */
  Simulation apply(Simulation simulation);
}
