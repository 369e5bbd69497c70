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
   * The time of one message of the rounds at the link that it occupies longest. Messages that leave a NIC or an
   * accelerator without a modelled memory go one after another, and those of other channels have passed when a
   * channel's next one arrives. A memory's engines read for all channels by turns: there a message takes its own time
   * and half of that of the others of a round.
   */
  double messagePs(int from, int to, double bytes, MemoryAccess access, int rounds) {
    double most = 0;
    int[] route = cluster.route(from, to);
    boolean byTurns = cluster.linkModel(route[0]).medium() == Medium.MEMORY;
    for (int link : route) {
      double own = occupiedPs(cluster.linkModel(link), bytes, access);
      most = Math.max(most, byTurns ? (own + busyPs[link] / rounds) / 2 : own);
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
