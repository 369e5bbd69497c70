package dev.heddle.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The running program, for commands that start others of it or describe them. */
public interface Program {
  /** The version as {@code heddle --version} prints it. */
  String version();

  /** The identity of program and plug-ins in hexadecimal: equal where results are computed by the same classes. */
  String build();

  /** The folders and jars of plug-ins, those of the launcher included. */
  List<Path> pluginPath();

  /**
   * The command that starts it in another process; arguments of the command line follow.
   *
   * @param options of the virtual machine
   */
  List<String> command(List<String> options);

  /**
   * Checks arguments as the command line does, and runs nothing.
   *
   * @param arguments command, options and parameters
   * @return the message with which they are refused; empty where they are taken
   */
  Optional<String> refusal(List<String> arguments);

  /**
   * The options of a command, in the order of its help.
   *
   * @param command name of the command
   * @throws IllegalArgumentException when there is no such command
   */
  List<CommandOption> options(String command);

  /**
   * An option of a command.
   *
   * @param name its longest name, such as {@code --nodes}
   * @param parameter label of its value; empty for a switch
   * @param description for people
   * @param required whether the command asks for it
   * @param repeated whether it takes several values, each as an option of its own
   */
  record CommandOption(String name, String parameter, String description, boolean required, boolean repeated) {}
}
