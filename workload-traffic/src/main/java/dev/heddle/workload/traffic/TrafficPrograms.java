package dev.heddle.workload.traffic;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.workload.Program;
import dev.heddle.workload.traffic.TrafficWorkloadProvider.Loop;
import dev.heddle.workload.traffic.TrafficWorkloadProvider.Settings;
import org.jspecify.annotations.Nullable;

/** The programs of all ranks of a run, which share its pattern and the messages that they expect. */
final class TrafficPrograms {
  private final Settings settings;
  private @Nullable Run run;

  TrafficPrograms(Settings settings) {
    this.settings = settings;
  }

  private record Run(WorkloadContext context, DestinationPattern pattern, @Nullable ExpectedMessages expected) {
    static Run of(Settings settings, WorkloadContext context) {
      DestinationPattern pattern = new DestinationPattern(settings, context);
      return new Run(context, pattern, settings.loop() == Loop.CLOSED
          ? new ExpectedMessages(pattern, context.ranks(), settings.messages().orElseThrow())
          : null);
    }
  }

  Program of(int rank, WorkloadContext context) {
    if (settings.messages().isEmpty() && context.end().ps() == Long.MAX_VALUE) {
      throw new InvalidSettingException(
          "messages", "missing: without a measured window (run.measure) the generators would never end");
    }
    Run current = run(context);
    Destinations destinations = current.pattern().of(rank);
    return current.expected() == null
        ? new OpenLoopProgram(settings, destinations, rank, context)
        : new ClosedLoopProgram(settings, destinations, current.expected(), rank);
  }

  private synchronized Run run(WorkloadContext context) {
    Run known = run;
    if (known == null || known.context() != context) {
      known = Run.of(settings, context);
      run = known;
    }
    return known;
  }
}
