package dev.heddle.collectives.nccl.tuner;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.env.Environment;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.system.CpuModel;
import dev.heddle.collectives.nccl.system.NodeType;
import dev.heddle.collectives.nccl.system.SystemGraph;
import dev.heddle.units.SimTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * NCCL's tuning model: the algorithm and protocol for which {@code latency + bytes / bandwidth} is least [NCCL 2.8.4 to
 * 2.30.7, graph/tuning.cc]. It ignores contention and pipelining: it predicts NCCL's choices exactly, times only
 * roughly.
 */
public final class Tuner {
  private static final int BLACKWELL = 100;
  private static final int HOPPER = 90;
  private static final int AMPERE = 80;
  private static final int JOINED_AT_ONCE = 8;
  private static final int FP8_PENALTY = 1024;

  private final CommunicatorTopology channels;
  private final NcclConfig config;
  private final TuningConstants constants;
  private final Map<CollectiveOp, List<Model>> models = new EnumMap<>(CollectiveOp.class);
  private final Exclusions exclusions;
  private final Shapes shapes;
  private final List<Summary> graphs;
  private final int ranks;
  private final int nodes;
  private final int capability;
  private final boolean x86;

  private Tuner(CommunicatorTopology channels) {
    this.channels = channels;
    config = channels.config();
    ranks = channels.placement().ranks();
    nodes = channels.placement().nodes();
    constants = TuningConstants.of(config.version());
    List<SystemGraph> systems = channels.plans().stream().map(plan -> plan.paths().graph()).toList();
    capability = systems.stream().mapToInt(SystemGraph::leastCapability).min().orElseThrow();
    List<CpuModel> cpus = systems.stream().filter(system -> system.count(NodeType.CPU) > 0)
        .map(system -> system.cpu(0)).toList();
    boolean amd = amd(systems);
    x86 = cpus.stream().allMatch(cpu -> cpu.arch().equals("x86_64"));
    graphs = Arrays.stream(Algorithm.values()).map(algorithm -> Summary.of(channels, algorithm)).toList();
    BandwidthModel bandwidth = new BandwidthModel(
        new BandwidthModel.Machine(ranks, nodes, capability, amd, config.version().since(28)), constants);
    double overhead = config.get(Environment.NET_OVERHEAD).map(ns -> ns / 1e3)
        .orElse(constants.factor(amd ? "net-overhead-amd" : "net-overhead"));
    boolean power = cpus.stream().anyMatch(CpuModel::power);
    LatencyModel latency = new LatencyModel(ranks, nodes, new LatencyModel.Host(overhead, power), constants);
    for (CollectiveOp op : CollectiveOp.values()) {
      models.put(op, models(op, latency, bandwidth));
    }
    exclusions = new Exclusions(channels, graphs);
    shapes = new Shapes(channels, graphs);
  }

  /** Latency and bandwidth of an algorithm with a protocol, which NCCL evaluates once for each communicator. */
  private record Model(Algorithm algorithm, Protocol protocol, double latencyUs, double bandwidth) {}

  private List<Model> models(CollectiveOp op, LatencyModel latency, BandwidthModel bandwidth) {
    List<Model> all = new ArrayList<>();
    for (Algorithm algorithm : Algorithm.values()) {
      Summary graph = graphs.get(algorithm.ordinal());
      for (Protocol protocol : Protocol.values()) {
        if (Exclusions.exists(op, algorithm, protocol)) {
          all.add(ranks == 1
              ? new Model(algorithm, protocol, 0, Double.POSITIVE_INFINITY)
              : new Model(algorithm, protocol, latency.of(op, algorithm, protocol, graph),
                  bandwidth.of(op, algorithm, protocol, graph)));
        }
      }
    }
    return List.copyOf(all);
  }

  private static boolean amd(List<SystemGraph> systems) {
    return systems.stream().filter(system -> system.count(NodeType.CPU) > 0)
        .anyMatch(system -> system.cpu(0).isAmd());
  }

  /**
   * The time for which a rank is busy to post a slice of Simple to a NIC, by the processors of the nodes, as the newest
   * version counts it, whatever version and variables choose.
   */
  public static SimTime post(CommunicatorTopology channels) {
    boolean amd = amd(channels.plans().stream().map(plan -> plan.paths().graph()).toList());
    double each = TuningConstants.of(NcclVersion.LATEST).factor(amd ? "net-overhead-amd" : "net-overhead");
    return SimTime.ofNanos(1e3 * LatencyModel.posts(Protocol.SIMPLE) * each);
  }

  /** The tuner of a communicator. */
  public static Tuner of(CommunicatorTopology channels) {
    return new Tuner(channels);
  }

  /**
   * Chooses the algorithm and protocol of a call.
   *
   * @throws IllegalArgumentException when the operation consists of send and receive
   */
  public Choice choose(Call call) {
    List<Candidate> candidates = new ArrayList<>();
    List<Model> all = models.getOrDefault(call.op(), List.of());
    for (Model model : all) {
      candidates.add(candidate(call, model, exclusions.of(call, model.algorithm(), model.protocol())));
    }
    if (candidates.isEmpty()) {
      throw new IllegalArgumentException("NCCL builds " + call.op().key() + " of send and receive");
    }
    if (candidates.stream().allMatch(each -> each.excluded().isPresent())) {
      for (int i = 0; i < all.size(); i++) {
        if (all.get(i).algorithm() == Algorithm.RING) {
          candidates.set(i, candidate(call, all.get(i), Optional.empty()));
        }
      }
    }
    Candidate best = candidates.get(0);
    for (Candidate each : candidates) {
      best = each.timeUs() < best.timeUs() ? each : best;
    }
    return new Choice(call, best, candidates);
  }

  private double plateauFrom() {
    return constants.factor("plateau-bytes") * ranks * (config.version().since(18) ? channels.count() : 1);
  }

  private Candidate candidate(Call call, Model model, Optional<String> excluded) {
    Optional<String> reason = excluded.isEmpty() && model.bandwidth() <= 0
        ? Optional.of("no bandwidth in the model")
        : excluded;
    return new Candidate(
        model.algorithm(), model.protocol(), model.latencyUs(), model.bandwidth(),
        reason.isPresent() ? Double.POSITIVE_INFINITY : time(call, model),
        shapes.of(call, model.algorithm(), model.protocol()), reason);
  }

  private double time(Call call, Model model) {
    Algorithm algorithm = model.algorithm();
    Protocol protocol = model.protocol();
    double lat = model.latencyUs();
    double bw = model.bandwidth();
    if (algorithm == Algorithm.TREE || algorithm == Algorithm.NVLS_TREE && capability >= BLACKWELL && x86) {
      bw *= constants.treeShare(protocol, call.bytes());
    }
    boolean plateau = algorithm == Algorithm.RING && protocol == Protocol.SIMPLE && nodes > 1
        && call.op() == CollectiveOp.ALL_REDUCE && call.bytes() >= plateauFrom();
    if (plateau) {
      lat *= constants.factor("plateau-" + (capability >= HOPPER ? 90 : capability >= AMPERE ? 80 : 0));
    }
    int times = algorithm == Algorithm.RING
        ? call.joined()
        : (call.joined() + JOINED_AT_ONCE - 1) / JOINED_AT_ONCE;
    double time = lat * times + call.bytes() / (1000 * bw);
    boolean slow = call.reduction() == Call.Reduction.FP8 && call.op().reduces()
        && algorithm == Algorithm.RING && ranks > 8;
    return slow ? time * FP8_PENALTY : time;
  }
}
