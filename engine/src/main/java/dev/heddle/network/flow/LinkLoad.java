package dev.heddle.network.flow;

import java.util.Arrays;
import java.util.List;

/** What a phase of a collective does to each link that it uses, all its pipelines together. */
final class LinkLoad {
  private final int[] links;
  private final double[] busyPs;
  private final double[] payloadBytes;
  private final long[] messages;
  private final int hops;

  /** Adds the ways of pipelines up; links that no device has stand for limits and are left out. */
  LinkLoad(List<CoupledFlow> ways, FlowPlan plan) {
    links = ways.stream().flatMapToInt(way -> Arrays.stream(way.links(), 0, way.count()))
        .filter(link -> link < plan.links).sorted().distinct().toArray();
    busyPs = new double[links.length];
    payloadBytes = new double[links.length];
    messages = new long[links.length];
    int count = 0;
    for (CoupledFlow way : ways) {
      double bytes = way.pipeline().bytes();
      count += bytes > 0 ? way.hops() : 0;
      for (int i = 0; i < way.count() && bytes > 0; i++) {
        int at = Arrays.binarySearch(links, way.links()[i]);
        busyPs[at] += way.weights()[i] * bytes;
        if (i < way.hops()) {
          payloadBytes[at] += bytes * plan.crossings(way.links()[i], way.weights()[i]);
          messages[at]++;
        }
      }
    }
    hops = count;
  }

  /** The number of links. */
  int links() {
    return links.length;
  }

  int link(int number) {
    return links[number];
  }

  /** For how long a link is busy, in picoseconds. */
  double busyPs(int number) {
    return busyPs[number];
  }

  /** What crosses a link. */
  double payloadBytes(int number) {
    return payloadBytes[number];
  }

  /** How many flows cross a link. */
  long messages(int number) {
    return messages[number];
  }

  /** The links of all flows, counted once per flow. */
  int hops() {
    return hops;
  }
}
