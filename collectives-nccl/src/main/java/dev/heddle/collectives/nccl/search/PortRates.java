package dev.heddle.collectives.nccl.search;

import dev.heddle.collectives.nccl.system.SystemDescription.Net;
import dev.heddle.collectives.nccl.system.SystemGraph;

/** What is left of each port's rate, MB/s. Ports of one adapter and number share it. */
final class PortRates {
  // By port: the first of those that are one with it, which keeps their rate.
  private final int[] first;
  private final int[] free;

  PortRates(SystemGraph graph) {
    first = new int[graph.nets()];
    free = new int[first.length];
    for (int net = 0; net < first.length; net++) {
      while (!same(graph.net(first[net]), graph.net(net)) && first[net] < net) {
        first[net]++;
      }
      free[net] = rate(graph.net(net));
    }
  }

  // A port whose rate is unknown bounds nothing but by its link.
  private static int rate(Net net) {
    return net.megabits() == 0 ? Integer.MAX_VALUE / 2 : net.megabits() / 8;
  }

  private static boolean same(Net a, Net b) {
    return a.guid().equals(b.guid()) && a.port() == b.port() && !a.guid().isEmpty();
  }

  int free(int net) {
    return free[first[net]];
  }

  void take(int net, int rate) {
    free[first[net]] -= rate;
  }

  void give(int net, int rate) {
    free[first[net]] += rate;
  }

  /** Whether two ports are one of an adapter. */
  boolean same(int a, int b) {
    return first[a] == first[b];
  }
}
