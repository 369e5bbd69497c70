package dev.heddle.collectives.neuron;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.Schedule;
import dev.heddle.spi.CollectiveRequest;

/**
 * How long an algorithm is predicted to take: a start and the links' latency for each round, and what the busiest link and
 * the busiest memory carry. What circles uses both at once; what goes in two stages uses one after the other, but that RDH's
 * memories are busy with what one step has brought, or with what the next one sends, while the other half is under way.
 */
final class Prediction {
  private final CollectiveRequest request;
  private final Placement placement;
  private final NeuronAlgorithmProvider.Settings settings;

  Prediction(CollectiveRequest request, Placement placement, NeuronAlgorithmProvider.Settings settings) {
    this.request = request;
    this.placement = placement;
    this.settings = settings;
  }

  /** The messages that follow one another. */
  long rounds(Algorithm algorithm) {
    CollectiveOp op = request.collective().op();
    Phases phases = Phases.of(op);
    int perChip = placement.ranksPerChip();
    switch (algorithm) {
      case RING:
        return (long) phases.count() * (placement.ranks() - 1);
      case KANGARING:
        // A pair's own chunks go between its ranks first and last.
        return phases.count() * (placement.ranks() / 2 - 1 + 2L);
      case RDH:
        int axes = Integer.numberOfTrailingZeros(placement.chips());
        return phases.count() * (axes + (perChip > 1 ? 1L : 0L));
      case SINGLE_STEP_MESH:
        return 1;
      default:
        return op == CollectiveOp.ALL_TO_ALL ? 1 : phases.count() * 2L;
    }
  }

  double timePs(Algorithm algorithm, NeuronCollectives collectives) {
    if (placement.ranks() == 1) {
      return 0;
    }
    Phases phases = Phases.of(request.collective().op());
    if (algorithm.circles()) {
      double time = 0;
      for (Rings rings : collectives.rings(algorithm, placement, phases)) {
        LinkLoads loads = loads(rings);
        time += exposed(rings) * rings.rounds() * (settings.start().ps() + loads.meanLatencyPs()) + loads.mostPs();
      }
      return time;
    }
    LinkLoads loads = loads(collectives.counted(algorithm, request, placement));
    boolean overlaps = algorithm == Algorithm.RDH && settings.stages() == NeuronAlgorithmProvider.Stages.AS_ARRIVED;
    double moved = overlaps
        ? Math.max(loads.networkPs() + loads.memoryPs() / 2, loads.memoryPs()) : loads.networkPs() + loads.memoryPs();
    return rounds(algorithm) * (settings.start().ps() + loads.meanLatencyPs()) + moved;
  }

  /**
   * The part of a round's start and latency that nothing hides: while one slice is under way, the other is sent.
   *
   * @return 0 to 1
   */
  double exposed(Rings rings) {
    if (settings.slices() == 1 || !request.collective().op().reduces()) {
      return 1;
    }
    LinkLoads loads = loads(rings);
    double roundPs = loads.mostPs() / rings.rounds();
    double others = roundPs * (settings.slices() - 1) / settings.slices();
    return Math.max(0, 1 - others / (settings.start().ps() + loads.meanLatencyPs()));
  }

  private LinkLoads loads(Rings rings) {
    LinkLoads loads = new LinkLoads(request.cluster());
    for (Rings.Channel channel : rings.channels()) {
      double bytes = request.collective().bytes() * channel.share();
      for (Rings.Edge edge : channel.edges()) {
        loads.add(placement.terminal(edge.from()), placement.terminal(edge.to()), bytes, edge.access());
      }
      for (Rings.Edge edge : channel.beside()) {
        loads.add(placement.terminal(edge.from()), placement.terminal(edge.to()), bytes, edge.access());
      }
    }
    return loads;
  }

  private LinkLoads loads(Schedule schedule) {
    LinkLoads loads = new LinkLoads(request.cluster());
    for (int rank = 0; rank < schedule.ranks(); rank++) {
      RankSteps steps = schedule.steps(rank);
      for (int step = 0; step < steps.size(); step++) {
        if (steps.kind(step).sends()) {
          int peer = steps.sendPeer(steps.threadBlock(step));
          loads.add(
              placement.terminal(rank), placement.terminal(peer), steps.bytes(step, schedule.layout()),
              steps.access(step));
        }
      }
    }
    return loads;
  }
}
