package dev.heddle.collectives.nccl.search;

import dev.heddle.collectives.nccl.system.SystemDescription.Net;
import dev.heddle.collectives.nccl.system.SystemGraph;

/** The free rate of each port, MB/s. Ports with the same adapter and number share a rate. */
final class PortRates {
  // The first of the ports that share a rate with each port; it keeps their rate.
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

  private PortRates(PortRates other) {
    first = other.first;
    free = other.free.clone();
  }

  /** The same ports with rates of their own. */
  PortRates copy() {
    return new PortRates(this);
  }

  // The rate of a port; a port of unknown rate is limited by its link alone.
  private static int rate(Net net) {
    return net.megabits() == 0 ? Integer.MAX_VALUE / 2 : net.megabits() / 8;
  }

  private static boolean same(Net a, Net b) {
    return a.guid().equals(b.guid()) && a.port() == b.port() && !a.guid().isEmpty();
  }

  int free(int net) {
    return free[first[net]];
  }

  void reserve(int net, int rate) {
    free[first[net]] -= rate;
  }

  void release(int net, int rate) {
    free[first[net]] += rate;
  }

  /** Whether two ports share a rate. */
  boolean same(int a, int b) {
    return first[a] == first[b];
  }
}
