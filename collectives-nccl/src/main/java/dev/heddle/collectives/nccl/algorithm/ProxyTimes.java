package dev.heddle.collectives.nccl.algorithm;

import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.schedule.Rings;
import dev.heddle.collectives.nccl.schedule.Trees;
import dev.heddle.collectives.nccl.timing.Buffers;
import dev.heddle.collectives.nccl.timing.Execution;
import dev.heddle.collectives.nccl.timing.Hops;
import dev.heddle.collectives.nccl.timing.MachineTiming;
import dev.heddle.collectives.nccl.timing.NetworkTiming;
import dev.heddle.collectives.nccl.timing.NvlsModel;
import dev.heddle.collectives.nccl.timing.RankLayout;
import dev.heddle.collectives.nccl.timing.TreeModel;

/**
 * The times of the proxies that post an execution's messages to other nodes. In closed form the connections of a node
 * share its NICs' proxies equally; here each rank has a proxy, which takes so long that the busiest rank's sends what a
 * NIC's does.
 */
final class ProxyTimes {
  private final NcclCommunicator communicator;
  private final Execution execution;
  private final MachineTiming machine;
  private final RankLayout layout;
  private final long data;

  /**
   * The times of an execution.
   *
   * @param data bytes of a message
   */
  ProxyTimes(NcclCommunicator communicator, Execution execution, long data) {
    this.communicator = communicator;
    this.execution = execution;
    this.data = data;
    machine = communicator.machine();
    layout = communicator.timing().layout();
  }

  /**
   * The time of a rank's proxy for a slice, nanoseconds; 0 within a node.
   *
   * @param slice bytes; a proxy posts whole messages, of which a slice may be a part
   */
  double sliceNs(long slice) {
    double alone = messageNs(1);
    return alone == 0 ? 0
        : alone * Math.min(1, (double) slice / Math.max(1, data)) * connectionsOfNic() / connectionsOfRank();
  }

  /** The time by which a proxy handles a message for longer than a NIC sends it, nanoseconds. */
  double longerNs() {
    return longerNs(machine, messageNs(1), data * Buffers.wirePerData(execution.protocol()));
  }

  /**
   * The time for which proxies of NVLSTree post receives ahead of the first chunks, nanoseconds, in all crossings
   * between nodes; a slice's turn holds the posts of a send and a receive.
   */
  double aheadNs() {
    return 2 * layout.depth() * NvlsModel.POSTS_AHEAD * messageNs(1) * connectionsOfNic();
  }

  /** The time by which a proxy handles a message for longer than a NIC sends it, nanoseconds. */
  static double longerNs(MachineTiming machine, double proxyNs, double wireBytes) {
    double nic = machine.network().map(NetworkTiming::nicRate).orElse(Double.POSITIVE_INFINITY);
    return Math.max(0, proxyNs - wireBytes / nic);
  }

  /**
   * The least time of a chunk of a tree's connection to another node, nanoseconds per byte: its proxy's turn, and then
   * its share of the NIC.
   */
  double treeNsPerByte() {
    return messageNs(1) * connectionsOfNic() / Math.max(1, data) + nicNsPerByte();
  }

  /** The least time of a connection to another node by its share of NIC and path, nanoseconds per byte. */
  double nicNsPerByte() {
    double share = machine.network()
        .map(net -> net.nicRate() / connectionsOfNic() / Buffers.wirePerData(execution.protocol()))
        .orElse(Double.POSITIVE_INFINITY);
    return 1 / share;
  }

  private double messageNs(double connections) {
    return Hops.messageNs(machine, layout, execution.protocol(), connections, data, execution.channels());
  }

  private double connectionsOfNic() {
    int nics = machine.network().map(NetworkTiming::nicCount).orElse(1);
    return switch (execution.algorithm()) {
      case RING -> Math.max(1, (double) execution.channels() / nics);
      case TREE -> Math.max(1, (double) execution.channels() * TreeModel.sent(layout) / nics);
      default -> (double) layout.perNode() * execution.channels() / nics;
    };
  }

  // The number of connections to other nodes by which the rank with most of them sends.
  private int connectionsOfRank() {
    int channels = execution.channels();
    if (execution.algorithm() != Algorithm.RING && execution.algorithm() != Algorithm.TREE) {
      return channels;
    }
    boolean ring = execution.algorithm() == Algorithm.RING;
    Rings rings = communicator.rings(channels);
    Trees trees = communicator.trees(channels);
    int most = 1;
    for (int rank = 0; rank < layout.ranks(); rank++) {
      int sends = 0;
      for (int channel = 0; channel < channels; channel++) {
        if (ring) {
          sends += remote(rank, rings.behind(channel, rank, -1));
          continue;
        }
        sends += remote(rank, trees.parent(channel, rank));
        for (int child : trees.children(channel, rank)) {
          sends += remote(rank, child);
        }
      }
      most = Math.max(most, sends);
    }
    return most;
  }

  private int remote(int rank, int peer) {
    return peer >= 0 && communicator.onDifferentNodes(rank, peer) ? 1 : 0;
  }
}
