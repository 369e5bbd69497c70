package dev.heddle.scenario.wiring;

import com.google.common.collect.ImmutableList;
import dev.heddle.observe.NetworkObserver;
import dev.heddle.results.Results;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.scenario.ScenarioFile;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.sim.Simulation;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Runs scenarios with the observers and the transform of a composition. */
public final class Simulator {
  private final ScenarioReader reader;
  private final ImmutableList<NetworkObserver> observers;
  private final SimulationTransform transform;

  /**
   * Composes a simulator.
   *
   * @param observers of every transmission and delivery; with any, runs use one thread
   * @param transform applied to every simulation before it runs
   */
  public Simulator(ScenarioReader reader, Collection<NetworkObserver> observers, SimulationTransform transform) {
    this.reader = reader;
    this.observers = ImmutableList.copyOf(observers);
    this.transform = transform;
  }

  /**
   * Runs all points of a scenario file, in order.
   *
   * @param overrides values by the path of their field
   * @throws ScenarioException when the file cannot be read or bound
   */
  public List<Results> run(Path file, Map<String, String> overrides) {
    return run(reader.read(file, overrides));
  }

  /**
   * Runs all points of a scenario that is given as text, in order.
   *
   * @param name of the text, for messages
   * @throws ScenarioException when the text cannot be bound
   */
  public List<Results> run(String name, String text) {
    return run(reader.parse(name, text, Map.of()));
  }

  private List<Results> run(ScenarioFile file) {
    return file.points().stream().map(point -> run(point.scenario().simulation())).toList();
  }

  /** Runs a simulation. */
  public Results run(Simulation simulation) {
    Simulation transformed = transform.apply(simulation);
    return observers.isEmpty() ? transformed.run() : transformed.run(NetworkObserver.all(observers));
  }
}
