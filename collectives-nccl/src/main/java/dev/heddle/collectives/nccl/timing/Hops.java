package dev.heddle.collectives.nccl.timing;

import dev.heddle.collective.Group;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.spi.Cluster;

/** Times of a step to another node besides the transfer of its data. */
public final class Hops {
  private static final double PS_PER_NS = 1000;

  private Hops() {}

  /**
   * The latency of the links from a group's first rank to the next one of its node or of another, picoseconds; 0 if
   * there is none.
   *
   * @param apart whether to a rank of another node
   */
  public static long linkLatencyPs(Cluster cluster, Group group, boolean apart) {
    int first = group.member(0);
    for (int rank = 1; rank < group.size(); rank++) {
      int other = group.member(rank);
      if ((cluster.node(other) != cluster.node(first)) == apart) {
        return cluster.routePs(first, other);
      }
    }
    return 0;
  }

  /** The latency of a step with a short message, nanoseconds, at least that of the links; 0 without a network. */
  public static double networkNs(MachineTiming machine, RankLayout layout, Protocol protocol) {
    return networkNs(machine, layout, protocol, 0);
  }

  /**
   * The latency of a step, nanoseconds, at least that of the links; 0 without a network.
   *
   * @param data bytes of its message
   */
  public static double networkNs(MachineTiming machine, RankLayout layout, Protocol protocol, double data) {
    double wire = data * Buffers.wirePerData(protocol);
    return machine.network().map(net -> Math.max(net.stepNs(protocol, wire), layout.linkLatencyPs() / PS_PER_NS))
        .orElse(0.0);
  }

  /**
   * The latency of a message of send and receive, nanoseconds. A single message leaves at once; with several, proxies
   * post them in turn.
   *
   * @param remote messages of a rank to other nodes
   */
  public static double postedNs(MachineTiming machine, RankLayout layout, int remote) {
    double least = networkNs(machine, layout, Protocol.LL);
    return least + (networkNs(machine, layout, Protocol.SIMPLE) - least) * (1 - 1.0 / Math.max(1, remote));
  }

  /**
   * The number of slices that a connection between nodes holds; 0 if it is unlimited or within a node.
   *
   * @param buffer slices of one buffer
   */
  static int window(MachineTiming machine, RankLayout layout, int buffer) {
    return machine.network().filter(any -> layout.networked()).map(net -> net.buffers() * buffer).orElse(0);
  }

  /**
   * The time until a sender may reuse the place of a slice, nanoseconds: the slice's path, the work of both ends on it,
   * and the path back of the notice of free space.
   *
   * @param pathNs latency and transfer of a slice, nanoseconds
   * @param blockNs work of a thread block on a slice, nanoseconds
   */
  static double roomNs(double pathNs, double blockNs, RankLayout layout) {
    return pathNs + 2 * blockNs + layout.linkLatencyPs() / PS_PER_NS;
  }

  /**
   * The time of the slices after the first one, nanoseconds: one window at a time if the connection holds fewer.
   *
   * @param more number of these slices
   * @param nextNs interval between slices, nanoseconds
   * @param held slices that a connection holds; 0 for unlimited
   * @param roomNs time until the place of a slice is free again, nanoseconds
   */
  static double followNs(double more, double nextNs, double held, double roomNs) {
    double windows = held > 0 ? Math.floor(more / held) : 0;
    return windows * Math.max(roomNs, held * nextNs) + (more - windows * held) * nextNs;
  }

  /**
   * The time in which a proxy handles one message of each of its channels in turn, nanoseconds; 0 within a node.
   *
   * @param channels number of channels with a message at the same time, on all NICs of a node
   * @param data bytes of each message
   * @param all number of channels of the communicator, of which those of a NIC have the same peer
   */
  public static double messageNs(
      MachineTiming machine, RankLayout layout, Protocol protocol, double channels, double data, double all) {
    double wire = data * Buffers.wirePerData(protocol);
    boolean read = readNs(machine, layout, protocol, data, all) > 0;
    return machine.network().filter(any -> layout.networked())
        .map(net -> net.messageNs(wire, read) * Math.max(1, channels / net.nicCount())).orElse(0.0);
  }

  /**
   * The round trip before the data of a message that its receiver reads, nanoseconds; 0 if it does not, and within a
   * node.
   *
   * @param data bytes of the message
   * @param channels number of channels of the communicator, of which those of a NIC have the same peer
   */
  public static double readNs(
      MachineTiming machine, RankLayout layout, Protocol protocol, double data, double channels) {
    double wire = data * Buffers.wirePerData(protocol);
    return machine.network().filter(any -> layout.networked())
        .map(net -> net.readNs(protocol, wire * Math.max(1, channels / net.nicCount()))).orElse(0.0);
  }

  /** The time for which a connection is busy to announce a message's arrival, nanoseconds; 0 within a node. */
  public static double arrivalNs(MachineTiming machine, RankLayout layout, Protocol protocol, double data) {
    return machine.network().filter(any -> layout.networked())
        .map(net -> net.arrivalNs(data * Buffers.wirePerData(protocol))).orElse(0.0);
  }
}
