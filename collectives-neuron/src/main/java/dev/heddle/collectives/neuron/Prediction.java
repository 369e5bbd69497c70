package dev.heddle.collectives.neuron;

import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.Schedule;
import dev.heddle.spi.Cluster;
import java.util.List;

/**
 * The predicted time of an algorithm: a start and the links' latency for each round, and the load of the busiest link
 * and the busiest memory. Pipelined algorithms, and RDH, use both at once; algorithms of two steps, or of two
 * consecutive stages, use one after the other. The last incoming data are added up by a separate transfer, within an
 * instance and between instances.
 */
final class Prediction {
  private static final int RANKS_BETWEEN_LOOKS = 16;

  private final Collective collective;
  private final Placement placement;
  private final NeuronAlgorithmProvider.Settings settings;

  Prediction(Collective collective, Placement placement, NeuronAlgorithmProvider.Settings settings) {
    this.collective = collective;
    this.placement = placement;
    this.settings = settings;
  }

  /** The messages that follow one another. */
  long rounds(Algorithm algorithm) {
    CollectiveOp op = collective.op();
    Phases phases = Phases.of(op);
    int perChip = placement.ranksPerChip();
    switch (algorithm) {
      case RING :
        return (long) phases.count() * (placement.ranks() - 1);
      case KANGARING :
        // A pair's own chunks go between its ranks first and last.
        return phases.count() * (placement.ranks() / 2 - 1 + 2L);
      case RDH :
        int axes = Integer.numberOfTrailingZeros(placement.chips());
        return phases.count() * (axes + (perChip > 1 ? 1L : 0L));
      case HIERARCHICAL :
        Placement within = placement.ofNode(0);
        int inChip = within.ranksPerChip() > 1 ? 1 : 0;
        return phases.count() * (Integer.numberOfTrailingZeros(within.chips()) + inChip + 1L);
      case SINGLE_STEP_MESH :
        return 1;
      default :
        return op == CollectiveOp.ALL_TO_ALL ? 1 : phases.count() * 2L;
    }
  }

  /**
   * The predicted time, if it is less than a bound.
   *
   * @param atMost the bound, beyond which the computation stops: the result is then some time beyond it, too
   */
  double timePs(Algorithm algorithm, NeuronCollectives collectives, double atMost) {
    if (placement.ranks() == 1) {
      return 0;
    }
    Phases phases = Phases.of(collective.op());
    if (algorithm.isPipelined()) {
      double time = 0;
      boolean first = true;
      for (Rings rings : collectives.rings(algorithm, placement, phases)) {
        LinkLoads loads = loads(rings);
        Exposure exposure = exposure(rings, loads, first);
        first = false;
        time += exposure.starts() * settings.start().ps() + exposure.hops() * loads.meanLatencyPs()
            + exposure.rounds() * lagOfRoundPs(rings) + loads.mostPs();
      }
      return time;
    }
    LinkLoads loads = new LinkLoads(placement.cluster());
    Schedule schedule = collectives.counted(algorithm, collective, placement);
    double time = 0;
    for (int rank = 0; rank < schedule.ranks() && time < atMost; rank++) {
      count(loads, schedule, rank);
      // Every rank adds to the loads of links and memories, so that the time of some is less than that of all.
      boolean whole = rank == schedule.ranks() - 1;
      if (whole || rank % RANKS_BETWEEN_LOOKS == 0) {
        time = stepwisePs(algorithm, loads, whole ? loads.meanLatencyPs() : 0);
      }
    }
    return time;
  }

  // The time of an algorithm that is not pipelined: its messages, each with a latency.
  private double stepwisePs(Algorithm algorithm, LinkLoads loads, double latencyPs) {
    Phases phases = Phases.of(collective.op());
    boolean overlaps = algorithm == Algorithm.RDH && settings.stages() == NeuronAlgorithmProvider.Stages.AS_ARRIVED;
    double moved = overlaps ? loads.mostPs() : loads.networkPs() + loads.memoryPs();
    double laggedPs = algorithm == Algorithm.HIERARCHICAL ? (double) phases.count() * lagPs() : 0;
    long sums = !phases.reduces() ? 0 : algorithm == Algorithm.HIERARCHICAL ? 2 : 1;
    return rounds(algorithm) * (settings.start().ps() + latencyPs) + sums * settings.start().ps() + laggedPs + moved;
  }

