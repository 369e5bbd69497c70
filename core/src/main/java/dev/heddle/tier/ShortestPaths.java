package dev.heddle.tier;

import dev.heddle.spi.Link;
import dev.heddle.spi.Medium;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * Fills a routing table with the shortest paths in hops, lowest link first: breadth first from each destination, in
 * time proportional to destinations times links. Devices of last resort forward only where no path avoids them.
 */
final class ShortestPaths {
  private static final int NONE = -1;

  private final TierGraph graph;
  private final boolean[] lastResort;
  private final int[][] incoming;

  ShortestPaths(TierGraph graph, boolean[] lastResort) {
    this.graph = graph;
    this.lastResort = lastResort;
    incoming = graph.incoming();
  }

  /** Fills the entries that are -1; entry {@code device * terminals + terminal} is a channel. */
  void fill(int[] table) {
    for (int terminal = 0; terminal < graph.terminals(); terminal++) {
      fill(table, terminal);
    }
  }

  private void fill(int[] table, int terminal) {
    // The links between peers on the path to the terminal; -1 where no path has been found yet.
    int[] peers = new int[graph.devices()];
    Arrays.fill(peers, NONE);
    peers[terminal] = 0;
    ArrayDeque<Integer> frontier = new ArrayDeque<>();
    ArrayDeque<Integer> deferred = new ArrayDeque<>();
    frontier.add(terminal);
    while (!frontier.isEmpty()) {
      int device = frontier.remove();
      if (lastResort[device] && device != terminal) {
        deferred.add(device);
      } else {
        reach(table, terminal, device, peers, frontier);
      }
    }
    while (!deferred.isEmpty()) {
      reach(table, terminal, deferred.remove(), peers, deferred);
    }
  }

  // Adds the devices from which a link leads to one whose path has been found.
  private void reach(int[] table, int terminal, int device, int[] peers, ArrayDeque<Integer> frontier) {
    if (device != terminal && !graph.forwards()[device]) {
      return;
    }
    for (int link : incoming[device]) {
      int previous = graph.linkSource()[link];
      if (peers[previous] == NONE) {
        Link model = graph.linkModels()[link];
        boolean peer = model.medium() == Medium.PEER;
        int slot = previous * graph.terminals() + terminal;
        if (table[slot] == NONE) {
          table[slot] = TierPlan.channel(link, peer ? Math.min(peers[device], model.credits().size() - 1) : 0);
        }
        peers[previous] = peers[device] + (peer ? 1 : 0);
        frontier.add(previous);
      }
    }
  }
}
