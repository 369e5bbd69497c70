package dev.heddle.collectives.nccl.tuner;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.Protocol;

/** The tuning model's bandwidth of an algorithm, GB/s: bytes of the call per nanosecond [NCCL, graph/tuning.cc]. */
final class BandwidthModel {
  private static final int HOPPER = 90;
  private static final int BLACKWELL = 100;

  private final Machine machine;
  private final TuningConstants constants;

  BandwidthModel(Machine machine, TuningConstants constants) {
    this.machine = machine;
    this.constants = constants;
  }

  /** The properties of the communicator that the model uses. */
  record Machine(int ranks, int nodes, int capability, boolean amd, boolean since28) {
    double perNode() {
      return (double) ranks / nodes;
    }
  }

  double of(CollectiveOp op, Algorithm algorithm, Protocol protocol, Summary graph) {
    if (graph.channels() == 0) {
      return 0;
    }
    boolean gathers = op == CollectiveOp.ALL_GATHER || op == CollectiveOp.REDUCE_SCATTER;
    double bus = switch (algorithm) {
      case RING -> ring(op, protocol, graph);
      case TREE -> tree(protocol, graph);
      case NVLS, NVLS_TREE -> graph.channels() * (machine.since28()
          ? nvls(op, algorithm, graph)
          : nvlsBefore28(algorithm, graph));
      case PAT -> .75 * links(graph);
      case COLLNET_DIRECT -> collNetDirect(gathers, graph);
      case COLLNET_CHAIN -> graph.channels() * graph.intra();
    };
    return bus * ratio(op, algorithm, gathers);
  }

  private double ratio(CollectiveOp op, Algorithm algorithm, boolean gathers) {
    if (algorithm == Algorithm.RING) {
      return (double) machine.ranks() / Steps.of(op, machine.ranks());
    }
    if (gathers) {
      return 1;
    }
    if (algorithm != Algorithm.NVLS && algorithm != Algorithm.NVLS_TREE) {
      return .5;
    }
    return machine.since28() ? (double) machine.ranks() / Steps.of(op, machine.ranks())
        : constants.factor("nvls-ratio");
  }

  private double bound(String table) {
    return constants.bound(table, machine.capability(), machine.nodes());
  }

  private double links(Summary graph) {
    double bus = graph.channels() * (machine.nodes() <= 2 ? graph.intra() : graph.inter());
    return Math.min(bus, bound("total"));
  }

  // The bound of LL; on several nodes it depends on the CPU.
  private double llBound() {
    int capability = machine.nodes() == 1 ? machine.capability() : machine.amd() ? 80 : 0;
    return constants.bound("ll", capability, machine.nodes());
  }

  private double ring(CollectiveOp op, Protocol protocol, Summary graph) {
    double bus = links(graph);
    return switch (protocol) {
      case LL -> Math.min(llBound(), bus / constants.factor(
          machine.nodes() > 1 || op.reduces() && op != CollectiveOp.REDUCE_SCATTER ? "ring-ll" : "ring-ll-gather"));
      case LL128 -> Math.min(constants.factor(machine.perNode() < 2 ? "ring-ll128-single" : "ring-ll128") * bus,
          graph.channels()
              * Math.min(bound("ring-ll128"), bound("ring-ll128-" + op.key())));
      case SIMPLE -> bus;
    };
  }

  private double tree(Protocol protocol, Summary graph) {
    double bus = Math.min(constants.factor("tree") * links(graph), graph.channels() * bound("tree"));
    double share = constants.factor(machine.nodes() == 1 ? "tree-ll128-one" : "tree-ll128");
    double limited = switch (protocol) {
      case LL -> Math.min(bus / 3.8, llBound());
      case LL128 -> Math.min(bus * share, graph.channels() * bound("tree-ll128"));
      case SIMPLE -> bus;
    };
    return graph.shape().plainTree() ? .85 * limited : limited;
  }

  private double nvls(CollectiveOp op, Algorithm algorithm, Summary graph) {
    double efficiency = constants.factor(machine.capability() >= BLACKWELL ? "nvls-100" : "nvls-90");
    double perNode = machine.perNode();
    double intra = graph.intra() * efficiency * (graph.channels() - 1) / graph.channels()
        * (op == CollectiveOp.ALL_REDUCE ? 2 : (perNode - 1) / perNode);
    boolean tree = algorithm == Algorithm.NVLS_TREE;
    double inter = graph.inter() * (tree && machine.nodes() == 2 ? 2 : 1);
    return Math.min(Math.min(intra, inter), tree ? bound("nvls-tree") : Double.POSITIVE_INFINITY);
  }

  private double nvlsBefore28(Algorithm algorithm, Summary graph) {
    boolean halved = algorithm == Algorithm.NVLS_TREE && machine.nodes() > 2;
    return Math.min(graph.intra(), halved ? graph.inter() / 2 : graph.inter());
  }

  private double collNetDirect(boolean gathers, Summary graph) {
    if (gathers) {
      return machine.perNode() * Math.min(graph.intra(), .9 * graph.inter());
    }
    double factor = (machine.perNode() / graph.channels() + 1) / 2;
    return graph.channels() * graph.intra() / factor * (machine.capability() >= HOPPER ? .85 : 1);
  }
}
