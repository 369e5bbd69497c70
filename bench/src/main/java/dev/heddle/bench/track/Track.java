package dev.heddle.bench.track;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The entry point of the tracker of speed. */
@Command(
    name = "track",
    mixinStandardHelpOptions = true,
    description = "Measures the speed of a build, alone or in pairs with another, and keeps a history.",
    subcommands = {RunCommand.class, NetworksCommand.class, HistoryCommand.class})
public final class Track {
  static final int OK = 0;
  static final int BAD_INPUT = 2;

  private Track() {}

  /** Runs a command and ends the virtual machine with its exit code: 2 for an error of the user. */
  public static void main(String[] args) {
    System.exit(execute(args, new PrintWriter(System.out, true, StandardCharsets.UTF_8),
        new PrintWriter(System.err, true, StandardCharsets.UTF_8)));
  }

  /** Runs a command and returns its exit code. */
  static int execute(String[] args, PrintWriter out, PrintWriter err) {
    CommandLine command = new CommandLine(new Track());
    command.setOut(out);
    command.setErr(err);
    command.setParameterExceptionHandler((e, arguments) -> {
      err.println("track: " + e.getMessage());
      err.println("Try '" + e.getCommandLine().getCommandSpec().qualifiedName() + " --help'.");
      return BAD_INPUT;
    });
    command.setExecutionExceptionHandler((e, source, parsed) -> {
      if (e instanceof TrackException) {
        err.println("track: " + e.getMessage());
        return BAD_INPUT;
      }
      throw e;
    });
    if (args.length == 0) {
      command.usage(err);
      return BAD_INPUT;
    }
    return command.execute(args);
  }
}
