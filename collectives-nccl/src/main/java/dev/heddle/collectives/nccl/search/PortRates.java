package dev.heddle.collectives.nccl.search;

import dev.heddle.collectives.nccl.system.SystemDescription.Net;
import dev.heddle.collectives.nccl.system.SystemGraph;
import java.util.stream.IntStream;

/** What is left of each port's rate, MB/s. Ports of one adapter and number share it. */
final class PortRates {
  private final SystemGraph graph;
  private final int[] free;

  PortRates(SystemGraph graph) {
    this.graph = graph;
    free = IntStream.range(0, graph.nets()).map(net -> rate(graph.net(net))).toArray();
  }

  // A port whose rate is unknown bounds nothing but by its link.
  private static int rate(Net net) {
    return net.megabits() == 0 ? Integer.MAX_VALUE / 2 : net.megabits() / 8;
  }

  int free(int net) {
    return free[net];
  }

  void take(int net, int rate) {
    give(net, -rate);
  }

  void give(int net, int rate) {
    for (int other = 0; other < free.length; other++) {
      if (same(net, other)) {
        free[other] += rate;
      }
    }
  }

  /** Whether two ports are one of an adapter. */
  boolean same(int a, int b) {
    Net one = graph.net(a);
    Net two = graph.net(b);
    return a == b || one.guid().equals(two.guid()) && one.port() == two.port() && !one.guid().isEmpty();
  }
}
