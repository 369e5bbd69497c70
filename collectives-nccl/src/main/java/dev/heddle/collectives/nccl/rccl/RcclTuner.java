package dev.heddle.collectives.nccl.rccl;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.env.Environment;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.tuner.Call;
import dev.heddle.collectives.nccl.tuner.Candidate;
import dev.heddle.collectives.nccl.tuner.Choice;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * RCCL's tuner: of Ring and Tree with each protocol, the one for which {@code latency + bytes / bandwidth} is least,
 * with the tuning model of the GPU's architecture and its factors by size. From RCCL 2.22 on, MI300 and MI350 take the
 * protocol between nodes from ranges of bytes instead, and keep the algorithm [ROCm/rccl, graph/tuning.cc and
 * rccl_wrap.cc]. Schedules of MSCCL, which take the place of the choice, are {@link MscclSchedules}; MSCCL++ and the
 * channels that versions since 2025 set by size are left out.
 */
public final class RcclTuner {
  private static final List<Algorithm> ALGORITHMS = List.of(Algorithm.TREE, Algorithm.RING);
  private static final int JOINED_AT_ONCE = 8;
  private static final int LATER = 22;
  // Threads of a block: four wavefronts of 64.
  private static final int THREADS = 256;
  private static final int LINE_BYTES = 8;
  private static final int SIMPLE_BYTES = 64;
  // Factor of the greatest size of LL128 on more than two nodes.
  private static final double MANY_NODES = 3.8;

  private final RcclRings rings;
  private final NcclConfig config;
  private final RcclModel model;
  private final boolean ll128;

  private RcclTuner(RcclRings rings, NcclConfig config) {
    this.rings = rings;
    this.config = config;
    model = new RcclModel(rings, config.version());
    ll128 = rings.gpu().usesLl128(config.version(), rings.perNode(), rings.nics());
  }

  /** The tuner of a communicator with a version and variables. */
  public static RcclTuner of(RcclRings rings, NcclConfig config) {
    return new RcclTuner(rings, config);
  }

  /** The greatest sizes of LL and LL128 on several nodes, bytes of a rank; LL128 replaces LL from its least size on. */
  private record Ranges(long ll, long ll128From, double ll128) {
    Protocol of(long bytes, boolean allowed) {
      return allowed && bytes > ll128From && bytes <= ll128 ? Protocol.LL128
          : bytes <= ll ? Protocol.LL : Protocol.SIMPLE;
    }
  }

  // The ranges of RCCL 2.22 and newer.
  private Optional<Ranges> ranges(CollectiveOp op) {
    if (!config.version().since(LATER) || rings.nodes() < 2 || rings.gpu() == RcclGpu.GFX90A
        || config.isSet(Environment.PROTO)) {
      return Optional.empty();
    }
    boolean newer = rings.gpu() == RcclGpu.GFX950;
    double many = rings.nodes() > 2 ? MANY_NODES : 1;
    return switch (op) {
      case REDUCE_SCATTER -> Optional.of(newer ? new Ranges(131_071, 131_071, 4_194_304)
          : new Ranges(655_360, 131_072, 3_211_264));
      case ALL_GATHER -> Optional.of(newer ? new Ranges(7, 7, 8_388_608) : new Ranges(98_304, 98_304, 5_046_272));
      case ALL_REDUCE -> Optional.of(newer ? new Ranges(131_071, 131_071, 17_660_227 * many)
          : new Ranges(1_048_576, 1_048_576, 9_437_184 * many));
      case BROADCAST -> newer ? Optional.of(new Ranges(2048, 2048, 16_777_216)) : Optional.empty();
      default -> Optional.empty();
    };
  }

  /**
   * Chooses the algorithm and protocol of a call.
   *
   * @throws IllegalArgumentException when the operation consists of send and receive
   */
  public Choice choose(Call call) {
    CollectiveOp op = call.op();
    List<Candidate> candidates = new ArrayList<>();
    for (Algorithm algorithm : ALGORITHMS) {
      for (Protocol protocol : Protocol.values()) {
        if (algorithm == Algorithm.RING && tuned(op) || op == CollectiveOp.ALL_REDUCE) {
          candidates.add(candidate(call, algorithm, protocol));
        }
      }
    }
    if (candidates.isEmpty()) {
      throw new IllegalArgumentException("RCCL builds " + op.key() + " of send and receive");
    }
    Candidate best = candidates.get(candidates.size() - 1);
    for (Candidate each : candidates) {
      best = each.timeUs() < best.timeUs() ? each : best;
    }
    long perRank = op == CollectiveOp.ALL_REDUCE ? call.bytes() : call.bytes() / rings.ranks();
    Algorithm chosen = best.algorithm();
    Candidate expected = best;
    Candidate ranged = ranges(op).map(each -> each.of(perRank, ll128))
        .flatMap(protocol -> candidates.stream()
            .filter(each -> each.algorithm() == chosen && each.protocol() == protocol).findFirst())
        .orElse(expected);
    return new Choice(call, ranged, candidates);
  }

  private static boolean tuned(CollectiveOp op) {
    return switch (op) {
      case ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, BROADCAST, REDUCE -> true;
      case ALL_TO_ALL, ALL_TO_ALL_V, GATHER, SCATTER, SEND_RECV -> false;
    };
  }

  private Candidate candidate(Call call, Algorithm algorithm, Protocol protocol) {
    CollectiveOp op = call.op();
    double latency = model.latencyUs(op, algorithm, protocol);
    double bandwidth = model.bandwidth(op, algorithm, protocol);
    double factor = model.share(algorithm, protocol, call.bytes());
    Optional<String> excluded = excluded(op, algorithm, protocol, bandwidth * factor);
    int times = algorithm == Algorithm.RING ? call.joined() : (call.joined() + JOINED_AT_ONCE - 1) / JOINED_AT_ONCE;
    return new Candidate(algorithm, protocol, latency, bandwidth,
        excluded.isPresent() ? Double.POSITIVE_INFINITY
            : latency * times + call.bytes() / (1000 * bandwidth * factor),
        shape(call.bytes(), algorithm, protocol), excluded);
  }

  private Optional<String> excluded(CollectiveOp op, Algorithm algorithm, Protocol protocol, double bandwidth) {
    if (config.get(Environment.ALGO).filter(list -> !list.allows(op, algorithm.title())).isPresent()) {
      return Optional.of("not in NCCL_ALGO");
    }
    if (config.get(Environment.PROTO).filter(list -> !list.allows(op, protocol.title())).isPresent()) {
      return Optional.of("not in NCCL_PROTO");
    }
    if (protocol == Protocol.LL128 && !ll128) {
      return Optional.of("not on this architecture with these NICs");
    }
    return bandwidth <= 0 ? Optional.of("no bandwidth in the model") : Optional.empty();
  }

  // Fewer channels as long as each thread would have little data.
  private Candidate.Shape shape(long bytes, Algorithm algorithm, Protocol protocol) {
    long threshold = protocol == Protocol.SIMPLE ? SIMPLE_BYTES
        : protocol == Protocol.LL && algorithm == Algorithm.RING ? LINE_BYTES * (long) rings.ranks() : LINE_BYTES;
    long full = Math.max(1, bytes / (THREADS * threshold));
    return new Candidate.Shape((int) Math.min(rings.channels(), full), THREADS);
  }
}
