package dev.heddle.workload.trace.chakra;

import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Workload;
import dev.heddle.spi.Workload.Activity;
import dev.heddle.spi.WorkloadProvider;
import dev.heddle.units.ComputeRate;
import dev.heddle.units.DataRate;
import dev.heddle.units.SimTime;
import dev.heddle.workload.trace.graph.TraceActivities;
import dev.heddle.workload.trace.graph.TraceException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Provides the workloads of Chakra execution traces. */
@Plugin(id = "chakra", description = "Chakra execution traces, a file per rank, by the rules of ASTRA-sim's feeder")
public final class ChakraWorkloadProvider implements WorkloadProvider<ChakraWorkloadProvider.Settings> {
  /** The number of concurrent communications of a rank. */
  public enum Communication {
    /** A collective per group, besides sends; each group has a separate stream, as with NCCL. */
    GROUPS,
    /** One collective or message, besides receipts: the rule of ASTRA-sim's feeder. */
    ONE
  }

  /** Which dependencies count. */
  public enum Dependencies {
    /** Those by control and by data. */
    ALL,
    /** Those by data: by control some of PyTorch's traces depend on nodes that are not there, or on themselves. */
    DATA
  }

  /**
   * The traces, and settings that they lack.
   *
   * @param file of a rank; {rank} stands for its number
   * @param ranks number of ranks
   * @param groups a file of groups
   * @param dimensions of the network that nodes name by involved_dim
   * @param roofline speed of computations without a time
   * @param remoteMemory speed of remote memory
   * @param communication concurrent communications
   * @param dependencies dependencies that count
   * @param participants kind of the terminals that take part
   * @param limit the most nodes of all files
   * @param astraSim files of ASTRA-sim
   */
  public record Settings(
      @Setting("the file of a rank, where {rank} stands for its number from 0; without {rank} one file stands for all "
          + "ranks; a relative name is beside the scenario") Path file,
      @Setting("number of ranks; without it, that of the files") Optional<Integer> ranks,
      @Setting("a JSON file of groups, such as {\"1\": [0, 1]}") Optional<Path> groups,
      @Setting("sizes of the network's dimensions, the first of which runs fastest, for traces that name groups by"
          + " them") List<Integer> dimensions,
      @Setting("speed of the accelerator for nodes with a number of operations; without it, times are as"
          + " recorded") Optional<Roofline> roofline,
      @Setting("speed of remote memory; without it, times are as recorded") Optional<RemoteMemory> remoteMemory,
      @Setting(value = "communications of a rank at once: one per group (groups), or one in all besides receipts, as "
          + "ASTRA-sim's feeder has it (one)",
          def = "groups") Communication communication,
      @Setting(value = "dependencies that count: by control and by data (all), or by data alone (data)",
          def = "all") Dependencies dependencies,
      @Setting(value = "kind of the terminals that take part, from the first",
          def = "accelerator") DeviceKind participants,
      @Setting(value = "the most nodes of all files; each takes about 200 bytes of memory", def = "5000000", min = "1",
          max = "1000000000") long limit,
      @Setting("files of ASTRA-sim that state the speeds of accelerators and remote memory, instead of roofline and"
          + " remote-memory") Optional<AstraSimFiles> astraSim) {
    /** Copies the list. */
    public Settings {
      dimensions = List.copyOf(dimensions);
    }

    /** Files with the defaults. */
    public static Settings of(String file) {
      return new Settings(
          Path.of(file), Optional.empty(), Optional.empty(), List.of(), Optional.empty(), Optional.empty(),
          Communication.GROUPS,
          Dependencies.ALL, DeviceKind.ACCELERATOR, 5_000_000, Optional.empty());
    }

    /** The same for so many ranks. */
    public Settings ranks(int count) {
      return new Settings(
          file, Optional.of(count), groups, dimensions, roofline, remoteMemory, communication, dependencies,
          participants,
          limit, astraSim);
    }

    /** The same with a file of groups. */
    public Settings groups(Path value) {
      return new Settings(
          file, ranks, Optional.of(value), dimensions, roofline, remoteMemory, communication, dependencies,
          participants,
          limit, astraSim);
    }

    /** The same with a roofline. */
    public Settings roofline(Roofline value) {
      return new Settings(
          file, ranks, groups, dimensions, Optional.of(value), remoteMemory, communication, dependencies, participants,
          limit, astraSim);
    }

    /** The same with another number of communications at once. */
    public Settings communication(Communication value) {
      return new Settings(file, ranks, groups, dimensions, roofline, remoteMemory, value, dependencies, participants,
          limit, astraSim);
    }

    /** The same with other dependencies. */
    public Settings dependencies(Dependencies value) {
      return new Settings(
          file, ranks, groups, dimensions, roofline, remoteMemory, communication, value, participants,
          limit, astraSim);
    }

    /** The same on a network of some dimensions. */
    public Settings dimensions(List<Integer> value) {
      return new Settings(file, ranks, groups, value, roofline, remoteMemory, communication, dependencies, participants,
          limit, astraSim);
    }

    /** The same with files of ASTRA-sim. */
    public Settings astraSim(AstraSimFiles value) {
      return new Settings(
          file, ranks, groups, dimensions, roofline, remoteMemory, communication, dependencies, participants, limit,
          Optional.of(value));
    }

    // With the speeds that files of ASTRA-sim state.
    Settings resolved() {
      if (astraSim.isEmpty()) {
        return this;
      }
      if (roofline.isPresent() || remoteMemory.isPresent()) {
        throw new InvalidSettingException(
            "astra-sim", "stands beside roofline or remote-memory, which it states as well; write one of them");
      }
      return new Settings(file, ranks, groups, dimensions, AstraSimReader.roofline(astraSim.get()),
          AstraSimReader.remoteMemory(astraSim.get()), communication, dependencies, participants, limit,
          Optional.empty());
    }
  }

