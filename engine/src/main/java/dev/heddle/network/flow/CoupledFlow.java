package dev.heddle.network.flow;

import dev.heddle.collective.MessageLabel;
import dev.heddle.collective.Pipeline;
import dev.heddle.collective.RankSteps;
import dev.heddle.internal.collect.LongLongMap;
import dev.heddle.network.MessageNumbers;
import dev.heddle.network.Meter;
import dev.heddle.tier.TierPlan;
import dev.heddle.units.SimTime;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The links of all edges of a pipeline, the share of each that a byte of the pipeline takes, and the edges' latencies.
 */
final class CoupledFlow {
  private static final int NONE = -1;

  // Room for the links of an edge, before the first is routed.
  private static final int LINKS_PER_EDGE = 8;

  private final Pipeline pipeline;
  private final int trafficClass;
  private int[] links;
  private double[] weights;
  private int hops;
  private int count;
  // Crossings for which those of each link stand; null where all stand for themselves.
  private double @Nullable [] crossings;
  private long crossedLinks;
  private int copies = 1;
  private double latencyPs;
  private double psPerByte;
  private double slowestPsPerByte;
  private final long[] edges = new long[2];
  private double limit;

  /** Links whose credits may limit it. */
  final CreditedLinks credited = new CreditedLinks();

  /**
   * Routes every edge as one of its messages would be.
   *
   * @param trafficClass between nodes
   * @param joins whether edges between the same two terminals that follow one another take the same path, so that one
   *     is routed for all
   */
  CoupledFlow(Pipeline pipeline, FlowSimulator carrier, int trafficClass, boolean joins) {
    this.pipeline = pipeline;
    this.trafficClass = trafficClass;
    limit = pipeline.limit();
    int room = joins ? LINKS_PER_EDGE : LINKS_PER_EDGE * Math.max(1, pipeline.edges());
    links = new int[room];
    weights = new double[room];
    crossings = joins ? new double[room] : null;
    int[] acknowledging = new int[64];
    double[] acknowledgements = new double[64];
    int[] acknowledgedTimes = new int[64];
    int acknowledged = 0;
    PathPlanner passage = carrier.passage;
    int run;
    for (int edge = 0; edge < pipeline.edges(); edge += run) {
      run = joins ? run(edge) : 1;
      int source = pipeline.source(edge);
      int target = pipeline.target(edge);
      plan(carrier, source, target, edge);
      double edgePsPerByte = passage.occupiedPs() / (double) Math.max(1, pipeline.messageBytes());
      psPerByte += run * (edgePsPerByte / pipeline.edges());
      slowestPsPerByte = Math.max(slowestPsPerByte, edgePsPerByte);
      latencyPs += run * (double) (passage.zeroLoadPs() - passage.occupiedPs());
      boolean local = carrier.plan.fabric.sameNode(source, target);
      double carried = local ? 1 : pipeline.interNodeBytesPerByte();
      edges[Meter.kind(local)] += run;
      for (int i = 0; i < passage.hops(); i++) {
        add(passage.links()[i], carried * passage.weights()[i], run);
      }
      credited.add(passage.credited, carried, run);
      crossedLinks += (long) run * passage.hops();
      for (int i = passage.hops(); i < passage.count(); i++) {
        if (acknowledged == acknowledging.length) {
          acknowledging = Arrays.copyOf(acknowledging, 2 * acknowledged);
          acknowledgements = Arrays.copyOf(acknowledgements, 2 * acknowledged);
          acknowledgedTimes = Arrays.copyOf(acknowledgedTimes, 2 * acknowledged);
        }
        acknowledging[acknowledged] = passage.links()[i];
        acknowledgedTimes[acknowledged] = run;
        acknowledgements[acknowledged++] = passage.weights()[i];
      }
    }
    hops = count;
    for (int i = 0; i < acknowledged; i++) {
      add(acknowledging[i], acknowledgements[i], acknowledgedTimes[i]);
    }
  }

  // The number of edges from one on that are equal to it.
  private int run(int edge) {
    int end = edge + 1;
    while (end < pipeline.edges() && pipeline.source(end) == pipeline.source(edge)
        && pipeline.target(end) == pipeline.target(edge) && pipeline.rail(end) == pipeline.rail(edge)
        && pipeline.access(end).equals(pipeline.access(edge))) {
      end++;
    }
    return end - edge;
  }

