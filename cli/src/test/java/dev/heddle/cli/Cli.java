package dev.heddle.cli;

import com.google.inject.AbstractModule;
import com.google.inject.Module;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

/** The exit code and the output of a command line that ran within the test. */
record Cli(int exitCode, String out, String err) {
  /** A scenario whose sweep has {@code points} points. */
  static String sweep(int points) {
    return scenario() + "sweep:\n  workload.variant: {from: 1, to: " + points + ", steps: " + points + "}\n"
        + "report: {plots: [{title: value by variant, metric: value, x: workload.variant}]}\n";
  }

  /** A scenario of one point. */
  static String scenario() {
    return """
        name: tiny
        description: for tests
        cluster:
          tiers:
            - name: node
              terminals: {accelerator: 3}
              topology: {type: star, link: {preset: cli-link}}
        workload: {type: idle}
        """;
  }

  /** Sweeps a scenario into a folder, with a stand-in for the simulation. */
  static Cli sweep(PointRunner runner, Path scenario, Path out, String... more) {
    String[] args = {"sweep", scenario.toString(), "--out", out.toString()};
    return run(runner, Stream.concat(Arrays.stream(args), Arrays.stream(more)).toArray(String[]::new));
  }

  /** Runs with a stand-in for the simulation, at 80 columns. */
  static Cli run(PointRunner runner, String... args) {
    return run(runner, 80, args);
  }

  /** Runs with the simulation itself, at 80 columns. */
  static Cli run(String... args) {
    return run(80, args, new Module[0]);
  }

  static Cli run(PointRunner runner, int width, String... args) {
    Module stand = new AbstractModule() {
      @Override
      protected void configure() {
        bind(PointRunner.class).toInstance(runner);
      }
    };
    return run(width, args, stand);
  }

  private static Cli run(int width, String[] args, Module... replacements) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    Console console = new Console(new PrintWriter(out), new PrintWriter(err), width, false, false);
    int exitCode = Main.execute(args, console, replacements);
    return new Cli(exitCode, out.toString(), err.toString());
  }
}
