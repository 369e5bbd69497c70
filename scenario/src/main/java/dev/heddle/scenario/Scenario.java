package dev.heddle.scenario;

import com.google.common.collect.ImmutableList;
import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Fault;
import dev.heddle.fabric.Tier;
import dev.heddle.network.NetworkModel;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.spi.Workload;
import java.util.List;
import java.util.Optional;

/**
 * One run, as a scenario describes it: bound, in range, and fitting together.
 *
 * @param name of the scenario
 * @param description in a line or a paragraph; may be empty
 * @param seed of all random streams
 * @param fidelity at which it runs
 * @param options of execution and measurement
 * @param tiers of the cluster, innermost first
 * @param faults of the cluster's parts
 * @param workload of the ranks
 * @param collectives algorithm of their collectives
 * @param transport protocol between terminals, if there is one
 */
public record Scenario(
    String name,
    String description,
    long seed,
    NetworkModel fidelity,
    SimulationOptions options,
    List<Tier> tiers,
    List<Fault> faults,
    Workload workload,
    CollectiveAlgorithm collectives,
    Optional<TransportProtocol> transport) {
  /** Copies the lists. */
  public Scenario {
    tiers = ImmutableList.copyOf(tiers);
    faults = ImmutableList.copyOf(faults);
  }

  /** The same with another collective algorithm. */
  public Scenario with(CollectiveAlgorithm other) {
    return new Scenario(name, description, seed, fidelity, options, tiers, faults, workload, other, transport);
  }

  /**
   * Plans the cluster.
   *
   * @throws ScenarioException when a topology cannot connect its terminals
   */
  public Fabric fabric() {
    return Fabric.of(tiers, faults);
  }

  /**
   * Composes the run.
   *
   * @throws ScenarioException when a topology cannot connect its terminals
   */
  public Simulation simulation() {
    return new Simulation(name, fabric(), workload, options, seed, fidelity, collectives, transport);
  }
}
