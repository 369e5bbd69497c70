package dev.heddle.collectives.msccl;

import dev.heddle.collective.Collective;
import dev.heddle.collective.Group;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.ScheduleFormatException;
import dev.heddle.collective.Verdict;
import dev.heddle.collective.Verifier;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectiveAlgorithmProvider;
import dev.heddle.spi.CollectivePlan;
import dev.heddle.spi.Communicator;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Setting;
import java.nio.file.Path;

/** Provides algorithms from MSCCL XML files. A schedule is handed out only when it is proved. */
public final class MscclAlgorithmProvider implements CollectiveAlgorithmProvider<MscclAlgorithmProvider.Settings> {
  /**
   * Where the algorithm lies.
   *
   * @param file the XML file
   */
  public record Settings(@Setting("an MSCCL XML file; a relative name is beside the scenario") Path file) {}

  @Override
  public String id() {
    return "msccl";
  }

  @Override
  public String description() {
    return "An algorithm from an MSCCL XML file, for the operation and the number of ranks that it is made for";
  }

  @Override
  public Class<Settings> settings() {
    return Settings.class;
  }

  @Override
  public CollectiveAlgorithm create(Settings settings) {
    try {
      return new Msccl(MscclFile.read(settings.file()));
    } catch (ScheduleFormatException e) {
      throw new InvalidSettingException("file", String.valueOf(e.getMessage()));
    }
  }

  private record Msccl(MscclFile file) implements CollectiveAlgorithm {
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
      try {
        return file.schedule(collective);
      } catch (ScheduleFormatException e) {
        throw new InvalidSettingException("file", String.valueOf(e.getMessage()));
      }
    }
  }
}
