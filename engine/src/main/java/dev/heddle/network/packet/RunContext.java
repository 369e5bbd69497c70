package dev.heddle.network.packet;

import dev.heddle.engine.CollectiveGroups;
import dev.heddle.engine.Job;
import dev.heddle.network.RunOptions;
import dev.heddle.observe.ActivityObserver;
import dev.heddle.observe.NetworkObserver;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.units.RandomStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The common ground of the partitions of one run: options, ranks, and per-rank and per-device state with one owner
 * each.
 */
final class RunContext {
  final int partitions;
  final int[] partitionOf;
  final int[] ranks;
  final CollectiveGroups communicators;
  final @Nullable ActivityObserver activities;
  final int[] rankOf;
  final int injectionQueue;
  final long windowStart;
  final long windowEnd;
  final @Nullable NetworkObserver observer;
  final @Nullable TransportProtocol transport;
  final long seed;
  /** Whether collective calls that recur are replayed. */
  final boolean memoizes;
  /** Whether periods in which the state of packets recurs are skipped. */
  final boolean skips;
  /** Standard error of rates up to which a steady state is skipped; 0 where none is. */
  final double sampling;
  /** The most that begins may differ from those of a record that is replayed, picoseconds; 0: nothing. */
  final long tolerancePs;
  /** The end of the run, picoseconds. */
  final long untilPs;
  /** Per link 1 + the number of the memoized call that keeps it to itself, or 0; owned by the link's partition. */
  final int[] holder;
  /** The flows beside the packets; null for none. */
  final @Nullable FlowSide flows;
  /** Per link the part of it that flows leave to packets; empty without flows. */
  final double[] room;

  // Owned by the partition of the rank or device.
  final int[] queued;
  // Room that is kept for memoized calls.
  final int[] reservedRoom;
  final long[] sequence;
  final @Nullable RandomStream[] random;
  // Of the links that lose units; owned by the partition of the link's source.
  final RandomStream[] losing;

  RunContext(
      NetworkPlan plan,
      Job job,
      RunOptions options,
      int[] partitionOf,
      @Nullable NetworkObserver observer,
      @Nullable FlowSide flows) {
    this.flows = flows;
    room = new double[flows == null ? 0 : plan.links];
    Arrays.fill(room, 1);
    this.partitionOf = partitionOf;
    ranks = job.terminals();
    communicators = job.communicators();
    activities = job.observer();
    this.observer = observer;
    transport = options.transport();
    seed = options.seed();
    partitions = 1 + Arrays.stream(partitionOf).max().orElse(0);
    rankOf = new int[plan.devices];
    Arrays.fill(rankOf, -1);
    for (int rank = 0; rank < ranks.length; rank++) {
      rankOf[ranks[rank]] = rank;
    }
    untilPs = options.untilPs();
    injectionQueue = options.injectionQueue();
    windowStart = options.windowStartPs();
    windowEnd = options.windowEndPs();
    queued = new int[ranks.length];
    reservedRoom = new int[ranks.length];
    boolean whole = options.toCompletion() && options.windowStartPs() == 0 && observer == null
        && transport == null && !plan.loses;
    memoizes = whole && options.memoizes() && FootprintTracer.isPredictable(plan.fabric);
    sampling =
        whole && partitions == 1 && flows == null && plan.fabric.changes().isEmpty() ? options.sampling() : 0;
    skips = whole && options.memoizes() && partitions == 1 && !plan.fabric.drawsRoutes();
    tolerancePs = memoizes && partitions == 1 && flows == null ? options.tolerancePs() : 0;
    holder = new int[plan.links];
    sequence = new long[plan.devices];
    random = new RandomStream[plan.devices];
    losing = new RandomStream[plan.loses ? plan.links : 0];
    Arrays.setAll(losing, link -> RandomStream.of(options.seed(), "link/" + link, "loss"));
  }
}
