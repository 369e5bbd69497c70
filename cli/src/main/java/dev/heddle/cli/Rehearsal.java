package dev.heddle.cli;

import java.io.PrintWriter;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;

/**
 * The entry point by which the launcher records the classes of its archive: several commands in one virtual machine,
 * separated by the word {@code then}, that print nothing.
 */
public final class Rehearsal {
  private static final String SEPARATOR = "then";

  private Rehearsal() {}

  /** Runs the commands and ends the virtual machine with the exit code of the first that fails, or 0. */
  public static void main(String[] args) {
    Main.prepare();
    PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
    Console console = new Console(nowhere, nowhere, 80, false, false);
    int failed = commands(args).stream().mapToInt(command -> Main.execute(command, console))
        .filter(code -> code != Main.OK).findFirst().orElse(Main.OK);
    System.exit(failed);
  }

  private static List<String[]> commands(String[] args) {
    List<String[]> commands = new ArrayList<>();
    List<String> words = new ArrayList<>();
    for (String word : args) {
      if (word.equals(SEPARATOR)) {
        commands.add(words.toArray(new String[0]));
        words.clear();
      } else {
        words.add(word);
      }
    }
    commands.add(words.toArray(new String[0]));
    return commands;
  }
}
