package dev.heddle.cli;

import com.google.common.base.Ticker;
import com.google.inject.Module;
import dev.heddle.collective.ScheduleFormatException;
import dev.heddle.registry.Registry;
import dev.heddle.registry.RegistryException;
import dev.heddle.results.Results;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationException;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.NearestMatch;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** The entry point of the command line. */
public final class Main {
  static final int OK = 0;
  static final int BOUND_BROKEN = 1;
  static final int BAD_INPUT = 2;
  static final int BUG = 70;

  /** The columns of a help in a terminal that has fewer. */
  static final int NARROWEST_HELP = 55;

  /** The columns of a help in a terminal that has more. */
  static final int WIDEST_HELP = 120;

  /** The system property of a process that ends when its standard input does, as when its parent is killed. */
  private static final String ENDS_WITH_INPUT = "heddle.ends-with-input";
  private static final int TERMINATED = 143;

  // Characters of an input that a terminal would obey: control characters but the line's end, and those of direction.
  private static final Pattern UNSEEN = Pattern.compile("[\\p{Cc}\\p{Cf}&&[^\\n\\t]]");

  // Commands that a message names.
  private static final int MOST_COMMANDS = 3;

  // The message of the library of commands names Java's type.
  private static final Pattern NO_NUMBER = Pattern.compile(
      "'(?<name>-[^']*)'(?: \\([^)]*\\))?: '(?<value>.*)' is not an? (?<type>int|long|double)$", Pattern.DOTALL);
  private static final Map<String, String> MOST = Map.of(
      "int", "a whole number, at most " + Integer.MAX_VALUE, "long", "a whole number, at most " + Long.MAX_VALUE);

  private static final List<Class<? extends Exception>> USERS_FAULT =
      List.of(
          ScenarioException.class,
          RegistryException.class,
          SimulationException.class,
          InvalidSettingException.class,
          ScheduleFormatException.class,
          OutputException.class,
          UsageException.class);

  private Main() {}

  /** Runs a command and ends the virtual machine with its exit code. */
  public static void main(String[] args) {
    prepare();
    if (Boolean.getBoolean(ENDS_WITH_INPUT)) {
      endWithInput();
    }
    System.exit(execute(args, Console.standard()));
  }

  /** Sets the system's properties that libraries read. */
  static void prepare() {
    // Without class generation Guice needs no sun.misc.Unsafe, which JDK 24 and later warn of.
    System.setProperty("guice_bytecode_gen_option", "DISABLED");
  }

  // Finished points of a sweep are on the disk, and files of results are written whole: nothing is to be closed.
  private static void endWithInput() {
    Thread reader = new Thread(() -> {
      try {
        System.in.transferTo(OutputStream.nullOutputStream());
      } catch (IOException e) {
        // An input that cannot be read has ended too.
        Runtime.getRuntime().halt(TERMINATED);
      }
      Runtime.getRuntime().halt(TERMINATED);
    }, "input");
    reader.setDaemon(true);
    reader.start();
  }

  /**
   * Runs a command.
   *
   * @param args as the user gave them
   * @param console to write to
   * @param replacements bindings that replace those of {@link CliModule}
   * @return the exit code
   */
  static int execute(String[] args, Console console, Module... replacements) {
    Installation installation = new Installation(
        Main.class.getClassLoader(), Optional.ofNullable(System.getProperty("heddle.plugin.path")));
    HeddleCommand root = new HeddleCommand(installation);
    CommandFactory factory = new CommandFactory(new CliModule(console, installation, root), replacements);
    try {
      return commandLine(root, installation, factory, console, Subcommands.of(args)).execute(args);
    } catch (OutOfMemoryError e) {
      console.message("heddle: out of memory; give the virtual machine more, as in HEDDLE_JAVA_OPTS=-Xmx8g, or make"
          + " the scenario smaller");
      return BAD_INPUT;
    } catch (Error e) {
      return bug(e, console);
    }
  }

  private static CommandLine commandLine(
      HeddleCommand root, Installation installation, CommandFactory factory, Console console, Subcommands commands) {
    CommandLine command = new CommandLine(root, factory);
    Supplier<CommandLine> complete =
        () -> commandLine(root, installation, factory, console, Subcommands.all());
    commands.addTo(command, context(installation, factory, console, complete));
    command.setOut(console.out());
    command.setErr(console.err());
    command.setUsageHelpWidth(Math.max(NARROWEST_HELP, Math.min(console.width(), WIDEST_HELP)));
    command.setColorScheme(CommandLine.Help.defaultColorScheme(
        console.colour() ? CommandLine.Help.Ansi.ON : CommandLine.Help.Ansi.OFF));
    command.setCaseInsensitiveEnumValuesAllowed(true);
    // Messages name commands and options that are near to what was meant, of all commands.
    boolean[] matched = new boolean[1];
    command.setParameterExceptionHandler((e, args) -> matched[0] || commands.complete()
        ? badArguments(e) : complete.get().execute(args));
    command.setExecutionStrategy(parsed -> {
      requireMatched(parsed);
      matched[0] = true;
      return new CommandLine.RunLast().execute(parsed);
    });
    command.setExecutionExceptionHandler((e, source, parsed) -> failed(e, console));
    return command;
  }

