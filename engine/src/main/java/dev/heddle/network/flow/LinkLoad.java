package dev.heddle.network.flow;

import dev.heddle.network.LinkCounters;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** The load of the links that a collective, or a phase of one, uses: busy time, payload and messages of each. */
public final class LinkLoad {
  private final int[] links;
  private final double[] busyPs;
  private final double[] payloadBytes;
  private final double[] messages;
  private final long hops;

  private LinkLoad(int[] links, long hops) {
    this.links = links;
    this.hops = hops;
    busyPs = new double[links.length];
    payloadBytes = new double[links.length];
    messages = new double[links.length];
  }

  /**
   * The sum of the flows of pipelines, before links that stand for limits are added.
   *
   * @param places by link, all 0 before and after: room for the place of a link among those that the flows use
   */
  static LinkLoad of(List<CoupledFlow> flows, FlowPlan plan, int[] places) {
    LinkLoad load = new LinkLoad(
        links(flows, places),
        flows.stream().filter(flow -> flow.pipeline().bytes() > 0).mapToLong(CoupledFlow::crossedLinks).sum());
    for (int at = 0; at < load.links.length; at++) {
      places[load.links[at]] = at;
    }
    for (CoupledFlow flow : flows) {
      load.add(flow, plan, places);
    }
    for (int link : load.links) {
      places[link] = 0;
    }
    return load;
  }

  private void add(CoupledFlow flow, FlowPlan plan, int[] places) {
    double bytes = flow.pipeline().bytes();
    for (int i = 0; i < flow.count() && bytes > 0; i++) {
      int at = places[flow.links()[i]];
      busyPs[at] += flow.weights()[i] * bytes;
      if (i < flow.hops()) {
        double crossings = flow.crossings(i);
        payloadBytes[at] += bytes * crossings * plan.crossings(flow.links()[i], flow.weights()[i] / crossings);
        messages[at] += crossings;
      }
    }
  }

  // The links of devices, ascending; each once.
  private static int[] links(List<CoupledFlow> flows, int[] seen) {
    int[] links = new int[64];
    int count = 0;
    for (CoupledFlow flow : flows) {
      for (int i = 0; i < flow.count(); i++) {
        int link = flow.links()[i];
        if (seen[link] == 0) {
          seen[link] = 1;
          links = count == links.length ? Arrays.copyOf(links, 2 * count) : links;
          links[count++] = link;
        }
      }
    }
    Arrays.sort(links, 0, count);
    return Arrays.copyOf(links, count);
  }

  /** The traffic of a whole run. */
  static LinkLoad of(LinkCounters counters, int linkCount, long hops) {
    LinkLoad load = new LinkLoad(
        IntStream.range(0, linkCount)
            .filter(link -> counters.units(link) > 0 || counters.busyPs(link) > 0).toArray(),
        hops);
    for (int i = 0; i < load.links.length; i++) {
      load.busyPs[i] = counters.busyPs(load.links[i]);
      load.payloadBytes[i] = counters.payloadBytes(load.links[i]);
      load.messages[i] = counters.units(load.links[i]);
    }
    return load;
  }

  /** The number of links. */
  public int links() {
    return links.length;
  }

  /** A link. */
  public int link(int number) {
    return links[number];
  }

  /** Busy time of a link, in picoseconds. */
  public double busyPs(int number) {
    return busyPs[number];
  }

  /** Payload that crosses a link. */
  public double payloadBytes(int number) {
    return payloadBytes[number];
  }

  /** Messages or flows that cross a link. */
  public long messages(int number) {
    return Math.round(messages[number]);
  }

  /** The links of all flows, counted once per flow. */
  public long hops() {
    return hops;
  }
}
