package dev.heddle.collectives.nccl.timing;

import dev.heddle.collective.Group;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.spi.Cluster;

/** What a step to another node takes besides its data. */
public final class Hops {
  private static final double PS_PER_NS = 1000;

  private Hops() {}

  /**
   * The latency of the links from a group's first rank to the next one of its node or of another, picoseconds; 0 where
   * there is none.
   *
   * @param apart whether to one of another node
   */
  public static long wayPs(Cluster cluster, Group group, boolean apart) {
    int first = group.member(0);
    for (int rank = 1; rank < group.size(); rank++) {
      int other = group.member(rank);
      if ((cluster.node(other) != cluster.node(first)) == apart) {
        return cluster.routePs(first, other);
      }
    }
    return 0;
  }

  /** The latency of a step, nanoseconds, at least that of the links; 0 without a network. */
  public static double networkNs(MachineTiming machine, RankLayout layout, Protocol protocol) {
    return machine.network().map(net -> Math.max(net.stepNs(protocol), layout.wayPs() / PS_PER_NS))
        .orElse(0.0);
  }

  /**
   * The latency of a message of send and receive, nanoseconds: a single one leaves at once, proxies post those to
   * several ranks of other nodes in turn.
   *
   * @param remote messages of a rank to other nodes
   */
  public static double postedNs(MachineTiming machine, RankLayout layout, int remote) {
    double least = networkNs(machine, layout, Protocol.LL);
    return least + (networkNs(machine, layout, Protocol.SIMPLE) - least) * (1 - 1.0 / Math.max(1, remote));
  }

  /**
   * The slices that a connection between nodes holds; 0 for any number, as where there is none.
   *
   * @param buffer slices of one buffer
   */
  static int window(MachineTiming machine, RankLayout layout, int buffer) {
    return machine.network().filter(any -> layout.networked()).map(net -> net.buffers() * buffer).orElse(0);
  }

  /**
   * How long it takes until a sender may send a slice in the place of one that it sent: that one's way, the work of both
   * ends on a slice, and the way back of what says that there is room. Nanoseconds.
   *
   * @param wayNs of a slice, with its data
   * @param blockNs what a thread block takes for a slice
   */
  static double roomNs(double wayNs, double blockNs, RankLayout layout) {
    return wayNs + 2 * blockNs + layout.wayPs() / PS_PER_NS;
  }

  /**
   * What slices take that follow the first one, nanoseconds: a window at a time where a connection has no room for more.
   *
   * @param more slices
   * @param nextNs from one to the next
   * @param held slices that a connection holds; 0 for any number
   * @param roomNs until it has room for another in the place of one
   */
  static double followNs(double more, double nextNs, double held, double roomNs) {
    double windows = held > 0 ? Math.floor(more / held) : 0;
    return windows * Math.max(roomNs, held * nextNs) + (more - windows * held) * nextNs;
  }

  /**
   * What a proxy takes for a message of each of the channels that share it, one after the other, nanoseconds;
   * 0 within a node.
   *
   * @param channels with a message at the same time, on all NICs of a node
   * @param data bytes of each message
   */
  static double messageNs(
      MachineTiming machine, RankLayout layout, Protocol protocol, double channels, double data) {
    double wire = data * Buffers.wirePerData(protocol);
    return machine.network().filter(any -> layout.networked())
        .map(net -> net.messageNs(wire) * Math.max(1, channels / net.nicCount())).orElse(0.0);
  }

  /** What a connection takes besides to tell a message's arrival, nanoseconds; 0 within a node. */
  public static double arrivalNs(MachineTiming machine, RankLayout layout, Protocol protocol, double data) {
    return machine.network().filter(any -> layout.networked())
        .map(net -> net.arrivalNs(data * Buffers.wirePerData(protocol))).orElse(0.0);
  }
}