  private void plan(FlowSimulator carrier, int source, int target, int edge) {
    long id = carrier.nextId(source, 0);
    int rail = pipeline.rail(edge);
    int route = rail != RankSteps.NONE
        ? MessageLabel.onRail(rail, pipeline.multipath() ? MessageNumbers.sequence(id) : target)
        : pipeline.multipath() ? 0 : MessageLabel.flowLabel(target);
    if (route != 0) {
      int label = MessageLabel.networkBits(MessageLabel.of(0, MessageLabel.SAME_CLASS, route));
      id = MessageNumbers.of(source, label, MessageNumbers.sequence(id));
    }
    int first = TierPlan.linkOf(carrier.passage.first(source, target, id));
    int trafficClass = carrier.plan.fabric.hasMemory(source) ? pipeline.access(edge).trafficClass() : 0;
    carrier.passage.plan(first, id, target, pipeline.messageBytes(), trafficClass);
    carrier.passage.reserve();
  }

  /** Replaces links by their representatives, each of which it then crosses once, for all equal flows of a class. */
  void fold(Folding folding, FlowPlan plan, int groups) {
    int[] ownLinks = links;
    double[] ownWeights = weights;
    double[] ownCrossings = Objects.requireNonNull(crossings, "its edges were not joined");
    int ownCount = count;
    int ownHops = hops;
    links = new int[LINKS_PER_EDGE];
    weights = new double[LINKS_PER_EDGE];
    crossings = new double[LINKS_PER_EDGE];
    count = 0;
    LongLongMap places = new LongLongMap(NONE);
    for (int i = 0; i < ownCount; i++) {
      if (i == ownHops) {
        hops = count;
        places = new LongLongMap(NONE);
      }
      int link = folding.link(ownLinks[i]);
      double crossed = folding.crossings(groups, link);
      int place = (int) places.get(link);
      if (place == NONE) {
        place = count;
        places.put(link, place);
        add(link, 0, 0);
      }
      weights[place] += ownWeights[i] * crossed;
      crossings[place] += ownCrossings[i] * crossed;
    }
    hops = ownCount == ownHops ? count : hops;
    credited.fold(folding, plan, groups);
    crossedLinks = Math.multiplyExact(crossedLinks, (long) groups);
    copies = groups;
  }

  // Of a number of edges, which all cross the link alike.
  private void add(int link, double weight, int times) {
    if (count == links.length) {
      links = Arrays.copyOf(links, 2 * count);
      weights = Arrays.copyOf(weights, 2 * count);
      crossings = crossings == null ? null : Arrays.copyOf(crossings, 2 * count);
    }
    if (crossings != null) {
      crossings[count] = times;
    }
    links[count] = link;
    weights[count++] = times == 1 ? weight : times * weight;
  }

  /** Adds a link of the pipeline's own that holds it to its limit. */
  void hold(int link) {
    add(link, 1 / limit, 1);
  }

  /** Adds a link that stands for credits. */
  void enter(int link, double weight) {
    add(link, weight, 1);
  }

  /** Takes away all but the first links: those that {@link #hold} and {@link #enter} added. */
  void release(int kept) {
    count = kept;
  }

  /** Lowers the limit. */
  void lower(double bytesPerPs) {
    limit = Math.min(limit, bytesPerPs);
  }

  /** Whether there is a limit besides the links. */
  boolean limited() {
    return limit < Double.POSITIVE_INFINITY;
  }

  /** The traffic class of its messages between nodes. */
  int trafficClass() {
    return trafficClass;
  }

  Pipeline pipeline() {
    return pipeline;
  }

  /** The links that carry payload, then those that carry acknowledgements, then one that stands for a limit. */
  int[] links() {
    return links;
  }

  double[] weights() {
    return weights;
  }

  int hops() {
    return hops;
  }

  /** The links of the edges of all flows that it stands for, each as often as it is crossed. */
  long crossedLinks() {
    return crossedLinks;
  }

  /** The crossings for which that of a link stands. */
  double crossings(int number) {
    return crossings == null ? 1 : crossings[number];
  }

  /** Those crossings; null where each stands for itself. */
  double @Nullable [] crossings() {
    return crossings;
  }

  int count() {
    return count;
  }

  /** Time to fill the pipeline on idle links, in picoseconds. */
  long fillPs() {
    Pipeline.Fill fill = pipeline.fill();
    double mean = Math.max(fillPsPerByte(), 1 / pipeline.limit());
    return Math.addExact(fill.fixedPs(), SimTime.roundPs(fill.hops() * latencyPs + fill.bytes() * mean));
  }

  // The mean time of a byte on an edge. The pipeline's own bytes occupy the slowest edge from the first to the last.
  private double fillPsPerByte() {
    int edges = pipeline.edges();
    return pipeline.bytes() > 0 && edges > 1 ? (edges * psPerByte - slowestPsPerByte) / (edges - 1) : psPerByte;
  }

  /** The bytes that all edges of a kind carry together, those of all flows that it stands for. */
  long bytes(int kind) {
    double carried = kind == Meter.INTER ? pipeline.interNodeBytesPerByte() : 1;
    return Math.multiplyExact(copies * edges[kind], Math.round(carried * pipeline.bytes()));
  }
}
