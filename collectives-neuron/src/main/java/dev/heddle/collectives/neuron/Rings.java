package dev.heddle.collectives.neuron;

import com.google.common.primitives.ImmutableIntArray;
import dev.heddle.collective.MemoryAccess;
import java.util.ArrayList;
import java.util.List;

/**
 * The rings of one phase, as edges that carry data all the time.
 *
 * @param channels edges between ranks, those of one channel together
 * @param rounds consecutive rounds of a channel
 * @param parts messages of a round, each of which is forwarded as soon as it is complete
 * @param exchanges additional consecutive messages before or after them: a pair's own
 * @param reduces whether chunks are added up
 */
record Rings(List<Channel> channels, int rounds, int parts, int exchanges, boolean reduces) {
  /**
   * One channel.
   *
   * @param edges along the cycle
   * @param share of all data that each of them carries
   * @param extraEdges additional concurrent edges: duplicates and operands, of a pair's own chunks too
   * @param extraShare of all data that each of these carries
   */
  record Channel(List<Edge> edges, double share, List<Edge> extraEdges, double extraShare) {}

  /**
   * A pair of ranks of which one sends to the other.
   *
   * @param from rank
   * @param to rank
   * @param access memory access of the messages
   */
  record Edge(int from, int to, MemoryAccess access) {}

  /** The orders of ranks of the Ring algorithm: all of a chip consecutively, one channel per slice of each cycle. */
  static List<ImmutableIntArray> orders(Placement placement, int slices) {
    List<ImmutableIntArray> orders = new ArrayList<>();
    for (ImmutableIntArray cycle : placement.cycles()) {
      ImmutableIntArray.Builder order = ImmutableIntArray.builder();
      for (int chip : cycle.asList()) {
        for (int index = 0; index < placement.ranks(chip); index++) {
          order.add(placement.rank(chip, index));
        }
      }
      for (int slice = 0; slice < slices; slice++) {
        orders.add(order.build());
      }
    }
    return orders;
  }

  /** The edges of Ring while chunks are reduced, or gathered. */
  static Rings of(List<ImmutableIntArray> orders, boolean reduced) {
    List<Channel> channels = new ArrayList<>();
    int n = orders.get(0).length();
    for (ImmutableIntArray order : orders) {
      List<Edge> edges = new ArrayList<>();
      for (int position = 0; position < n; position++) {
        int next = order.get((position + 1) % n);
        edges.add(new Edge(order.get(position), next, reduced ? MemoryAccess.SUM : MemoryAccess.COPY));
      }
      channels.add(new Channel(edges, (n - 1.0) / n / orders.size(), List.of(), 0));
    }
    return new Rings(channels, n - 1, 1, 0, reduced);
  }

  /** The edges of KangaRing while chunks are reduced, or gathered. */
  static Rings of(KangaRing cycles, boolean reduced) {
    List<Channel> channels = new ArrayList<>();
    int pairs = cycles.pairs();
    for (int channel = 0; channel < cycles.channels(); channel++) {
      List<Edge> edges = new ArrayList<>();
      List<Edge> beside = new ArrayList<>();
      for (int position = 0; position < pairs; position++) {
        int primary = cycles.primary(channel, position);
        int secondary = cycles.secondary(channel, position);
        int next = cycles.primary(channel, position + 1);
        edges.add(new Edge(primary, next, reduced ? MemoryAccess.SUM : MemoryAccess.COPY));
        beside.add(reduced
            ? new Edge(secondary, primary, MemoryAccess.OPERAND)
            : new Edge(primary, secondary, MemoryAccess.DUPLICATE));
      }
      channels.add(new Channel(edges, (pairs - 1.0) / pairs / cycles.channels(), beside, 1.0 / cycles.channels()));
    }
    return new Rings(channels, pairs - 1, 2, 1, reduced);
  }
}
