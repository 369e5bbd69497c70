package dev.heddle.scenario.wiring;

import com.google.inject.AbstractModule;
import com.google.inject.Module;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.TypeLiteral;
import com.google.inject.multibindings.Multibinder;
import dev.heddle.observe.NetworkObserver;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.Provider;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;

/**
 * Guice module of simulations: the registry of plug-ins and presets, the reader of scenarios, observers and the
 * simulator. A researcher replaces bindings by {@code Modules.override(new SimulationModule(...)).with(...)}; a jar on
 * the class path contributes modules as services of {@link SimulationContribution}.
 *
 * <p>Bindings: {@link Registry} and {@link ScenarioReader} (one each), {@code Set<Provider<?, ?>>} and
 * {@code Set<NetworkObserver>} (empty; add by a {@link Multibinder}), {@link SimulationTransform} (identity),
 * {@link Simulator}. A provider that is bound needs no service file: a {@link dev.heddle.network.NetworkModelProvider}
 * adds a fidelity that scenarios can name.
 */
public final class SimulationModule extends AbstractModule {
  private final ClassLoader classPath;
  private final List<Path> pluginPath;

  /**
   * Composes the plug-ins of a class path and of jars.
   *
   * @param classPath loader of the class path
   * @param pluginPath jars, or folders of jars
   */
  public SimulationModule(ClassLoader classPath, List<Path> pluginPath) {
    this.classPath = classPath;
    this.pluginPath = List.copyOf(pluginPath);
  }

  @Override
  protected void configure() {
    Multibinder.newSetBinder(binder(), NetworkObserver.class);
    Multibinder.newSetBinder(binder(), new TypeLiteral<Provider<?, ?>>() {});
    ServiceLoader.load(SimulationContribution.class, classPath).stream()
        .map(ServiceLoader.Provider::get).map(SimulationContribution::module).forEach(this::install);
  }

  @Provides
  @Singleton
  Registry registry(Set<Provider<?, ?>> providers) {
    return Registry.discover(classPath, pluginPath, providers);
  }

  @Provides
  @Singleton
  ScenarioReader reader(Registry registry) {
    return new ScenarioReader(registry);
  }

  @Provides
  SimulationTransform transform() {
    return simulation -> simulation;
  }

  @Provides
  Simulator simulator(ScenarioReader reader, Set<NetworkObserver> observers, SimulationTransform transform) {
    return new Simulator(reader, observers, transform);
  }

  /** Module that a jar contributes to every composition; found through ServiceLoader. */
  public interface SimulationContribution {
    /** The module to install. */
    Module module();
  }
}
