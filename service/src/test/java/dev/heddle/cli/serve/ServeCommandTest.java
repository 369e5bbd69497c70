package dev.heddle.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cli.CommandContext;
import dev.heddle.cli.Program;
import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.sim.Simulation;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class ServeCommandTest {
  @TempDir
  private Path folder;

  private final StringWriter out = new StringWriter();
  private String failure = "";

  private static final CommandContext NOTHING_RUNS = new CommandContext() {
    @Override
    public Registry registry() {
      throw new AssertionError("bad options are refused before anything starts");
    }

    @Override
    public void print(String text) {
      throw new AssertionError(text);
    }

    @Override
    public void message(String text) {
      throw new AssertionError(text);
    }

    @Override
    public Results run(Simulation simulation) {
      throw new AssertionError("nothing runs");
    }

    @Override
    public Consumer<Results> folder(Path path) {
      throw new AssertionError("nothing is written");
    }

    @Override
    public Program program() {
      throw new AssertionError("nothing starts");
    }
  };

  private int serve(String... arguments) {
    CommandLine command = new CommandLine(new ServeCommands().commands(NOTHING_RUNS).get(0));
    command.setOut(new PrintWriter(out));
    command.setExecutionExceptionHandler((e, source, parsed) -> {
      failure = String.valueOf(e.getMessage());
      return 2;
    });
    return command.execute(arguments);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "::", "192.0.2.7"})
  void shouldRefuseWhenOthersReachServiceWithoutTokens(String address) {
    assertThat(serve("--address", address)).isEqualTo(2);
    assertThat(failure).contains("--token-file");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "# nobody", "ann short", "ann", "ann 0123456789abcdef more", "a;b 0123456789abcdef",
      "ann 0123456789abcdef\nbob 0123456789abcdef"})
  void shouldRefuseWhenTokenFileIsWrong(String text) throws Exception {
    Path file = Files.writeString(folder.resolve("tokens"), text);
    assertThat(serve("--address", "0.0.0.0", "--token-file", file.toString())).isEqualTo(2);
    assertThat(failure).startsWith("--token-file " + file);
  }

  @Test
  void shouldSayWhyWhenTokenFileCannotBeRead() {
    Path none = folder.resolve("none");
    assertThat(serve("--address", "0.0.0.0", "--token-file", none.toString())).isEqualTo(2);
    assertThat(failure).isEqualTo("--token-file " + none + ": cannot be read: there is no such file");
  }

  @Test
  void shouldRefuseWhenNumberIsOutOfRange() {
    assertThat(serve("--workers", "0")).isEqualTo(2);
    assertThat(failure).isEqualTo("--workers 0: must be 1 to 256");
    assertThat(serve("--port", "70000")).isEqualTo(2);
    assertThat(serve("--inputs", folder.resolve("none").toString())).isEqualTo(2);
    assertThat(failure).endsWith("is no folder");
  }
}
