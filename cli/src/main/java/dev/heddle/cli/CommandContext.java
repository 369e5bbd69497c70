package dev.heddle.cli;

import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.sim.Simulation;
import java.nio.file.Path;
import java.util.function.Consumer;

/** What a command that another module adds may use. */
public interface CommandContext {
  /** What is installed, with the plug-in path of the command line; to be asked for when the command runs. */
  Registry registry();

  /** Prints a text to standard output. */
  void print(String text);

  /** Prints a line to standard error. */
  void message(String text);

  /**
   * Runs a simulation, and notes the version and the time that it took.
   *
   * @throws dev.heddle.sim.SimulationException when it cannot be carried out
   */
  Results run(Simulation simulation);

  /**
   * Makes a folder for results; before a run, so that a run is not in vain.
   *
   * @param folder as the user named it
   * @return writes a run's files there, as {@code heddle run --out} does
   * @throws OutputException when it cannot be written to
   */
  Consumer<Results> folder(Path folder);
}
