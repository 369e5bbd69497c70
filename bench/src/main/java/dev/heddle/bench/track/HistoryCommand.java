package dev.heddle.bench.track;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints a history as a table over commits, and writes it as a page with charts. */
@Command(
    name = "history",
    mixinStandardHelpOptions = true,
    description = "Prints the measurements of a class of machines over commits, and writes a page with charts.")
final class HistoryCommand implements Callable<Integer> {
  @Spec
  private @Nullable CommandSpec spec;

  @Option(names = "--history", paramLabel = "FOLDER", description = "The history (default: ${DEFAULT-VALUE}).",
      defaultValue = "bench/history")
  private Path folder = Path.of("bench/history");

  @Option(names = "--machine", paramLabel = "CLASS", description = "The class of machines; without it, this one's.")
  private @Nullable String machine;

  @Option(names = "--chart", paramLabel = "FILE", description = "The page (default: ${DEFAULT-VALUE}).",
      defaultValue = "bench/target/history.html")
  private Path chart = Path.of("bench/target/history.html");

  @Override
  public Integer call() {
    String name = machine == null ? Machine.current().folder() : machine;
    List<Entry> entries = new History(folder).entries(name);
    PrintWriter out = RunCommand.spec(spec).commandLine().getOut();
    Tables.history(entries).forEach(out::println);
    try {
      Files.createDirectories(chart.toAbsolutePath().getParent());
      Files.writeString(chart, Tables.page(name, entries));
    } catch (IOException e) {
      throw new TrackException(chart + ": cannot be written: " + e.getMessage());
    }
    out.println("  charts: " + chart);
    out.flush();
    return Track.OK;
  }
}
