package dev.heddle.collectives.tpu;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collective.ChunkRange;
import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.collective.Layout;
import dev.heddle.collective.Pipeline;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.RankStepsBuilder;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.TransportModel;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectivePlan;
import dev.heddle.spi.Communicator;
import dev.heddle.spi.InvalidSettingException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Collectives around the rings of all axes of a torus at once, and all_to_all by messages from each to each.
 *
 * @param settings of the algorithm
 */
record TpuCollectives(TpuAlgorithmProvider.Settings settings) implements CollectiveAlgorithm {
  private static final ImmutableSet<CollectiveOp> SERVED = Sets.immutableEnumSet(
      CollectiveOp.ALL_REDUCE, CollectiveOp.ALL_GATHER, CollectiveOp.REDUCE_SCATTER, CollectiveOp.ALL_TO_ALL);

  @Override
  public Communicator communicator(Cluster cluster, Group group) {
    Rings rings = Rings.of(cluster, group);
    List<Colour> colours = rings.colours();
    return collective -> plan(collective, group, colours);
  }

  private CollectivePlan plan(Collective collective, Group group, List<Colour> colours) {
    if (!SERVED.contains(collective.op())) {
      throw new InvalidSettingException("", "tpu does not do " + collective.op().key() + "; it does "
          + SERVED.stream().map(CollectiveOp::key).collect(Collectors.joining(", ")));
    }
    // Data is written to its final position, so that a connection never waits for buffer space.
    CollectivePlan plan = CollectivePlan.of(
        schedule(collective, colours).withProtocol(protocol()).withWindow(Math.max(2, collective.ranks())));
    return collective.op() == CollectiveOp.ALL_TO_ALL || colours.isEmpty()
        ? plan : plan.withPipelines(() -> pipelines(collective, group, colours));
  }

  private TransportModel protocol() {
    long hop = settings.hop().ps();
    return new TransportModel(
        "", 1, 1, Long.MAX_VALUE, 0, new TransportModel.Costs(settings.launch().ps(), 0, 0, hop, hop));
  }

  private static Schedule schedule(Collective collective, List<Colour> colours) {
    if (collective.op() == CollectiveOp.ALL_TO_ALL) {
      Layout layout = Layout.of(collective, 1);
      return Schedule.planned("tpu", layout, rank -> exchange(layout, colours, rank));
    }
    int parts = Math.max(1, colours.size());
    Layout layout = Layout
        .of(collective, collective.op() == CollectiveOp.ALL_REDUCE
            ? Math.multiplyExact(parts, collective.ranks()) : parts)
        .sharingInputAndOutput();
    return Schedule.planned("tpu", layout, rank -> new BucketSteps(layout, colours, rank).steps());
  }

  // Nearest ranks along the first axis first.
  private static RankSteps exchange(Layout layout, List<Colour> colours, int rank) {
    RankStepsBuilder steps = new RankStepsBuilder(layout, rank);
    steps.copy(
        steps.threadBlock(0, RankSteps.NONE, RankSteps.NONE), ChunkRange.input(rank, 1), ChunkRange.output(rank, 1));
    if (!colours.isEmpty()) {
      Colour colour = colours.get(0);
      ImmutableIntArray targets = colour.ahead(rank, colour.stages());
      ImmutableIntArray sources = colour.behind(rank, colour.stages());
      for (int turn = 1; turn < targets.length(); turn++) {
        int block = steps.threadBlock(0, targets.get(turn), sources.get(turn));
        steps.send(block, ChunkRange.input(targets.get(turn), 1));
        steps.receive(block, ChunkRange.output(sources.get(turn), 1));
      }
    }
    return steps.build();
  }

  // All stages side by side: parts do not wait for each other, so that the busiest link determines the time. On a line
  // that is another link in a reduction than in the gather after it, which are phases then.
  private List<Pipeline> pipelines(Collective collective, Group group, List<Colour> colours) {
    List<Pipeline> pipelines = new ArrayList<>();
    int stages = colours.get(0).stages();
    int reductions = collective.op() == CollectiveOp.ALL_GATHER ? 0 : stages;
    int phases = reductions + (collective.op() == CollectiveOp.REDUCE_SCATTER ? 0 : stages);
    for (int phase = 0; phase < phases; phase++) {
      int stage = phase < reductions ? stages - 1 - phase : phase - reductions;
      for (Colour colour : colours) {
        for (boolean forward : new boolean[] {true, false}) {
          for (int rounds = 1; rounds <= colour.reach(stage, forward); rounds++) {
            Way way = new Way(colour, stage, forward, rounds, phase < reductions);
            if (way.sources(group).length() > 0) {
              pipelines.add(pipeline(collective, group, colours, way));
            }
          }
        }
      }
    }
    return pipelines;
  }

  // The edges of a stage one way that carry equally many chunks: all those of rings, one of each line.
  private record Way(Colour colour, int stage, boolean forward, int rounds, boolean reduces) {
    ImmutableIntArray sources(Group group) {
      return ImmutableIntArray.copyOf(
          IntStream.range(0, group.size()).filter(rank -> colour.rounds(rank, stage, forward, reduces) == rounds));
    }
  }

  private Pipeline pipeline(Collective collective, Group group, List<Colour> colours, Way way) {
    ImmutableIntArray ranks = way.sources(group);
    ImmutableIntArray next = way.colour().onward(way.stage(), way.forward());
    double chunk = (double) collective.bytes() / collective.ranks() / colours.size();
    Colour colour = colours.get(0);
    boolean phased = collective.op() == CollectiveOp.ALL_REDUCE && colour.lines().contains(true);
    int phase = phased && !way.reduces() ? 1 : 0;
    int passes = collective.op() == CollectiveOp.ALL_REDUCE && !phased ? 2 : 1;
    long hops = (long) passes * IntStream.range(0, colour.stages()).map(stage -> colour.reach(stage, true)).sum();
    long fixedPs = hops * settings.hop().ps() + (phase == 0 ? settings.launch().ps() : 0);
    return Pipeline.of(
        ImmutableIntArray.copyOf(ranks.stream().map(group::member)),
        ImmutableIntArray.copyOf(ranks.stream().map(rank -> group.member(next.get(rank)))),
        Math.round(way.colour().held(way.stage()) * way.rounds() * chunk), Math.max(1, Math.round(chunk)),
        new Pipeline.Fill((double) hops / ranks.length(), 0, fixedPs)).inPhase(phase);
  }
}
