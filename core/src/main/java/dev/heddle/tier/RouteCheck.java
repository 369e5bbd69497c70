package dev.heddle.tier;

import java.util.Arrays;

/** Follows every candidate of a table of routes, depth first from each terminal to each other. */
final class RouteCheck {
  private static final int NONE = -1;
  private static final byte NEW = 0;
  private static final byte ON_PATH = 1;
  private static final byte DONE = 2;

  private final TierGraph graph;
  private final int[] table;
  private final int[][] candidates;
  private final byte[] state;
  private final int[] stack;
  private final int[] position;

  RouteCheck(TierGraph graph, int[] table, int[][] candidates) {
    this.graph = graph;
    this.table = table;
    this.candidates = candidates;
    state = new byte[graph.devices()];
    stack = new int[graph.devices() + 1];
    position = new int[graph.devices() + 1];
  }

  /**
   * Checks all routes.
   *
   * @param partial whether terminals may lack routes to each other
   * @throws IllegalStateException when a route is missing, passes a device that does not forward, or can run in a
   * circle
   */
  void check(boolean partial) {
    for (int terminal = 0; terminal < graph.terminals(); terminal++) {
      Arrays.fill(state, NEW);
      state[terminal] = DONE;
      for (int source = 0; source < graph.terminals(); source++) {
        boolean apart = partial && table[source * graph.terminals() + terminal] == NONE;
        if (state[source] == NEW && !apart) {
          follow(source, terminal);
        }
      }
    }
  }

  private void follow(int source, int terminal) {
    int depth = 0;
    push(depth, source);
    while (depth >= 0) {
      int device = stack[depth];
      int entry = table[device * graph.terminals() + terminal];
      if (entry == NONE) {
        throw new IllegalStateException("no route from " + name(device) + " to " + name(terminal));
      }
      if (position[depth] == (entry >= 0 ? 1 : candidates[-2 - entry].length)) {
        state[device] = DONE;
        depth--;
        continue;
      }
      int channel = entry >= 0 ? entry : candidates[-2 - entry][position[depth]];
      position[depth]++;
      int next = graph.linkTarget()[TierPlan.linkOf(channel)];
      if (state[next] != DONE) {
        requireWay(source, terminal, next);
        push(++depth, next);
      }
    }
  }

  private void push(int depth, int device) {
    stack[depth] = device;
    position[depth] = 0;
    state[device] = ON_PATH;
  }

  private void requireWay(int source, int terminal, int next) {
    String route = "the route from " + name(source) + " to " + name(terminal);
    if (state[next] == ON_PATH) {
      throw new IllegalStateException(route + " runs in a circle through " + name(next));
    }
    if (!graph.forwards()[next]) {
      throw new IllegalStateException(route + " passes through " + name(next) + ", which does not forward");
    }
  }

  private String name(int device) {
    return graph.names()[device];
  }
}
