package dev.heddle.workload.trace.goal;

import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Workload;
import dev.heddle.spi.Workload.Activity;
import dev.heddle.spi.WorkloadProvider;
import dev.heddle.units.SimTime;
import dev.heddle.workload.trace.graph.GraphWorkload;
import dev.heddle.workload.trace.graph.OperationGraph;
import dev.heddle.workload.trace.graph.TraceActivities;
import dev.heddle.workload.trace.graph.TraceException;
import dev.heddle.workload.trace.graph.TraceFile;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;

/** Provides the workload of a GOAL text. */
@Plugin(id = "goal",
    description = "A GOAL file: messages and computations per rank, and what requires what, as LogGOPSim reads it")
public final class GoalWorkloadProvider implements WorkloadProvider<GoalWorkloadProvider.Settings> {
  /**
   * The file, and parameters of LogGOPSim's command line.
   *
   * @param file the GOAL file
   * @param overhead of a processor for each message sent and each received: LogGOPSim's o
   * @param participants kind of the terminals that take part
   * @param limit the most operations of the file
   */
  public record Settings(
      @Setting("a GOAL file, text or binary, by gzip or not; a relative name is beside the scenario") Path file,
      @Setting(value = "what a processor spends on each message sent and each received, LogGOPSim's o", def = "0 s",
          max = "1 s") SimTime overhead,
      @Setting(value = "kind of the terminals that take part, from the first",
          def = "accelerator") DeviceKind participants,
      @Setting(value = "the most operations of the file; each takes about 100 bytes of memory", def = "10000000",
          min = "1", max = "1000000000") long limit) {
    /** A file with the defaults. */
    public static Settings of(String file) {
      return new Settings(Path.of(file), SimTime.ZERO, DeviceKind.ACCELERATOR, 10_000_000);
    }

    /** The same with an overhead per message. */
    public Settings overhead(SimTime value) {
      return new Settings(file, value, participants, limit);
    }
  }

  @Override
  public List<Activity> activities() {
    return TraceActivities.ALL;
  }

  @Override
  public Workload create(Settings settings) {
    try {
      return TraceFile.read(settings.file(), (name, in) -> new GraphWorkload(
          graphs(name, new BufferedInputStream(in), settings), List.of(), settings.participants()));
    } catch (TraceException e) {
      throw new InvalidSettingException("file", String.valueOf(e.getMessage()));
    }
  }

  // The binary form begins with its magic number, in which the text has "num_ranks".
  private static List<OperationGraph> graphs(String name, InputStream in, Settings settings) {
    try {
      in.mark(2);
      boolean binary = (in.read() | in.read() << 8) == GoalBinaryReader.MAGIC;
      in.reset();
      long overheadPs = settings.overhead().ps();
      return binary ? new GoalBinaryReader(name, in, overheadPs, settings.limit()).read()
          : new GoalReader(name, in, overheadPs, settings.limit()).read();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
