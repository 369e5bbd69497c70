package dev.heddle.verification;

import dev.heddle.cli.CommandContext;
import dev.heddle.cli.Program;
import dev.heddle.cli.SubcommandProvider;
import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.sim.Simulation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The commands of a module on the installed plug-ins and presets; each test starts from an empty state. */
final class InstalledCommands implements BeforeEachCallback, AfterAllCallback {
  private final SubcommandProvider provider;
  private final Registry registry = Registry.discover(InstalledCommands.class.getClassLoader(), List.of());
  private final StringBuilder out = new StringBuilder();
  private final List<Results> written = new ArrayList<>();
  private String failure = "";
  private Optional<Exception> thrown = Optional.empty();

  @Command(name = "heddle")
  private static final class Root implements Runnable {
    @Override
    public void run() {
      throw new AssertionError("a command is named");
    }
  }

  InstalledCommands(SubcommandProvider provider) {
    this.provider = provider;
  }

  /** Runs a command that prints into {@link #out}; returns 2 if it throws, with its message as {@link #failure}. */
  int run(String... args) {
    CommandContext context = new CommandContext() {
      @Override
      public Registry registry() {
        return registry;
      }

      @Override
      public void print(String text) {
        out.append(text);
      }

      @Override
      public void message(String text) {
        out.append(text).append('\n');
      }

      @Override
      public Results run(Simulation simulation) {
        return simulation.run();
      }

      @Override
      public Consumer<Results> folder(Path folder) {
        return written::add;
      }

      @Override
      public Program program() {
        throw new UnsupportedOperationException("commands under test start no others");
      }
    };
    CommandLine command = new CommandLine(new Root());
    provider.commands(context).forEach(command::addSubcommand);
    command.setExecutionExceptionHandler((e, source, parsed) -> fail(e));
    command.setParameterExceptionHandler((e, ignored) -> fail(e));
    return command.execute(args);
  }

  /** Runs a command from an empty state; throws whatever it throws. */
  void require(String... args) throws Exception {
    forget();
    run(args);
    if (thrown.isPresent()) {
      throw thrown.get();
    }
  }

  private int fail(Exception e) {
    thrown = Optional.of(e);
    failure = String.valueOf(e.getMessage());
    return 2;
  }

  /** The output since the last {@link #forget}. */
  StringBuilder out() {
    return out;
  }

  /** The message of the last command that threw. */
  String failure() {
    return failure;
  }

  /** The exception of {@link #failure}. */
  Optional<Exception> thrown() {
    return thrown;
  }

  /** The results that commands wrote into folders. */
  List<Results> written() {
    return written;
  }

  Registry registry() {
    return registry;
  }

  /** Resets the state. */
  void forget() {
    out.setLength(0);
    written.clear();
    failure = "";
    thrown = Optional.empty();
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    forget();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    registry.close();
  }
}
