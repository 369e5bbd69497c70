package dev.heddle.scenario.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.multibindings.Multibinder;
import com.google.inject.util.Modules;
import dev.heddle.observe.NetworkObserver;
import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.sim.Fidelity;
import java.util.List;
import org.junit.jupiter.api.Test;

class SimulationModuleTest {
  private static final int RANKS = 4;
  private static final String STAR = """
      name: star
      cluster:
        tiers:
          - name: node
            terminals: {accelerator: 4}
            topology: {type: star, link: {type: generic, rate: 80 Gb/s}, centre: {type: generic}}
      workload: {type: collective, op: all_gather, size: 16 KiB}
      """;

  private static SimulationModule module() {
    return new SimulationModule(SimulationModuleTest.class.getClassLoader(), List.of());
  }

  private static double micros(Results results) {
    return results.metric("collective.all_gather.time").orElseThrow().value();
  }

  @Test
  void shouldRunAScenarioWithTheDefaultBindings() {
    Injector injector = Guice.createInjector(module());
    List<Results> results = injector.getInstance(Simulator.class).run("star.yaml", STAR);
    // Three steps of 4 KiB at 10 B/ns.
    assertThat(micros(results.get(0))).isCloseTo(3 * 4.096 / 10, within(0.01));
    assertThat(injector.getInstance(Registry.class)).isSameAs(injector.getInstance(Registry.class));
  }

  @Test
  void shouldTellEveryObserverOfEveryMessageWhenObserversAreBound() {
    NetworkObserver observer = mock(NetworkObserver.class);
    Injector injector = Guice.createInjector(module(), new AbstractModule() {
      @Override
      protected void configure() {
        Multibinder.newSetBinder(binder(), NetworkObserver.class).addBinding().toInstance(observer);
      }
    });
    injector.getInstance(Simulator.class).run("star.yaml", STAR);
    verify(observer, times(RANKS * (RANKS - 1)))
        .delivered(anyInt(), anyInt(), eq(4096L), anyLong(), anyLong());
  }

  @Test
  void shouldRunWhatAnOverriddenBindingMakesOfAScenario() {
    Injector injector = Guice.createInjector(Modules.override(module()).with(new AbstractModule() {
      @Override
      protected void configure() {
        bind(SimulationTransform.class).toInstance(simulation -> simulation.at(Fidelity.ANALYTIC));
      }
    }));
    Results results = injector.getInstance(Simulator.class).run("star.yaml", STAR).get(0);
    assertThat(results.run().fidelity()).isEqualTo("analytic");
  }
}
