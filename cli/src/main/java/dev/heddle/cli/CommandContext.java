package dev.heddle.cli;

import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.sim.Simulation;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Services of the command line for commands that other modules add. */
public interface CommandContext {
  /** The registry of installed plug-ins, those of the plug-in path included; known once the command runs. */
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
   * Makes a folder for results, before the run whose results it takes.
   *
   * @param folder path of the folder
   * @return a writer of a run's files to the folder, the files of {@code heddle run --out}
   * @throws OutputException when the folder cannot be written to
   */
  Consumer<Results> folder(Path folder);

  /** The program whose commands these are. */
  Program program();
}
