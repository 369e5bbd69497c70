package dev.heddle.collectives.nccl.tuner;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.PathType;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.tuner.TuningConstants.Place;

/** The tuning model's latency of an algorithm, microseconds [NCCL, graph/tuning.cc]. */
final class LatencyModel {
  private final int ranks;
  private final int nodes;
  private final Host host;
  private final TuningConstants constants;

  LatencyModel(int ranks, int nodes, Host host, TuningConstants constants) {
    this.ranks = ranks;
    this.nodes = nodes;
    this.host = host;
    this.constants = constants;
  }

  /**
   * The properties of the host that the model uses.
   *
   * @param netOverheadUs time of a post to a NIC, microseconds
   * @param power whether its CPUs are POWER
   */
  record Host(double netOverheadUs, boolean power) {}

  double of(CollectiveOp op, Algorithm algorithm, Protocol protocol, Summary graph) {
    Algorithm row = protocol == Protocol.SIMPLE && algorithm == Algorithm.TREE && host.power() && !nvlink(graph)
        ? Algorithm.RING
        : algorithm;
    double base = constants.latencyUs(Place.BASE, algorithm, protocol);
    double within = constants.latencyUs(nvlink(graph) ? Place.NVLINK : Place.PCI, row, protocol);
    if (nodes > 1 && protocol == Protocol.LL) {
      within *= constants.factor("ll-within");
    }
    double between = between(algorithm, protocol, graph);
    int perNode = ranks / nodes;
    int levels = 31 - Integer.numberOfLeadingZeros(nodes);
    return switch (algorithm) {
      case RING -> base + ring(op, protocol, graph, within);
      case TREE -> base + 2 * ((perNode - 1) * within + levels * between);
      case COLLNET_DIRECT -> base + 2 * (Math.min(1, perNode - 1) * within + (perNode - 1) * .4) + between;
      case COLLNET_CHAIN -> base + 2 * (perNode - 1) * within + between;
      case NVLS -> within + (nodes > 1 ? between : 0);
      case NVLS_TREE -> base + within + 2 * levels * between;
      case PAT -> base + levels * between / 3.5 + 2.8 * ranks;
    };
  }

  /** The overheads of a post that a step with a protocol counts. */
  static int posts(Protocol protocol) {
    return protocol == Protocol.SIMPLE ? 3 : 1;
  }

  private static boolean nvlink(Summary graph) {
    return graph.types().intra() == PathType.NVL;
  }

  // The latency between nodes. It includes the port's latency once, or twice with Simple, which also flushes.
  private double between(Algorithm algorithm, Protocol protocol, Summary graph) {
    Algorithm row = algorithm == Algorithm.RING && ranks == nodes ? Algorithm.TREE : algorithm;
    return constants.latencyUs(Place.NET, row, protocol)
        + graph.latencyUs() * (protocol == Protocol.SIMPLE ? 2 : 1);
  }

  private double ring(CollectiveOp op, Protocol protocol, Summary graph, double within) {
    if (op == CollectiveOp.BROADCAST || op == CollectiveOp.REDUCE) {
      boolean same = graph.shape().same();
      Algorithm row = !same && protocol == Protocol.SIMPLE ? Algorithm.TREE : Algorithm.RING;
      Place place = nodes > 1 ? Place.NET : nvlink(graph) ? Place.NVLINK : Place.PCI;
      return (same ? 1 : Steps.of(op, ranks)) * constants.latencyUs(place, row, protocol);
    }
    double overhead = nodes == 1 ? 0 : host.netOverheadUs() * posts(protocol);
    int more = op == CollectiveOp.ALL_REDUCE ? (int) constants.factor("crossings") : 0;
    int between = nodes == 1 ? 0 : Steps.between(op, nodes) + more;
    return (Steps.of(op, ranks) - between) * Math.max(within, overhead)
        + between * between(Algorithm.RING, protocol, graph);
  }
}
