package dev.heddle.network.flow;

import dev.heddle.collective.MessageLabel;
import dev.heddle.collective.Pipeline;
import dev.heddle.network.Meter;
import dev.heddle.tier.TierPlan;
import dev.heddle.units.SimTime;
import java.util.Arrays;

/**
 * The links of all edges of a pipeline, the share of each that a byte of the pipeline takes, and the edges' latencies.
 */
final class CoupledFlow {
  // Room for the links of an edge, before the first is routed.
  private static final int LINKS_PER_EDGE = 8;

  private final Pipeline pipeline;
  private int[] links;
  private double[] weights;
  private int hops;
  private int count;
  private double latencyPs;
  private double psPerByte;
  private double slowestPsPerByte;
  private final long[] edges = new long[2];
  private double limit;

  /** Routes every edge as one of its messages would be. */
  CoupledFlow(Pipeline pipeline, FlowSimulator carrier) {
    this.pipeline = pipeline;
    limit = pipeline.limit();
    links = new int[LINKS_PER_EDGE * Math.max(1, pipeline.edges())];
    weights = new double[links.length];
    int[] acknowledging = new int[64];
    double[] acknowledgements = new double[64];
    int acknowledged = 0;
    PathPlanner passage = carrier.passage;
    for (int edge = 0; edge < pipeline.edges(); edge++) {
      int source = pipeline.source(edge);
      int target = pipeline.target(edge);
      plan(carrier, source, target, edge);
      double edgePsPerByte = passage.occupiedPs() / (double) Math.max(1, pipeline.messageBytes());
      psPerByte += edgePsPerByte / pipeline.edges();
      slowestPsPerByte = Math.max(slowestPsPerByte, edgePsPerByte);
      latencyPs += passage.zeroLoadPs() - passage.occupiedPs();
      boolean local = carrier.plan.fabric.sameNode(source, target);
      double carried = local ? 1 : pipeline.interNodeBytesPerByte();
      edges[Meter.kind(local)]++;
      for (int i = 0; i < passage.hops(); i++) {
        add(passage.links()[i], carried * passage.weights()[i]);
      }
      for (int i = passage.hops(); i < passage.count(); i++) {
        if (acknowledged == acknowledging.length) {
          acknowledging = Arrays.copyOf(acknowledging, 2 * acknowledged);
          acknowledgements = Arrays.copyOf(acknowledgements, 2 * acknowledged);
        }
        acknowledging[acknowledged] = passage.links()[i];
        acknowledgements[acknowledged++] = passage.weights()[i];
      }
    }
    hops = count;
    for (int i = 0; i < acknowledged; i++) {
      add(acknowledging[i], acknowledgements[i]);
    }
  }

  private void plan(FlowSimulator carrier, int source, int target, int edge) {
    int service =
        pipeline.multipath() ? 0 : MessageLabel.of(0, MessageLabel.SAME_CLASS, MessageLabel.flowLabel(target));
    long id = carrier.nextId(source, MessageLabel.networkBits(service));
    int first = TierPlan.linkOf(carrier.firstChannel(source, target, id));
    int trafficClass = carrier.plan.fabric.hasMemory(source) ? pipeline.access(edge).trafficClass() : 0;
    carrier.passage.plan(first, id, target, pipeline.messageBytes(), trafficClass);
    carrier.passage.reserve();
  }

  private void add(int link, double weight) {
    if (count == links.length) {
      links = Arrays.copyOf(links, 2 * count);
      weights = Arrays.copyOf(weights, 2 * count);
    }
    links[count] = link;
    weights[count++] = weight;
  }

  /** Adds a link of the pipeline's own that holds it to its limit. */
  void hold(int link) {
    add(link, 1 / limit);
  }

  /** Takes the last link away that {@link #hold} added. */
  void release() {
    count--;
  }

  /** Lowers the limit. */
  void lower(double bytesPerPs) {
    limit = Math.min(limit, bytesPerPs);
  }

  /** Whether there is a limit besides the links. */
  boolean limited() {
    return limit < Double.POSITIVE_INFINITY;
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

  /** The bytes that all edges of a kind carry together. */
  long bytes(int kind) {
    double carried = kind == Meter.INTER ? pipeline.interNodeBytesPerByte() : 1;
    return Math.multiplyExact(edges[kind], Math.round(carried * pipeline.bytes()));
  }
}
