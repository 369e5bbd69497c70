package dev.heddle.workload.trace.chakra;

import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Workload;
import dev.heddle.spi.Workload.Activity;
import dev.heddle.spi.WorkloadProvider;
import dev.heddle.workload.trace.graph.Messages;
import dev.heddle.workload.trace.graph.TraceActivities;
import dev.heddle.workload.trace.graph.TraceException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Provides the workloads of PyTorch execution traces, as PyTorch or chakra_trace_link writes them. */
@Plugin(id = "pytorch",
    description = "PyTorch execution traces, a file per rank: collectives and messages, and GPU kernels where"
        + " chakra_trace_link added them")
public final class PytorchWorkloadProvider implements WorkloadProvider<PytorchWorkloadProvider.Settings> {
  /** The source of the computations. */
  public enum Computation {
    /** The GPU kernels with their recorded durations. */
    RECORDED,
    /** None: the communication alone. */
    NONE
  }

  /**
   * The traces.
   *
   * @param file of a rank; {rank} stands for its number
   * @param ranks number of ranks
   * @param computation of the trace that is executed
   * @param participants kind of the terminals that take part
   * @param limit the most nodes of all files
   */
  public record Settings(
      @Setting("the file of a rank, where {rank} stands for its number from 0; without {rank} one file stands for all "
          + "ranks; a relative name is beside the scenario") Path file,
      @Setting("number of ranks; without it, that of the files") Optional<Integer> ranks,
      @Setting(value = "computations: GPU kernels as long as recorded (recorded), or the communication alone (none)",
          def = "recorded") Computation computation,
      @Setting(value = "kind of the terminals that take part, from the first",
          def = "accelerator") DeviceKind participants,
      @Setting(value = "the most nodes of all files", def = "5000000", min = "1", max = "1000000000") long limit) {
    /** Files with the defaults. */
    public static Settings of(String file) {
      return new Settings(Path.of(file), Optional.empty(), Computation.RECORDED, DeviceKind.ACCELERATOR, 5_000_000);
    }

    /** The same for so many ranks. */
    public Settings ranks(int count) {
      return new Settings(file, Optional.of(count), computation, participants, limit);
    }

    /** The same with other computations. */
    public Settings computation(Computation value) {
      return new Settings(file, ranks, value, participants, limit);
    }
  }

  @Override
  public List<Activity> activities() {
    return TraceActivities.ALL;
  }

  @Override
  public Workload create(Settings settings) {
    try {
      RankFiles files = new RankFiles(settings.file(), settings.ranks());
      GroupTable groups = new GroupTable(files.ranks(), List.of());
      Messages messages = new Messages();
      PytorchReader reader = new PytorchReader(settings, groups, messages);
      return files.read(reader::read, messages, groups, settings.participants());
    } catch (TraceException e) {
      throw new InvalidSettingException("file", String.valueOf(e.getMessage()));
    }
  }
}
