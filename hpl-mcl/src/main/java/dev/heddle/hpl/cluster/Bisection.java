package dev.heddle.hpl.cluster;

import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Link;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * The bisection bandwidth from the NICs of the first half of a cluster's nodes to those of the rest: the maximum flow
 * over the links outside the nodes, with their payload rates. Dinic's algorithm, on a graph of a node per device.
 */
final class Bisection {
  private static final double LEAST = 1;

  private final Cluster cluster;
  private final int half;
  private final int source;
  private final int sink;
  private final int[] first;
  private int edges;
  private int[] next = new int[64];
  private int[] target = new int[64];
  private double[] left = new double[64];
  private int[] level = new int[0];
  private int[] cursor = new int[0];
  private double injected;
  private double ejected;

  private Bisection(Cluster cluster) {
    this.cluster = cluster;
    half = cluster.nodes() / 2;
    source = cluster.devices();
    sink = source + 1;
    first = new int[sink + 1];
    Arrays.fill(first, -1);
  }

  /** Lays out a cluster of at least two nodes. */
  static Bisection of(Cluster cluster) {
    Bisection bisection = new Bisection(cluster);
    for (int link = 0; link < cluster.links(); link++) {
      int from = cluster.linkSource(link);
      int to = cluster.linkTarget(link);
      if (cluster.node(from) < 0 || cluster.node(to) < 0 || cluster.node(from) != cluster.node(to)) {
        bisection.add(from, to, payloadRate(cluster.linkModel(link)));
      }
    }
    for (int nic : cluster.terminals(DeviceKind.NIC)) {
      bisection.end(nic);
    }
    return bisection;
  }

  /** The rate at which a link carries payload in packets of the largest size, bytes per second. */
  static double payloadRate(Link link) {
    return 1e12 * link.maxPayloadBytes() / link.wirePs(link.maxPayloadBytes(), 0);
  }

  private void end(int nic) {
    double rate = payloadRate(cluster.networkLink(nic));
    if (cluster.node(nic) < half) {
      injected += rate;
      add(source, nic, rate);
    } else {
      ejected += rate;
      add(nic, sink, rate);
    }
  }

  /** The bandwidth of the halves' NICs divided by the bisection bandwidth: at least 1. */
  double blocking() {
    double flow = 0;
    while (reachable()) {
      cursor = first.clone();
      for (double pushed = push(source, Double.POSITIVE_INFINITY); pushed > 0; pushed =
          push(source, Double.POSITIVE_INFINITY)) {
        flow += pushed;
      }
    }
    return Math.max(1, Math.min(injected, ejected) / flow);
  }

  private void add(int from, int to, double capacity) {
    edge(from, to, capacity);
    edge(to, from, 0);
  }

  private void edge(int from, int to, double capacity) {
    if (edges == next.length) {
      next = Arrays.copyOf(next, 2 * edges);
      target = Arrays.copyOf(target, 2 * edges);
      left = Arrays.copyOf(left, 2 * edges);
    }
    target[edges] = to;
    left[edges] = capacity;
    next[edges] = first[from];
    first[from] = edges++;
  }

  private boolean reachable() {
    level = new int[first.length];
    level[source] = 1;
    ArrayDeque<Integer> open = new ArrayDeque<>();
    open.add(source);
    while (!open.isEmpty()) {
      int at = open.remove();
      for (int edge = first[at]; edge >= 0; edge = next[edge]) {
        if (left[edge] > LEAST && level[target[edge]] == 0) {
          level[target[edge]] = level[at] + 1;
          open.add(target[edge]);
        }
      }
    }
    return level[sink] > 0;
  }

  private double push(int at, double most) {
    if (at == sink) {
      return most;
    }
    for (; cursor[at] >= 0; cursor[at] = next[cursor[at]]) {
      int edge = cursor[at];
      if (left[edge] > LEAST && level[target[edge]] == level[at] + 1) {
        double pushed = push(target[edge], Math.min(most, left[edge]));
        if (pushed > 0) {
          left[edge] -= pushed;
          left[edge ^ 1] += pushed;
          return pushed;
        }
      }
    }
    return 0;
  }
}
