package dev.heddle.collectives.neuron;

import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.collective.Layout;
import dev.heddle.collective.MemoryAccess;
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
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Neuron's collectives: a given algorithm, or the one with the least predicted time.
 *
 * @param settings of the algorithms
 */
record NeuronCollectives(NeuronAlgorithmProvider.Settings settings) implements CollectiveAlgorithm {
  // Data is written to its final position, so a connection never waits for buffer space.
  private static final int WINDOW = 1 << 12;

  @Override
  public Communicator communicator(Cluster cluster, Group group) {
    Placement placement = Placement.of(cluster, group);
    return collective -> plan(collective, placement);
  }

  private CollectivePlan plan(Collective collective, Placement placement) {
    Algorithm algorithm = choose(collective, placement);
    CollectivePlan plan = CollectivePlan.of(schedule(algorithm, collective, placement));
    return algorithm.isPipelined() && placement.ranks() > 1
        ? plan.withPipelines(() -> pipelines(algorithm, collective, placement)) : plan;
  }

  private Schedule schedule(Algorithm algorithm, Collective collective, Placement placement) {
    long lagPs = new Prediction(collective, placement, settings).lagPs();
    TransportModel protocol =
        new TransportModel("", 1, 1, Long.MAX_VALUE, 0,
            new TransportModel.Costs(0, settings.start().ps(), 0, 0, lagPs));
    Planned planned = placement.ranks() == 1 ? alone(collective) : planned(algorithm, collective, placement);
    return Schedule.planned(algorithm.key(), planned.layout(), planned.steps()::of).withProtocol(protocol)
        .withWindow(WINDOW);
  }

  private interface Steps {
    RankSteps of(int rank);
  }

  private record Planned(Layout layout, Steps steps) {}

  private static Planned alone(Collective collective) {
    Layout layout = Layout.of(collective, 1).sharingInputAndOutput();
    return new Planned(layout, rank -> new RankStepsBuilder(layout, rank).build());
  }

  private Planned planned(Algorithm algorithm, Collective collective, Placement placement) {
    Phases phases = Phases.of(collective.op());
    switch (algorithm) {
      case RING :
        List<ImmutableIntArray> orders = Rings.orders(placement, slices(phases));
        Chunks ring = Chunks.of(collective, orders.size(), 0);
        return new Planned(ring.layout(), rank -> new RingSteps(ring, rank).over(orders, phases));
      case KANGARING :
        KangaRing cycles = KangaRing.of(placement);
        Chunks pairs = Chunks.of(collective, cycles.channels(), phases.reduces() ? 2 : 0);
        return new Planned(pairs.layout(), rank -> new KangaRingSteps(pairs, cycles, phases, rank).steps());
      case RDH :
        Rdh rdh = rdh(placement);
        Chunks doubled = Chunks.of(collective, 1, phases.reduces() ? rdh.mirrors() : 0);
        return new Planned(
            doubled.layout(),
            rank -> new RdhSteps(rdh, doubled, StageSteps.whole(doubled.layout(), rank), rank).steps(phases));
      case HIERARCHICAL :
        List<Rdh> within = IntStream.range(0, placement.nodes()).mapToObj(node -> rdh(placement.ofNode(node))).toList();
        Instances instances = new Instances(placement, collective, phases.reduces() ? within.get(0).mirrors() : 0);
        return new Planned(
            instances.chunks().layout(),
            rank -> new HierarchicalSteps(instances, within.get(instances.node(rank)), rank).steps(phases));
      case SINGLE_STEP_MESH :
        long[] copies = new long[placement.ranks() - 1];
        Arrays.fill(copies, collective.bytes());
        Layout whole = Layout.of(collective, 1).sharingInputAndOutput().withScratch(copies);
        return new Planned(whole, rank -> MeshSteps.single(placement.ranks(), whole, rank));
      default :
        if (collective.op() == CollectiveOp.ALL_TO_ALL) {
          Layout blocks = Layout.of(collective, 1);
          return new Planned(blocks, rank -> MeshSteps.allToAll(placement.ranks(), blocks, rank));
        }
        Chunks mesh = phases.reduces() ? Chunks.withPartials(collective) : Chunks.of(collective, 1, 0);
        return new Planned(mesh.layout(), rank -> new MeshSteps(placement, mesh, rank).steps(phases));
    }
  }

