package dev.heddle.training;

import dev.heddle.fabric.Fabric;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The links of a fabric by their place in a node, which is the same in all equal nodes: those within it, those by which
 * its devices send to others and receive from them, and one for all links between switches of the network.
 */
final class NodeLinks {
  /** The place of links between devices outside of nodes. */
  static final int NETWORK = 0;

  private static final int NONE = -1;

  private final int[] places;
  private final int count;

  NodeLinks(Fabric fabric) {
    int[] within = new int[fabric.devices()];
    int[] devices = new int[fabric.nodes()];
    for (int device = 0; device < within.length; device++) {
      int node = fabric.node(device);
      within[device] = node < 0 ? NONE : devices[node]++;
    }
    places = new int[fabric.links()];
    Map<Long, Integer> numbers = new LinkedHashMap<>();
    for (int link = 0; link < places.length; link++) {
      int source = fabric.linkSource(link);
      int target = fabric.linkTarget(link);
      boolean same = fabric.node(source) == fabric.node(target);
      int from = within[source];
      int to = same ? within[target] : NONE;
      if (from == NONE && within[target] == NONE) {
        places[link] = NETWORK;
      } else {
        places[link] = number(numbers, from, from == NONE ? within[target] : to);
      }
    }
    count = 1 + numbers.size();
  }

  private static int number(Map<Long, Integer> numbers, int from, int to) {
    return numbers.computeIfAbsent((long) from << Integer.SIZE | to & 0xFFFFFFFFL, ends -> 1 + numbers.size());
  }

  /** The place of a link, below {@link #count()}. */
  int place(int link) {
    return places[link];
  }

  /** The number of places. */
  int count() {
    return count;
  }
}
