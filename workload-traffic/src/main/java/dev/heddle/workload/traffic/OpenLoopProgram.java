package dev.heddle.workload.traffic;

import dev.heddle.spi.WorkloadContext;
import dev.heddle.units.DataRate;
import dev.heddle.units.RandomStream;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import dev.heddle.workload.traffic.TrafficWorkloadProvider.Arrivals;
import dev.heddle.workload.traffic.TrafficWorkloadProvider.Settings;
import org.jspecify.annotations.Nullable;

/** An open-loop program: one-sided messages at the times of a generator. */
final class OpenLoopProgram implements Program {
  private static final double PS_PER_S = 1e12;

  private final Destinations destinations;
  private final RandomStream arrivals;
  private final boolean poisson;
  private final double meanPs;
  private final double phasePs;
  private final long bytes;
  private final @Nullable SizeDistribution distribution;
  private final RandomStream sizes;
  private final int trafficClass;
  private final long endPs;
  private final long messages;
  private double clockPs;
  private long generated;
  private boolean ended;

  OpenLoopProgram(Settings settings, Destinations destinations, int rank, WorkloadContext context) {
    DataRate rate = context.cluster().injectionLink(context.terminal(rank)).rate();
    this.destinations = destinations;
    this.arrivals = context.random(rank, "arrivals");
    this.poisson = settings.arrivals() == Arrivals.POISSON;
    this.bytes = settings.messageSize().bytes();
    this.distribution = settings.sizeDistribution().orElse(null);
    this.sizes = context.random(rank, "sizes");
    this.meanPs = (distribution == null ? bytes : distribution.mean()) * PS_PER_S
        / (settings.load().value() * rate.bytesPerSecond());
    this.phasePs = arrivals.nextDouble() * meanPs;
    this.trafficClass = settings.trafficClass();
    this.endPs = context.end().ps();
    this.messages = settings.messages().map(Integer::longValue).orElse(Long.MAX_VALUE);
    this.ended = settings.load().value() == 0;
  }

  @Override
  public int streams() {
    return 1;
  }

  @Override
  public boolean next(int stream, Operation operation) {
    if (ended || generated == messages) {
      return false;
    }
    int peer = destinations.next();
    // The k-th deterministic time comes from a product, so that the rounding of sums does not drift.
    clockPs = poisson ? clockPs + arrivals.nextExponential() * meanPs : phasePs + generated * meanPs;
    if (peer == Destinations.NONE || clockPs >= endPs) {
      ended = true;
      return false;
    }
    generated++;
    long size = distribution == null ? bytes : distribution.quantile(sizes.nextDouble());
    operation.generate((long) clockPs, peer, size, trafficClass);
    return true;
  }
}
