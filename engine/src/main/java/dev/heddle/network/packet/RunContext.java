package dev.heddle.network.packet;

import dev.heddle.engine.CollectiveGroups;
import dev.heddle.engine.Job;
import dev.heddle.observe.ActivityObserver;
import dev.heddle.observe.NetworkObserver;
import dev.heddle.spi.Link;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.units.RandomStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The common ground of the partitions of one run: options, ranks, and per-rank and per-device state with one owner each. */
final class RunContext {
  final int partitions;
  final int[] partitionOf;
  final int[] ranks;
  final CollectiveGroups communicators;
  final @Nullable ActivityObserver activities;
  final int[] rankOf;
  final int injectionQueue;
  final int train;
  final boolean keepsTrains;
  final int[] unitLimit;
  final int bridgeLimit;
  final long windowStart;
  final long windowEnd;
  final @Nullable NetworkObserver observer;
  final @Nullable TransportProtocol transport;
  final long seed;

  // Owned by the partition of the rank or device.
  final int[] queued;
  final long[] sequence;
  final RandomStream[] random;
  // Of the links that lose units; owned by the partition of the link's source.
  final RandomStream[] losing;

  RunContext(
      NetworkPlan plan,
      Job job,
      PacketSettings settings,
      int[] partitionOf,
      @Nullable NetworkObserver observer) {
    this.partitionOf = partitionOf;
    ranks = job.terminals();
    communicators = job.communicators();
    activities = job.observer();
    this.observer = observer;
    transport = settings.transport();
    seed = settings.seed();
    partitions = 1 + Arrays.stream(partitionOf).max().orElse(0);
    rankOf = new int[plan.devices];
    Arrays.fill(rankOf, -1);
    for (int rank = 0; rank < ranks.length; rank++) {
      rankOf[ranks[rank]] = rank;
    }
    injectionQueue = settings.injectionQueue();
    train = settings.trainBytes();
    keepsTrains = train > 0;
    unitLimit = new int[plan.specs.length];
    for (int spec = 0; spec < plan.specs.length; spec++) {
      unitLimit[spec] = limit(plan.specs[spec]);
    }
    int least = Integer.MAX_VALUE;
    for (int link = 0; link < plan.links; link++) {
      if (plan.fabric.linkTier(link) > 0) {
        least = Math.min(least, unitLimit[plan.spec[link]]);
      }
    }
    bridgeLimit = least;
    windowStart = settings.windowStartPs();
    windowEnd = settings.windowEndPs();
    queued = new int[ranks.length];
    sequence = new long[plan.devices];
    random = new RandomStream[plan.devices];
    Arrays.setAll(random, device -> RandomStream.of(settings.seed(), "device/" + device, "routing"));
    losing = new RandomStream[plan.loses ? plan.links : 0];
    Arrays.setAll(losing, link -> RandomStream.of(settings.seed(), "link/" + link, "loss"));
  }

  /** The most payload of a unit of a message that leaves its node: trains fill whole packets of the outer tiers. */
  int bridgedLimit(int spec, long bytes) {
    if (keepsTrains && bytes <= Math.min(train, unitLimit[spec])) {
      return Math.max(1, (int) bytes);
    }
    return keepsTrains ? Math.min(unitLimit[spec], bridgeLimit) : unitLimit[spec];
  }

  private int limit(Link link) {
    int packets = keepsTrains ? Math.max(1, train / link.maxPayloadBytes()) : 1;
    return link.maxPayloadBytes() * Math.min(packets, PacketTable.MAX_PACKETS);
  }
}
