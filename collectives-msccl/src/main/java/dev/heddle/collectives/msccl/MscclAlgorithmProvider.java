package dev.heddle.collectives.msccl;

import dev.heddle.collective.Collective;
import dev.heddle.collective.Group;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.ScheduleFormatException;
import dev.heddle.collective.TransportModel;
import dev.heddle.collective.Verifier;
import dev.heddle.collective.Verifier.Verdict;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectiveAlgorithmProvider;
import dev.heddle.spi.CollectivePlan;
import dev.heddle.spi.Communicator;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.units.SimTime;
import java.nio.file.Path;
import java.util.Optional;

/** Provides algorithms from MSCCL XML files. A schedule is handed out only when it is proved. */
@Plugin(id = "msccl",
    description = "An algorithm from an MSCCL XML file, for the operation and the number of ranks that it is made for")
public final class MscclAlgorithmProvider implements CollectiveAlgorithmProvider<MscclAlgorithmProvider.Settings> {
  /**
   * The algorithm's file, and the costs that NCCL's tuning model gives to its protocol.
   *
   * @param file the XML file
   * @param start time before the first step of a thread block
   * @param hop time of a message between ranks of one node besides the links'
   * @param networkHop time of a message between nodes besides the links'
   */
  public record Settings(
      @Setting("an MSCCL XML file; a relative name is beside the scenario") Path file,
      @Setting(value = "time before a thread block's first step; without it, NCCL's base latency of the "
          + "file's protocol",
          source = MscclProtocol.SOURCE, max = "1 s") Optional<SimTime> start,
      @Setting(value = "time of a message within a node besides the links'; without it, NCCL's of the file's protocol",
          source = MscclProtocol.SOURCE, max = "1 s") Optional<SimTime> hop,
      @Setting(value = "time of a message between nodes besides the links'; without it, NCCL's of the file's protocol",
          source = MscclProtocol.SOURCE, max = "1 s") Optional<SimTime> networkHop) {
    /** A file with the costs of its protocol. */
    public static Settings of(Path file) {
      return new Settings(file, Optional.empty(), Optional.empty(), Optional.empty());
    }
  }

  @Override
  public CollectiveAlgorithm create(Settings settings) {
    try {
      MscclFile file = MscclFile.read(settings.file());
      return new Msccl(file, transport(MscclProtocol.of(file.protocol(), settings.file()), settings));
    } catch (ScheduleFormatException e) {
      throw new InvalidSettingException("file", String.valueOf(e.getMessage()));
    }
  }

  private static TransportModel transport(MscclProtocol protocol, Settings settings) {
    return protocol.transport(
        settings.start().map(SimTime::ps), settings.hop().map(SimTime::ps), settings.networkHop().map(SimTime::ps));
  }

  private record Msccl(MscclFile file, TransportModel transport) implements CollectiveAlgorithm {
    @Override
    public Communicator communicator(Cluster cluster, Group group) {
      return this::plan;
    }

    private CollectivePlan plan(Collective collective) {
      Schedule schedule = schedule(collective).withWindow(MscclFile.WINDOW);
      Verdict verdict = Verifier.withWindow(MscclFile.WINDOW).verify(schedule);
      if (!verdict.proved()) {
        throw new InvalidSettingException("file", schedule + " is wrong: " + verdict.findings().get(0));
      }
      return CollectivePlan.of(schedule);
    }

    private Schedule schedule(Collective collective) {
      if (!file.sizes().contain(collective.bytes())) {
        throw new InvalidSettingException("file", "the algorithm is meant for " + file.sizes().least() + " B to "
            + (file.sizes().most() == Long.MAX_VALUE ? "any size" : file.sizes().most() + " B")
            + " (minBytes and maxBytes), not for " + collective);
      }
      try {
        return file.schedule(collective).withProtocol(transport);
      } catch (ScheduleFormatException e) {
        throw new InvalidSettingException("file", String.valueOf(e.getMessage()));
      }
    }
  }
}
