package dev.heddle.collectives.nccl.timing;

import com.google.common.base.Supplier;
import com.google.common.base.Suppliers;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.PathType;
import dev.heddle.collectives.nccl.p2p.PointToPoint;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.search.Placement;
import dev.heddle.collectives.nccl.system.LinkType;
import dev.heddle.collectives.nccl.system.NodeType;
import dev.heddle.collectives.nccl.system.Path;
import dev.heddle.collectives.nccl.system.SystemDescription.Nvlink;
import dev.heddle.collectives.nccl.system.SystemGraph;
import dev.heddle.collectives.nccl.system.SystemPaths;
import java.util.stream.IntStream;

/**
 * The links within nodes whose GPUs are joined by cables without a switch, such as the hybrid cube mesh of a DGX-1:
 * messages of a pair have its cables alone, pairs without a cable the buffer of a neighbour (NVB) or the host. Switches
 * have room for all messages, so that on nodes with them, as on nodes without NVLink, no link is busier than the port.
 */
final class PairLinks {
  private final CommunicatorTopology channels;
  private final Placement placement;
  private final PointToPoint pairs;
  // The places of the GPUs that relay messages to another node, by the places of sender and receiver.
  private final Supplier<int[][]> relays = Suppliers.memoize(this::relays);

  PairLinks(CommunicatorTopology channels, PointToPoint pairs) {
    this.channels = channels;
    placement = channels.placement();
    this.pairs = pairs;
  }

  /** The size of each message, bytes; 0 if there is none. */
  @FunctionalInterface
  interface Sizes {
    /** The bytes from a rank to another. */
    long between(int from, int to);
  }

  /**
   * The load of a link.
   *
   * @param bytes that pass it
   * @param rate bytes per nanosecond
   */
  record Load(double bytes, double rate) {
    /** The load of a node whose links have room for all messages. */
    static final Load NONE = new Load(0, Double.POSITIVE_INFINITY);

    private double nanos() {
      return bytes / rate;
    }
  }

  /** The messages of an operation that consists of send and receive, one byte each. */
  static Sizes unit(CollectiveOp op, int ranks) {
    return (from, to) -> switch (op) {
      case GATHER -> to == 0 ? 1 : 0;
      case SCATTER -> from == 0 ? 1 : 0;
      case SEND_RECV -> to == (from + 1) % ranks ? 1 : 0;
      default -> 1;
    };
  }

  /**
   * The load of the link that its messages occupy longest.
   *
   * @param sizes of messages
   * @param port rate of all NVLinks of a GPU together, bytes per nanosecond
   */
  Load busiest(Sizes sizes, double port) {
    Load most = Load.NONE;
    for (int node = 0; node < placement.nodes(); node++) {
      if (meshed(node)) {
        Load load = new OnNode(node).busiest(sizes, port);
        most = load.nanos() > most.nanos() ? load : most;
      }
    }
    return most;
  }

  private boolean meshed(int node) {
    SystemGraph graph = channels.node(node).paths().graph();
    return graph.count(NodeType.NVS) == 0 && IntStream.range(0, graph.links()).anyMatch(link -> cable(graph, link));
  }

  // Nodes are taken as alike: the relays of the first node's messages to the second.
  private int[][] relays() {
    int[][] found = new int[placement.ranks(0)][placement.nodes() > 1 ? placement.ranks(1) : 0];
    for (int from = 0; from < found.length; from++) {
      for (int to = 0; to < found[from].length; to++) {
        found[from][to] = placement.place(pairs.relay(placement.rank(0, from), placement.rank(1, to), 0));
      }
    }
    return found;
  }

  private int relay(int from, int to) {
    int[][] known = relays.get();
    return from < known.length && to < known[from].length ? known[from][to] : from;
  }

  private static boolean cable(SystemGraph graph, int link) {
    return graph.linkType(link) == LinkType.NVL && graph.type(graph.from(link)) == NodeType.GPU
        && graph.type(graph.to(link)) == NodeType.GPU;
  }

  /** The links of one node. */
  private final class OnNode {
    private final int node;
    private final SystemPaths paths;
    private final SystemGraph graph;
    private final double[] bytes;

    OnNode(int node) {
      this.node = node;
      paths = channels.node(node).paths();
      graph = paths.graph();
      bytes = new double[graph.links()];
    }

    Load busiest(Sizes sizes, double port) {
      for (int from : placement.members(node)) {
        for (int to = 0; to < placement.ranks(); to++) {
          boolean apart = placement.node(to) != node;
          if (to != from && (apart || !pairs.remote(from, to))) {
            int place = placement.place(from);
            add(place, apart ? relay(place, placement.place(to)) : placement.place(to), sizes.between(from, to));
          }
        }
      }
      Load most = Load.NONE;
      for (int link = 0; link < bytes.length; link++) {
        Load load = new Load(bytes[link], rate(link, port));
        most = load.nanos() > most.nanos() ? load : most;
      }
      return most;
    }

    private void add(int from, int to, long size) {
      if (from == to || size == 0) {
        return;
      }
      Path path = paths.gpuToGpu(from, to);
      boolean throughHost = !path.type().atMost(PathType.NVB) && !path.type().atMost(paths.peerLevel());
      for (int link : path.links().toArray()) {
        bytes[link] += size / (throughHost ? HostMemory.LOADS : 1);
      }
    }

    // A cable's share of the GPU's port, by NVLinks; elsewhere the bandwidth that the search assumes.
    private double rate(int link, double port) {
      if (!cable(graph, link)) {
        return graph.megabytes(link) / 1e3;
      }
      int gpu = graph.index(graph.from(link));
      double all = graph.gpu(gpu).nvlinks().stream().mapToInt(Nvlink::count).sum();
      return port * graph.megabytes(link) / graph.nvlinkMegabytes(gpu) / all;
    }
  }
}
