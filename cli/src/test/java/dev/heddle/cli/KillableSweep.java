package dev.heddle.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * A program for tests to kill: it runs a sweep, begins one point per byte of its input, and records each begun point.
 */
public final class KillableSweep {
  private KillableSweep() {}

  /** Runs {@code sweep ARGS} and records begun points in the file that the first argument names. */
  public static void main(String[] args) {
    System.setProperty("guice_bytecode_gen_option", "DISABLED");
    Path journal = Path.of(args[0]);
    PointRunner runner = scenario -> {
      String variant = String.valueOf(((IdleWorkloadProvider.Idle) scenario.workload()).settings().variant());
      synchronized (journal) {
        awaitPermit();
        note(journal, variant);
        System.out.println(variant);
        System.out.flush();
      }
      return EchoRunner.results(scenario);
    };
    Cli cli = Cli.run(runner, List.of(args).subList(1, args.length).toArray(new String[0]));
    System.err.print(cli.err());
    System.err.flush();
    System.exit(cli.exitCode());
  }

  private static void awaitPermit() {
    try {
      if (System.in.read() < 0) {
        throw new IllegalStateException("whoever gives permits has gone");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void note(Path journal, String variant) {
    try {
      Files.writeString(
          journal, variant + "\n", StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