  // With --help too, words that nothing stands for are refused.
  private static void requireMatched(ParseResult parsed) {
    for (ParseResult level = parsed; level != null; level = level.subcommand()) {
      if (!level.unmatched().isEmpty()) {
        throw new UnmatchedArgumentException(level.commandSpec().commandLine(), level.unmatched());
      }
    }
  }

  private static CommandContext context(
      Installation installation, CommandFactory factory, Console console, Supplier<CommandLine> complete) {
    Program program = new InstalledProgram(installation, complete);
    return new CommandContext() {
      @Override
      public Registry registry() {
        return installation.registry();
      }

      @Override
      public void print(String text) {
        console.print(text);
      }

      @Override
      public void message(String text) {
        console.message(text);
      }

      @Override
      public Results run(Simulation simulation) {
        return new SimulationRunner(factory.instance(Ticker.class), LiveFile.named(LiveFile.RUN)).run(simulation);
      }

      @Override
      public Consumer<Results> folder(Path folder) {
        OutputFolder opened = OutputFolder.open(folder);
        return results -> ResultFiles.write(opened, results, "");
      }

      @Override
      public Program program() {
        return program;
      }
    };
  }

  private static int badArguments(ParameterException e) {
    CommandLine command = e.getCommandLine();
    Throwable cause = e.getCause();
    if (cause != null && USERS_FAULT.contains(cause.getClass())) {
      command.getErr().println("heddle: " + seen(cause.getMessage()));
      return BAD_INPUT;
    }
    command.getErr().println("heddle: " + seen(explanation(e)));
    command.getErr().println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
    return BAD_INPUT;
  }

  /** The message about arguments that are refused. */
  static String explanation(ParameterException e) {
    CommandLine command = e.getCommandLine();
    if (e instanceof UnmatchedArgumentException words) {
      return unmatched(words.getUnmatched().get(0), command);
    }
    // A misspelt option is first missed, where it is required.
    Optional<String> misspelt = e instanceof MissingParameterException
        ? command.getUnmatchedArguments().stream().filter(word -> word.startsWith("-")).findFirst() : Optional.empty();
    return misspelt.map(word -> unknownOption(word, command)).orElseGet(() -> refusedValue(e));
  }

  private static String unmatched(String word, CommandLine command) {
    if (word.startsWith("-")) {
      return unknownOption(word, command);
    }
    Set<String> commands = command.getSubcommands().keySet();
    return commands.isEmpty()
        ? "'" + word + "' is one argument too many" + (command.getCommandSpec().findOption("--cluster") == null ? ""
            : "; a cluster is named by --cluster")
        : "there is no command '" + word + "'; there are " + String.join(", ", commands)
            + NearestMatch.hint(word, commands);
  }

  private static String refusedValue(ParameterException e) {
    String text = String.valueOf(e.getMessage()).replace("option option", "option");
    Matcher number = NO_NUMBER.matcher(text);
    return number.find()
        ? number.group("name") + " " + number.group("value") + ": must be "
            + MOST.getOrDefault(number.group("type"), "a number")
        : text;
  }

  // With the nearest of the command's options, else the commands that have it, else the command's options.
  private static String unknownOption(String word, CommandLine command) {
    String option = word.contains("=") ? word.substring(0, word.indexOf('=')) : word;
    List<String> own = longOptions(command);
    String hint = NearestMatch.hint(option, option.startsWith("--") ? own : List.of());
    if (hint.isEmpty()) {
      CommandLine root = command;
      while (root.getParent() != null) {
        root = root.getParent();
      }
      List<String> others = commands(root).filter(other -> other.getCommandSpec().optionsMap().containsKey(option))
          .map(other -> "'" + other.getCommandSpec().qualifiedName() + "'").distinct().sorted().limit(MOST_COMMANDS)
          .toList();
      hint = others.isEmpty() ? "; there are " + String.join(", ", own)
          : "; it is an option of " + String.join(", ", others);
    }
    return "there is no option '" + option + "'" + hint;
  }

  private static List<String> longOptions(CommandLine command) {
    return command.getCommandSpec().options().stream().filter(option -> !option.hidden())
        .map(OptionSpec::longestName).sorted().toList();
  }

  private static Stream<CommandLine> commands(CommandLine root) {
    return Stream.concat(Stream.of(root), root.getSubcommands().values().stream().flatMap(Main::commands));
  }

  private static int failed(Exception e, Console console) {
    if (USERS_FAULT.contains(e.getClass())) {
      seen(e.getMessage()).lines().forEach(line -> console.message("heddle: " + line));
      return BAD_INPUT;
    }
    return bug(e, console);
  }

  private static String seen(@Nullable String message) {
    return UNSEEN.matcher(String.valueOf(message))
        .replaceAll(found -> String.format(Locale.ROOT, "\\\\u%04x", found.group().codePointAt(0)));
  }

  private static int bug(Throwable e, Console console) {
    console.message("heddle: this is a bug of Heddle or of a plug-in; please report it with what follows (heddle "
        + Version.text() + ", Java " + System.getProperty("java.version") + ")");
    e.printStackTrace(console.err());
    console.err().flush();
    return BUG;
  }
}
