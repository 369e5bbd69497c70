// sample: all
package dev.heddle.docs;

import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.util.Modules;
import dev.heddle.results.Results;
import dev.heddle.scenario.wiring.SimulationModule;
import dev.heddle.scenario.wiring.SimulationTransform;
import dev.heddle.scenario.wiring.Simulator;
import dev.heddle.sim.Fidelity;
import java.util.List;

/** A preset cluster, a collective and a printed report, composed by injection, with one binding overridden. */
final class ComposeByInjection {
  private ComposeByInjection() {}

  private static final String SCENARIO = """
      name: two-nodes
      cluster: {preset: hgx-h100}
      workload: {type: collective, op: all_reduce, size: 16 MiB}
      collectives: {type: ring, channels: 8}
      """;

  /** Runs the scenario at flow fidelity, for which the scenario itself does not ask. */
  static Results run() {
    SimulationModule standard = new SimulationModule(ComposeByInjection.class.getClassLoader(), List.of());
    Injector injector = Guice.createInjector(Modules.override(standard).with(new AbstractModule() {
      @Override
      protected void configure() {
        bind(SimulationTransform.class).toInstance(simulation -> simulation.at(Fidelity.FLOW));
      }
    }));
    return injector.getInstance(Simulator.class).run("two-nodes.yaml", SCENARIO).get(0);
  }
}
// end
