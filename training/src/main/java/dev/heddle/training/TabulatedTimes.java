package dev.heddle.training;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.fabric.Fabric;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.RankGrid;
import dev.heddle.workload.megatron.program.Iteration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongUnaryOperator;

/**
 * Times of communication for many divisions of a job on one machine: simulated at powers of four of the size, once for
 * all jobs with the same groups, and interpolated between. Threads may share it, but not the times of one job.
 */
public final class TabulatedTimes {
  private static final int STEP = 4;
  private static final long LEAST = 1024;

  private final Fabric fabric;
  private final SharedCommunicators algorithm;
  private final NodeLinks links;
  private final ConcurrentMap<List<Object>, Long> known = new ConcurrentHashMap<>();
  private final ConcurrentMap<List<Object>, LinkUse> uses = new ConcurrentHashMap<>();
  private final Map<Object, Integer> numbers = new LinkedHashMap<>();

  /** Begins without times. */
  public TabulatedTimes(Fabric fabric, CollectiveAlgorithm algorithm) {
    this.fabric = fabric;
    this.algorithm = new SharedCommunicators(algorithm);
    links = new NodeLinks(fabric);
  }

  /** The times of one job. */
  public CommunicationTimes of(Iteration iteration) {
    return new JobTimes(iteration, new ProfiledCommTimes(iteration, fabric, algorithm, links));
  }

  /** The times of one job. */
  private final class JobTimes implements CommunicationTimes {
    private final ProfiledCommTimes profiled;
    private final RankGrid grid;
    private final Map<List<Object>, Integer> shapes = new LinkedHashMap<>();

    JobTimes(Iteration iteration, ProfiledCommTimes profiled) {
      this.profiled = profiled;
      grid = iteration.grid();
    }

    @Override
    public long collectivePs(GroupKind kind, int rank, CollectiveOp op, long bytes) {
      int shape = shape(kind, rank);
      return interpolate(
          bytes, size -> known.computeIfAbsent(
              List.of(shape, op, size), key -> profiled.collectivePs(kind, rank, op, size)));
    }

    @Override
    public LinkUse use(GroupKind kind, int rank, CollectiveOp op, long bytes) {
      long size = low(bytes);
      return uses.computeIfAbsent(
          List.of(shape(kind, rank), op, size), key -> profiled.use(kind, rank, op, size));
    }

    private int shape(GroupKind kind, int rank) {
      return shapes.computeIfAbsent(
          List.of(kind, grid.stage(rank)), each -> number(profiled.shape(kind, rank)));
    }

    @Override
    public long messagePs(int rank, int peer, long bytes) {
      int shape = shapes.computeIfAbsent(
          List.of(grid.stage(rank), grid.stage(peer)), each -> number(profiled.messageShape(rank, peer)));
      return interpolate(
          bytes, size -> known.computeIfAbsent(
              List.of("message", shape, size), key -> profiled.messagePs(rank, peer, size)));
    }
  }

  private synchronized int number(Object shape) {
    return numbers.computeIfAbsent(shape, each -> numbers.size());
  }

  private static long interpolate(long bytes, LongUnaryOperator times) {
    long low = low(bytes);
    if (bytes <= LEAST) {
      return times.applyAsLong(LEAST);
    }
    long first = times.applyAsLong(low);
    if (bytes == low) {
      return first;
    }
    double share = (double) (bytes - low) / (low * (STEP - 1));
    return Math.round(first + share * (times.applyAsLong(low * STEP) - first));
  }

  // The greatest tabulated size up to another.
  private static long low(long bytes) {
    long low = LEAST;
    while (low * STEP <= bytes) {
      low *= STEP;
    }
    return low;
  }
}