  /** The time of a message between instances in addition to the links of its route and the start of its transfer. */
  long lagPs() {
    Cluster cluster = placement.cluster();
    int first = placement.group().member(0);
    for (int member : placement.group().members()) {
      if (cluster.node(member) != cluster.node(first)) {
        return Math.max(0, settings.between().ps() - settings.start().ps() - cluster.routePs(first, member));
      }
    }
    return 0;
  }

  // The mean of that time over all messages that circle.
  private double lagOfRoundPs(Rings rings) {
    double sum = 0;
    int edges = 0;
    for (Rings.Channel channel : rings.channels()) {
      sum += lagOfRoundPs(channel) * channel.edges().size();
      edges += channel.edges().size();
    }
    return sum / edges;
  }

  /** The mean of that time over a channel's messages. */
  double lagOfRoundPs(Rings.Channel channel) {
    long between = channel.edges().stream()
        .filter(edge -> placement.cluster().node(placement.terminal(edge.from())) != placement.cluster()
            .node(placement.terminal(edge.to())))
        .count();
    return (double) between * lagPs() / channel.edges().size();
  }

  /**
   * The rounds whose start, latency and time between instances add to the time of the busiest link.
   *
   * @param rounds with all three; at least 1 in the first phase, in which no link carries anything before
   * @param starts of transfers, among them those of a pair's own messages and of the last sums
   * @param hops with their latencies
   */
  record Exposure(double rounds, double starts, double hops) {}

  /**
   * The exposed rounds of a phase. A round takes a start, a latency, the time between instances and a message; where
   * that is less than the busiest link's load in a round, that load hides it. The first round of all hides nothing, and
   * the last sum is a transfer of its own.
   *
   * @param first whether no phase precedes this one
   */
  Exposure exposure(Rings rings, boolean first) {
    return exposure(rings, loads(rings), first);
  }

  private Exposure exposure(Rings rings, LinkLoads loads, boolean first) {
    double leastPs = settings.start().ps() + loads.meanLatencyPs() + lagOfRoundPs(rings);
    double roundPs = leastPs + messagePs(rings, loads);
    double part = Math.max(0, Math.min(1, (roundPs - loads.mostPs() / rings.rounds()) / leastPs));
    double rounds = part * rings.rounds() + (first ? 1 - part : 0);
    double transfers = rounds + rings.exchanges();
    return new Exposure(rounds, transfers + (rings.reduces() ? 1 : 0), transfers);
  }

  // The mean of all messages that circle.
  private double messagePs(Rings rings, LinkLoads loads) {
    double sum = 0;
    int edges = 0;
    for (Rings.Channel channel : rings.channels()) {
      double bytes = collective.bytes() * channel.share() / rings.rounds() / rings.parts();
      for (Rings.Edge edge : channel.edges()) {
        sum += loads.messagePs(
            placement.terminal(edge.from()), placement.terminal(edge.to()), bytes, edge.access(), rings.rounds());
        edges++;
      }
    }
    return sum / edges;
  }

  private LinkLoads loads(Rings rings) {
    LinkLoads loads = new LinkLoads(placement.cluster());
    for (Rings.Channel channel : rings.channels()) {
      add(loads, channel.edges(), channel.share());
      add(loads, channel.extraEdges(), channel.extraShare());
    }
    return loads;
  }

  private void add(LinkLoads loads, List<Rings.Edge> edges, double share) {
    for (Rings.Edge edge : edges) {
      loads.add(
          placement.terminal(edge.from()), placement.terminal(edge.to()), collective.bytes() * share,
          edge.access(), 1);
    }
  }

  // Consecutive messages of one thread block with the same access are counted together: they take one path.
  private void count(LinkLoads loads, Schedule schedule, int rank) {
    RankSteps steps = schedule.steps(rank);
    for (int block = 0; block < steps.threadBlocks(); block++) {
      double bytes = 0;
      int messages = 0;
      int last = RankSteps.NONE;
      for (int step = steps.firstStep(block); step < steps.endStep(block); step++) {
        if (steps.kind(step).sends()) {
          if (messages > 0 && steps.access(step) != steps.access(last)) {
            add(loads, rank, steps, last, bytes, messages);
            bytes = 0;
            messages = 0;
          }
          bytes += steps.bytes(step, schedule.layout());
          messages++;
          last = step;
        }
      }
      if (messages > 0) {
        add(loads, rank, steps, last, bytes, messages);
      }
    }
  }

  private void add(LinkLoads loads, int rank, RankSteps steps, int step, double bytes, int messages) {
    int peer = steps.sendPeer(steps.threadBlock(step));
    loads.add(placement.terminal(rank), placement.terminal(peer), bytes, steps.access(step), messages);
  }
}
