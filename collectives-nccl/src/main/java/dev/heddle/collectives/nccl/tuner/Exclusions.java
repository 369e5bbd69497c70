package dev.heddle.collectives.nccl.tuner;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.PathType;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.env.Environment;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.search.Placement;
import dev.heddle.collectives.nccl.system.NodeType;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** Reasons that exclude an algorithm or protocol. */
final class Exclusions {
  private static final int VOLTA = 70;
  private static final int HOPPER = 90;
  private static final int PASCAL = 60;
  private static final int MOST_COLLNET_RANKS = 8;
  private static final int MOST_NVLS_RANKS = 32;

  private final CommunicatorTopology channels;
  private final NcclConfig config;
  private final List<Summary> graphs;
  private final int least;
  private final int greatest;

  Exclusions(CommunicatorTopology channels, List<Summary> graphs) {
    this.channels = channels;
    this.graphs = graphs;
    config = channels.config();
    least = channels.plans().stream().mapToInt(plan -> plan.paths().graph().leastCapability()).min().orElseThrow();
    greatest = channels.plans().stream().mapToInt(plan -> plan.paths().graph().greatestCapability()).max()
        .orElseThrow();
  }

  /** Whether NCCL implements an operation with an algorithm and a protocol. */
  static boolean exists(CollectiveOp op, Algorithm algorithm, Protocol protocol) {
    boolean both = algorithm == Algorithm.RING || algorithm == Algorithm.TREE;
    if (!both && protocol != Protocol.SIMPLE) {
      return false;
    }
    return switch (op) {
      case BROADCAST, REDUCE -> algorithm == Algorithm.RING;
      case ALL_GATHER, REDUCE_SCATTER -> algorithm == Algorithm.RING || algorithm == Algorithm.PAT
          || algorithm == Algorithm.NVLS || algorithm == Algorithm.COLLNET_DIRECT;
      case ALL_REDUCE -> algorithm != Algorithm.PAT;
      default -> false;
    };
  }

  /** The reason of an exclusion; empty if there is none. */
  Optional<String> of(Call call, Algorithm algorithm, Protocol protocol) {
    Optional<String> byUser = byUser(call.op(), algorithm, protocol);
    if (byUser.isPresent()) {
      return byUser;
    }
    Optional<String> why = switch (algorithm) {
      case TREE, RING -> Optional.empty();
      case COLLNET_DIRECT, COLLNET_CHAIN -> collNet(call, algorithm);
      case NVLS, NVLS_TREE -> nvls(call, algorithm);
      case PAT -> pat();
    };
    return why.isEmpty() && protocol == Protocol.LL128 ? ll128(algorithm, call.op()) : why;
  }

  private Optional<String> byUser(CollectiveOp op, Algorithm algorithm, Protocol protocol) {
    if (config.get(Environment.ALGO).filter(list -> !list.allows(op, algorithm.title())).isPresent()) {
      return Optional.of("not in NCCL_ALGO");
    }
    return config.get(Environment.PROTO).filter(list -> !list.allows(op, protocol.title())).isPresent()
        ? Optional.of("not in NCCL_PROTO")
        : Optional.empty();
  }

  private Optional<String> collNet(Call call, Algorithm algorithm) {
    if (!channels.collNet()) {
      return Optional.of("the network does not reduce (NCCL_COLLNET_ENABLE)");
    }
    if (onANode(ranks -> ranks > MOST_COLLNET_RANKS)) {
      return Optional.of("more than " + MOST_COLLNET_RANKS + " ranks on a node");
    }
    if (algorithm == Algorithm.COLLNET_DIRECT && !switches()) {
      return Optional.of("no NVSwitch");
    }
    return heads(call, channels.collNetHeads(0).length);
  }

  // The reason if there are fewer heads than ranks. An all_gather or reduce_scatter is laid out by rails, so that every
  // rank must be a head; between nodes NVLS needs the heads of CollNetDirect [NCCL 2.27, graph/tuning.cc;
  // device/all_gather.h].
  private Optional<String> heads(Call call, int heads) {
    return call.op() != CollectiveOp.ALL_REDUCE && onANode(ranks -> ranks > heads)
        ? Optional.of("fewer heads than ranks on a node")
        : Optional.empty();
  }

  private boolean switches() {
    return channels.plans().stream().allMatch(plan -> plan.paths().graph().count(NodeType.NVS) > 0);
  }

  private Optional<String> nvls(Call call, Algorithm algorithm) {
    boolean several = channels.placement().nodes() > 1;
    int since = algorithm == Algorithm.NVLS ? 17 : 18;
    if (!config.version().since(since)) {
      return Optional.of("since NCCL 2." + since);
    }
    if (config.get(Environment.NVLS_ENABLE) == 0) {
      return Optional.of("NCCL_NVLS_ENABLE is 0");
    }
    if (least < HOPPER) {
      return Optional.of("GPUs before Hopper");
    }
    if (!switches() || !channels.nvls()) {
      return Optional.of("no NVSwitch that reduces for these GPUs");
    }
    if (call.op().reduces()
        && (call.reduction() == Call.Reduction.OTHER || call.reduction() == Call.Reduction.BYTES)) {
      return Optional.of("NVSwitches do not reduce this");
    }
    if (algorithm == Algorithm.NVLS_TREE) {
      return several ? Optional.empty() : Optional.of("one node");
    }
    if (several && !channels.collNet()) {
      return Optional.of("several nodes, and the network does not reduce");
    }
    if (call.op() != CollectiveOp.ALL_REDUCE && onANode(ranks -> ranks > MOST_NVLS_RANKS)) {
      return Optional.of("more than " + MOST_NVLS_RANKS + " ranks on a node");
    }
    return heads(call,
        several ? Math.min(channels.nvlsHeads(), channels.collNetHeads(0).length) : channels.nvlsHeads());
  }

  private boolean onANode(IntPredicate ranks) {
    Placement placement = channels.placement();
    return IntStream.range(0, placement.nodes()).map(placement::ranks).anyMatch(ranks);
  }

  private Optional<String> pat() {
    if (!config.version().since(23)) {
      return Optional.of("since NCCL 2.23");
    }
    int enable = config.get(Environment.PAT_ENABLE);
    if (enable == 0) {
      return Optional.of("NCCL_PAT_ENABLE is 0");
    }
    if (least < PASCAL) {
      return Optional.of("GPUs before Pascal");
    }
    return enable == 2 && channels.placement().nodes() != channels.placement().ranks()
        ? Optional.of("more than one rank on a node")
        : Optional.empty();
  }

  // The reason against LL128, which relies on stores of 128 bytes that arrive as a whole.
  private Optional<String> ll128(Algorithm algorithm, CollectiveOp op) {
    if (config.get(Environment.PROTO).filter(list -> list.concerns(op)).isPresent()) {
      return Optional.empty();
    }
    Summary.Types types = graphs.get(algorithm.ordinal()).types();
    if (!types.intra().atMost(config.version().since(18) ? PathType.NVB : PathType.NVL)) {
      return Optional.of("not NVLink within nodes: " + types.intra());
    }
    boolean far = least >= HOPPER && config.get(Environment.LL128_C2C);
    if (channels.placement().nodes() > 1 && !types.inter().atMost(far ? PathType.PXN : PathType.PXB)) {
      return Optional.of("NICs too far: " + types.inter());
    }
    if (least < VOLTA) {
      return Optional.of("GPUs before Volta");
    }
    return least != greatest && least < HOPPER ? Optional.of("GPUs of several generations") : Optional.empty();
  }
}
