package dev.heddle.tier;

import java.util.Arrays;

/** Follows every candidate of a route function, depth first, from all terminals to some that are spread evenly. */
final class RouteFunctionCheck {
  private static final int MOST_TERMINALS = 64;
  private static final byte NEW = 0;
  private static final byte ON_PATH = 1;
  private static final byte DONE = 2;

  private final TierGraph graph;
  private final RouteFunction routes;
  private final byte[] state;
  private final int[] candidates;

  RouteFunctionCheck(TierGraph graph, RouteFunction routes) {
    this.graph = graph;
    this.routes = routes;
    state = new byte[graph.links() * TierPlan.MAX_VIRTUAL_CHANNELS];
    candidates = new int[routes.most()];
  }

  /**
   * Checks the routes.
   *
   * @throws IllegalStateException when a route leaves another device, takes a virtual channel that does not exist,
   * passes a device that does not forward, or can run in a circle
   */
  void check() {
    int checked = Math.min(graph.terminals(), MOST_TERMINALS);
    for (int i = 0; i < checked; i++) {
      int terminal = (int) ((long) i * graph.terminals() / checked);
      Arrays.fill(state, NEW);
      for (int source = 0; source < graph.terminals(); source++) {
        if (source != terminal) {
          follow(source, RouteFunction.NONE, terminal);
        }
      }
    }
  }

  private void follow(int device, int arrivedBy, int terminal) {
    int count = routes.candidates(device, arrivedBy, terminal, candidates);
    if (count < 1 || routes.shortest(device, arrivedBy, terminal) > count) {
      throw new IllegalStateException(
          "no route from " + graph.names()[device] + " to " + graph.names()[terminal]);
    }
    for (int channel : Arrays.copyOf(candidates, count)) {
      requireOwn(device, channel);
      if (state[channel] == ON_PATH) {
        throw new IllegalStateException("the route to " + graph.names()[terminal] + " runs in a circle through "
            + graph.names()[device]);
      }
      int next = graph.linkTarget()[TierPlan.linkOf(channel)];
      if (state[channel] == NEW && next != terminal) {
        if (!graph.forwards()[next]) {
          throw new IllegalStateException("the route to " + graph.names()[terminal] + " passes through "
              + graph.names()[next] + ", which does not forward");
        }
        state[channel] = ON_PATH;
        follow(next, channel, terminal);
      }
      state[channel] = DONE;
    }
  }

  private void requireOwn(int device, int channel) {
    int link = TierPlan.linkOf(channel);
    if (graph.linkSource()[link] != device
        || TierPlan.virtualChannelOf(channel) >= graph.linkModels()[link].credits().size()) {
      throw new IllegalStateException("a route of " + graph.names()[device] + " takes virtual channel "
          + TierPlan.virtualChannelOf(channel) + " of the link from " + graph.names()[graph.linkSource()[link]] + " to "
          + graph.names()[graph.linkTarget()[link]] + ", which has " + graph.linkModels()[link].credits().size());
    }
  }
}
