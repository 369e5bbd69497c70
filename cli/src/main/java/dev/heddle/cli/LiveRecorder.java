package dev.heddle.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.heddle.fabric.Fabric;
import dev.heddle.observe.ActivityObserver;
import dev.heddle.observe.NetworkObserver;
import dev.heddle.observe.TimeBins;
import dev.heddle.sim.Simulation;
import dev.heddle.spi.Workload.Activity;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.workload.Operation;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Figures of a running simulation over simulated time: payload delivered, messages under way, use of links by tier, and
 * time of ranks by activity. Simulated time is divided into at most {@link #BINS} bins, whose width doubles as the run
 * goes on. A message counts as under way from its generation to its delivery, and once it is delivered.
 */
final class LiveRecorder implements NetworkObserver, ActivityObserver {
  static final int BINS = 128;

  private static final int MOST_LINKS = 16;
  private static final int CALLS_BETWEEN_LOOKS = 1024;

  private final Simulation simulation;
  private final LiveFile file;
  private final List<Activity> activities;
  private final int ranks;
  private final int[] tierOf;
  private final int[] linksOfTier;
  private final long[] linkBusyPs;
  private final TimeBins time = new TimeBins(BINS);
  private final double[] deliveredBytes = time.sums();
  private final double[] messagePs = time.sums();
  private final double[][] tierBusyPs;
  private final double[][] activityPs;
  private long messages;
  private int calls;

  LiveRecorder(Simulation simulation, LiveFile file) {
    this.simulation = simulation;
    this.file = file;
    Fabric fabric = simulation.fabric();
    WorkloadPlan plan = simulation.workload().plan(fabric);
    activities = plan.activities();
    ranks = plan.ranks().length;
    tierOf = IntStream.range(0, fabric.links()).map(fabric::linkTier).toArray();
    linksOfTier = new int[fabric.tiers().size()];
    Arrays.stream(tierOf).forEach(tier -> linksOfTier[tier]++);
    linkBusyPs = new long[fabric.links()];
    tierBusyPs = curves(linksOfTier.length);
    activityPs = curves(activities.size());
  }

  private double[][] curves(int count) {
    return IntStream.range(0, count).mapToObj(each -> time.sums()).toArray(double[][]::new);
  }

  @Override
  public void transmitted(int link, int channel, long startPs, long endPs, int payloadBytes) {
    see(endPs);
    linkBusyPs[link] += endPs - startPs;
    time.spread(tierBusyPs[tierOf[link]], startPs, endPs, 1);
  }

  @Override
  public void delivered(int source, int destination, long bytes, long generatedPs, long deliveredPs) {
    see(deliveredPs);
    messages++;
    deliveredBytes[time.bin(deliveredPs)] += bytes;
    time.spread(messagePs, generatedPs, deliveredPs, 1);
  }

  @Override
  public void spent(int rank, int stream, Operation operation, long startPs, long endPs) {
    see(endPs);
    if (stream == 0 && operation.activity() < activityPs.length) {
      time.spread(activityPs[operation.activity()], startPs, endPs, 1);
    }
  }

  private void see(long timePs) {
    time.reach(timePs);
    if (++calls % CALLS_BETWEEN_LOOKS == 0 && file.due()) {
      write();
    }
  }

  /** Replaces the file by the figures so far. */
  void write() {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    int bins = time.count();
    long binPs = time.widthPs();
    long nowPs = time.lastPs();
    root.put("kind", "simulation").put("simulatedPs", nowPs).put("binPs", binPs).put("messages", messages);
    simulation.options().measure().ifPresent(window -> root.put("endPs",
        simulation.options().warmup().ps() + window.ps()));
    scaled(root.putArray("deliveredGBps"), deliveredBytes, bins, 1e3 / binPs);
    scaled(root.putArray("messagesUnderWay"), messagePs, bins, 1.0 / binPs);
    ArrayNode tiers = root.putArray("tiers");
    for (int tier = 0; tier < linksOfTier.length; tier++) {
      ObjectNode node = tiers.addObject().put("name", simulation.fabric().tiers().get(tier).name());
      scaled(node.putArray("use"), tierBusyPs[tier], bins, 1.0 / binPs / Math.max(1, linksOfTier[tier]));
    }
    ArrayNode spent = root.putArray("activities");
    for (int activity = 0; activity < activities.size(); activity++) {
      ObjectNode node = spent.addObject().put("title", activities.get(activity).title());
      scaled(node.putArray("share"), activityPs[activity], bins, 1.0 / binPs / Math.max(1, ranks));
    }
    ArrayNode links = root.putArray("links");
    IntStream.range(0, linkBusyPs.length).filter(link -> linkBusyPs[link] > 0).boxed()
        .sorted(Comparator.comparingLong((Integer link) -> -linkBusyPs[link])).limit(MOST_LINKS)
        .forEach(link -> links.addObject().put("name", simulation.fabric().linkName(link))
            .put("use", linkBusyPs[link] / (double) nowPs));
    file.write(root);
  }

  private static void scaled(ArrayNode array, double[] values, int count, double factor) {
    for (int i = 0; i < count; i++) {
      array.add(values[i] * factor);
    }
  }
}