  /**
   * Files of ASTRA-sim besides its traces and its network.
   *
   * @param system the system file
   * @param memory the remote-memory file
   */
  public record AstraSimFiles(
      @Setting("system file (system.json): peak-perf and local-mem-bw, where roofline-enabled is"
          + " 1") Optional<Path> system,
      @Setting("remote-memory file: remote-mem-bw and remote-mem-latency of each NPU") Optional<Path> memory) {}

  /**
   * A roofline: the time of a computation is the longer of those of its operations and of its bytes.
   *
   * @param peak rate of operations
   * @param memory rate of bytes
   */
  public record Roofline(
      @Setting("operations per second") ComputeRate peak,
      @Setting("rate of the accelerator's memory") DataRate memory) {
    /** The time of a number of operations on a number of bytes. */
    long ps(long operations, long bytes) {
      return Math.max(Math.round((double) operations / peak.flopPerSecond() * 1e12), memory.wirePs(bytes));
    }
  }

  /**
   * A memory beyond the accelerator.
   *
   * @param rate of bytes
   * @param latency of each access
   */
  public record RemoteMemory(
      @Setting("rate of remote memory") DataRate rate,
      @Setting(value = "latency of each access", def = "0 s") SimTime latency) {
    /** The time of an access to a number of bytes. */
    long ps(long bytes) {
      return Math.addExact(latency.ps(), rate.wirePs(bytes));
    }
  }

  @Override
  public List<Activity> activities() {
    return TraceActivities.ALL;
  }

  @Override
  public Workload create(Settings settings) {
    for (int size : settings.dimensions()) {
      if (size < 1) {
        throw new InvalidSettingException("dimensions", size + " is no size of a dimension; it is at least 1");
      }
    }
    try {
      return new ChakraFiles(settings.resolved()).read();
    } catch (TraceException e) {
      throw new InvalidSettingException("file", String.valueOf(e.getMessage()));
    }
  }
}
