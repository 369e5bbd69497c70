package dev.heddle.workload.trace.aicb;

import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Workload;
import dev.heddle.spi.Workload.Activity;
import dev.heddle.spi.WorkloadProvider;
import dev.heddle.workload.trace.graph.TraceException;
import dev.heddle.workload.trace.graph.TraceFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Provides the workloads of AICB's files, executed as in SimAI's simulation. */
@Plugin(id = "aicb",
    description = "A workload file of AICB: layers with times and collectives, as SimAI's simulation executes them")
public final class AicbWorkloadProvider implements WorkloadProvider<AicbWorkloadProvider.Settings> {
  /** The reading of the times of a layer's two gradients. */
  public enum Backward {
    /** Both, as SimAI does. */
    BOTH,
    /** Where they are equal, once: AICB writes the time of the whole backward pass in both columns. */
    ONCE
  }

  /** The extent of a data-parallel group. */
  public enum DataParallel {
    /**
     * All ranks of one position in their tensor-parallel groups, as in SimAI's simulation, whatever the file states of
     * stages.
     */
    ALL,
    /** Those of one stage of the pipeline, as in SimAI's analytical mode. */
    STAGE
  }

  /**
   * The file and its reading.
   *
   * @param file the workload
   * @param ranks number of ranks; without it, that of the file
   * @param backward reading of the times of the two gradients
   * @param dataParallel extent of a data-parallel group
   * @param participants kind of the terminals that take part
   */
  public record Settings(
      @Setting("a workload file of AICB; a relative name is beside the scenario") Path file,
      @Setting("how many ranks; without it, as many as the file says by all_gpus") Optional<Integer> ranks,
      @Setting(
          value = "whether the times of a layer's two gradients both count, as in SimAI (both), or once where they "
              + "are equal (once), as AICB writes the whole backward pass in both columns",
          def = "both") Backward backward,
      @Setting(
          value = "whether data-parallel groups span all ranks, as in SimAI's simulation (all), or those of a stage "
              + "(stage), as in its analytical mode",
          def = "all") DataParallel dataParallel,
      @Setting(value = "kind of the terminals that take part, from the first",
          def = "accelerator") DeviceKind participants) {
    /** A file with the defaults. */
    public static Settings of(Path file) {
      return new Settings(file, Optional.empty(), Backward.BOTH, DataParallel.ALL, DeviceKind.ACCELERATOR);
    }

    /** The same for so many ranks. */
    public Settings ranks(int count) {
      return new Settings(file, Optional.of(count), backward, dataParallel, participants);
    }

    /** The same with another count of gradients. */
    public Settings backward(Backward value) {
      return new Settings(file, ranks, value, dataParallel, participants);
    }

    /** The same with other data-parallel groups. */
    public Settings dataParallel(DataParallel value) {
      return new Settings(file, ranks, backward, value, participants);
    }
  }

  @Override
  public List<Activity> activities() {
    return AicbWorkload.activities();
  }

  @Override
  public Workload create(Settings settings) {
    AicbFile file;
    try {
      file = TraceFile.read(settings.file(), (name, in) -> new AicbReader(name, in).read());
    } catch (TraceException e) {
      throw new InvalidSettingException("file", String.valueOf(e.getMessage()));
    }
    return new AicbWorkload(
        new LayerScript(file.layers(), settings.backward() == Backward.ONCE), grid(settings, file),
        settings.participants());
  }

  private static GroupKind.Grid grid(Settings settings, AicbFile file) {
    int ranks = settings.ranks().orElse(file.ranks());
    if (ranks < 1 || ranks > 1 << 20) {
      throw new InvalidSettingException("ranks", settings.ranks().isEmpty()
          ? "is missing; the file does not say all_gpus" : ranks + " ranks; 1 to " + (1 << 20) + " are possible");
    }
    int tensor = file.tensor() == 0 ? ranks : file.tensor();
    int stages = settings.dataParallel() == DataParallel.STAGE ? file.pipeline() : 1;
    long parts = (long) tensor * file.expert() * stages;
    if (ranks % parts != 0) {
      throw new InvalidSettingException("ranks", ranks + " ranks are no multiple of " + parts + ": " + tensor
          + " tensor-parallel times " + file.expert() + " expert-parallel"
          + (stages > 1 ? " times " + stages + " stages" : ""));
    }
    return new GroupKind.Grid(ranks, tensor, file.expert(), ranks / tensor / stages);
  }
}
