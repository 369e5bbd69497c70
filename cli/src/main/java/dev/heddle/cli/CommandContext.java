package dev.heddle.cli;

import dev.heddle.registry.Registry;

/** What a command that another module adds may use. */
public interface CommandContext {
  /** What is installed, with the plug-in path of the command line; to be asked for when the command runs. */
  Registry registry();

  /** Prints a text to standard output. */
  void print(String text);

  /** Prints a line to standard error. */
  void message(String text);
}