  private Rdh rdh(Placement placement) {
    ChipGrid grid = placement.grid().orElse(new ChipGrid(ImmutableIntArray.of(1), false));
    ChipCube cube =
        new ChipCube(grid, placement.ranksPerChip(), settings.axes() == NeuronAlgorithmProvider.Axes.ROTATED);
    return new Rdh(placement, cube, settings.stages() == NeuronAlgorithmProvider.Stages.AS_ARRIVED);
  }

  // Chunks that are only forwarded are not sliced, since no reduction overlaps the transfer.
  private int slices(Phases phases) {
    return phases.reduces() ? settings.slices() : 1;
  }

  private Algorithm choose(Collective collective, Placement placement) {
    CollectiveOp op = collective.op();
    if (settings.algorithm().isPresent()) {
      Algorithm asked = settings.algorithm().get();
      asked.refusal(op, placement).ifPresent(why -> {
        throw new InvalidSettingException("algorithm", why);
      });
      return asked;
    }
    Optional<Algorithm> best = Optional.empty();
    double least = Double.POSITIVE_INFINITY;
    // Pipelined algorithms are predicted first, since their prediction is cheap and bounds that of the others.
    for (Algorithm algorithm : Arrays.stream(Algorithm.values()).sorted(Comparator.comparing(of -> !of.isPipelined()))
        .toList()) {
      if (algorithm.isOffered(placement) && algorithm.refusal(op, placement).isEmpty()) {
        double time = new Prediction(collective, placement, settings).timePs(algorithm, this, least);
        if (time < least) {
          least = time;
          best = Optional.of(algorithm);
        }
      }
    }
    return best.orElseThrow(() -> new InvalidSettingException(
        "", "neuron does not do " + op.key() + "; it does all_gather, reduce_scatter, all_reduce, all_to_all"));
  }

  /** The rings of a pipelined algorithm, one phase after the other. */
  List<Rings> rings(Algorithm algorithm, Placement placement, Phases phases) {
    List<Rings> rings = new ArrayList<>();
    for (boolean reduced : new boolean[] {true, false}) {
      if (reduced ? phases.reduces() : phases.gathers()) {
        rings.add(algorithm == Algorithm.RING
            ? Rings.of(Rings.orders(placement, slices(phases)), reduced)
            : Rings.of(KangaRing.of(placement), reduced));
      }
    }
    return rings;
  }

  /** The schedule of an algorithm that does not circle, to be counted. */
  Schedule counted(Algorithm algorithm, Collective collective, Placement placement) {
    return schedule(algorithm, collective, placement);
  }

  private List<Pipeline> pipelines(Algorithm algorithm, Collective collective, Placement placement) {
    List<Pipeline> pipelines = new ArrayList<>();
    List<Rings> phases = rings(algorithm, placement, Phases.of(collective.op()));
    for (int phase = 0; phase < phases.size(); phase++) {
      addPipelines(pipelines, phase, phases.get(phase), collective, placement);
    }
    return pipelines;
  }

  private void addPipelines(
      List<Pipeline> pipelines, int phase, Rings rings, Collective collective, Placement placement) {
    Prediction prediction = new Prediction(collective, placement, settings);
    Prediction.Exposure exposure = prediction.exposure(rings, phase == 0);
    for (Rings.Channel channel : rings.channels()) {
      long bytes = Math.round(collective.bytes() * channel.share());
      long message = Math.max(1, bytes / rings.rounds());
      int edges = channel.edges().size();
      Pipeline.Fill fill = new Pipeline.Fill(
          exposure.hops() / edges, 0,
          Math.round(exposure.starts() * settings.start().ps() + exposure.rounds() * prediction.lagOfRoundPs(channel)));
      pipelines.add(pipeline(placement, channel.edges(), bytes, message, fill)
          .inPhase(phase));
      if (!channel.extraEdges().isEmpty()) {
        long beside = Math.round(collective.bytes() * channel.extraShare());
        pipelines.add(pipeline(placement, channel.extraEdges(), beside, message, new Pipeline.Fill(0, 0, 0))
            .inPhase(phase));
      }
    }
  }

  private static Pipeline pipeline(
      Placement placement, List<Rings.Edge> edges, long bytes, long message, Pipeline.Fill fill) {
    ImmutableIntArray.Builder sources = ImmutableIntArray.builder();
    ImmutableIntArray.Builder targets = ImmutableIntArray.builder();
    List<MemoryAccess> accesses = new ArrayList<>();
    for (Rings.Edge edge : edges) {
      sources.add(placement.terminal(edge.from()));
      targets.add(placement.terminal(edge.to()));
      accesses.add(edge.access());
    }
    return Pipeline.of(sources.build(), targets.build(), bytes, message, fill).accessing(accesses);
  }
}
