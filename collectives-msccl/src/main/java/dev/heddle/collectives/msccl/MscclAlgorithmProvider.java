package dev.heddle.collectives.msccl;

import dev.heddle.collective.Schedule;
import dev.heddle.collective.ScheduleCounts;
import dev.heddle.collective.ScheduleFormatException;
import dev.heddle.collective.Verdict;
import dev.heddle.collective.Verifier;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectiveAlgorithmProvider;
import dev.heddle.spi.CollectiveCost;
import dev.heddle.spi.CollectiveRequest;
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
    public Schedule plan(CollectiveRequest request) {
      Schedule schedule = schedule(request);
      verdict(schedule);
      return schedule;
    }

    @Override
    public int window() {
      return MscclFile.WINDOW;
    }

    private Schedule schedule(CollectiveRequest request) {
      try {
        return file.schedule(request.collective());
      } catch (ScheduleFormatException e) {
        throw new InvalidSettingException("file", String.valueOf(e.getMessage()));
      }
    }

    private Verdict verdict(Schedule schedule) {
      Verdict verdict = Verifier.withWindow(window()).verify(schedule);
      if (!verdict.proved()) {
        throw new InvalidSettingException("file", schedule + " is wrong: " + verdict.findings().get(0));
      }
      return verdict;
    }

    // A file has no formula: the longest chain of messages, and the most that a rank sends and adds.
    @Override
    public CollectiveCost cost(CollectiveRequest request) {
      Schedule schedule = schedule(request);
      int rounds = verdict(schedule).rounds();
      ScheduleCounts counts = ScheduleCounts.of(schedule);
      long sent = 0;
      long reduced = 0;
      for (int rank = 0; rank < counts.ranks(); rank++) {
        sent = Math.max(sent, counts.bytesSent(rank));
        reduced = Math.max(reduced, counts.bytesReduced(rank));
      }
      return new CollectiveCost(rounds, sent, reduced);
    }
  }
}
