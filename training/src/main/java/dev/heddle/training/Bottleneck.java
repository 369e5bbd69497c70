package dev.heddle.training;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.spi.Cluster;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.program.Iteration;
import dev.heddle.workload.megatron.program.Resource;
import dev.heddle.workload.megatron.program.Speedup;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * A resource that limits a training iteration, and the iteration on a machine where it is twice as fast. Kernels take
 * half the time where they rest on the resource most, so that the gain of faster arithmetic or memory is one of the
 * first order: a kernel that is twice as fast may be limited by another resource.
 *
 * @param resource that is twice as fast
 * @param ps time of the iteration then
 * @param gain part of the iteration's time that is saved, above 0
 */
public record Bottleneck(Resource resource, long ps, double gain) {
  private static final double FASTER = 2;

  /** The time of the iteration in seconds. */
  public double seconds() {
    return ps / 1e12;
  }

  /**
   * The resources whose speed an iteration depends on, the one with the greatest gain first.
   *
   * @param estimate of the iteration
   * @param cluster the machine
   * @param times of its communication
   */
  public static List<Bottleneck> of(Estimate estimate, Cluster cluster, CommunicationTimes times) {
    return Arrays.stream(Resource.values())
        .map(resource -> of(estimate, cluster, times, new Speedup(resource, FASTER)))
        .filter(each -> each.ps() < estimate.ps())
        .sorted(Comparator.comparingLong(Bottleneck::ps))
        .toList();
  }

  private static Bottleneck of(Estimate estimate, Cluster cluster, CommunicationTimes times, Speedup speedup) {
    Iteration faster = new Iteration(estimate.iteration().training(), cluster, speedup);
    long ps = RepresentativeRanks.of(faster, new FasterTimes(times, speedup)).ps();
    return new Bottleneck(speedup.resource(), ps, 1 - (double) ps / estimate.ps());
  }

  /** Times of communication of which one kind is faster; the links of a faster collective are as full as before. */
  private record FasterTimes(CommunicationTimes known, Speedup speedup) implements CommunicationTimes {
    @Override
    public long collectivePs(GroupKind kind, int rank, CollectiveOp op, long bytes) {
      return Math.round(known.collectivePs(kind, rank, op, bytes) / speedup.of(Resource.of(kind)));
    }

    @Override
    public LinkUse use(GroupKind kind, int rank, CollectiveOp op, long bytes) {
      return known.use(kind, rank, op, bytes);
    }

    @Override
    public long messagePs(int rank, int peer, long bytes) {
      return Math.round(known.messagePs(rank, peer, bytes) / speedup.of(Resource.MESSAGES));
    }
  }
}
