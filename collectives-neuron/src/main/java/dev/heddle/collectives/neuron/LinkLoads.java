package dev.heddle.collectives.neuron;

import dev.heddle.collective.MemoryAccess;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.Link;
import dev.heddle.spi.Medium;

/** The total time for which messages occupy links, with memories separate from the links that join them. */
final class LinkLoads {
  private static final int SAMPLE = 1 << 20;

  private final Cluster cluster;
  private final double[] busyPs;
  private double latencyPs;
  private long messages;

  LinkLoads(Cluster cluster) {
    this.cluster = cluster;
    busyPs = new double[cluster.links()];
  }

  /** Adds messages from one terminal to another: their number and their total bytes. */
  void add(int from, int to, double bytes, MemoryAccess access, int count) {
    int[] route = cluster.route(from, to);
    messages += count;
    for (int link : route) {
      Link model = cluster.linkModel(link);
      latencyPs += (double) count * model.latencyPs();
      busyPs[link] += occupiedPs(model, bytes, access);
      if (model.ackPs(SAMPLE, 0) > 0) {
        busyPs[link ^ 1] += bytes * model.memoryTransfers(access.trafficClass()) * model.ackPs(SAMPLE, 0) / SAMPLE;
      }
    }
  }

  private static double occupiedPs(Link model, double bytes, MemoryAccess access) {
    return bytes * model.memoryTransfers(access.trafficClass()) * model.wirePs(SAMPLE, 0) / SAMPLE;
  }

  /**
   * The time of one message at the link that it occupies longest. It waits for no other message of a round: those of
   * other channels leave one after another, and have passed when a channel's next one arrives.
   */
  double messagePs(int from, int to, double bytes, MemoryAccess access) {
    double most = 0;
    for (int link : cluster.route(from, to)) {
      most = Math.max(most, occupiedPs(cluster.linkModel(link), bytes, access));
    }
    return most;
  }

  /** The longest that a memory is busy. */
  double memoryPs() {
    return most(true);
  }

  /** The longest that any other link is busy. */
  double networkPs() {
    return most(false);
  }

  /** The longest that any link is busy. */
  double mostPs() {
    return Math.max(most(true), most(false));
  }

  /** The mean latency of the messages' links. */
  double meanLatencyPs() {
    return messages == 0 ? 0 : latencyPs / messages;
  }

  private double most(boolean memories) {
    double most = 0;
    for (int link = 0; link < busyPs.length; link++) {
      if (busyPs[link] > most && cluster.linkModel(link).medium() == Medium.MEMORY == memories) {
        most = busyPs[link];
      }
    }
    return most;
  }
}
