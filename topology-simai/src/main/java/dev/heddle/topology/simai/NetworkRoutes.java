package dev.heddle.topology.simai;

import dev.heddle.tier.RouteFunction;
import dev.heddle.tier.TierPlan;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * All shortest paths between terminals, as SimAI's ns-3 finds them: where two terminals share an NVSwitch they take it,
 * else the network's switches. Terminals and NVSwitches forward no transit traffic. Distances are stored between
 * switches of the network only.
 */
final class NetworkRoutes implements RouteFunction {
  private static final int FAR = Integer.MAX_VALUE / 2;

  private final int terminals;
  private final int firstSwitch;

  // Per device: the links that begin there, in order, and where they end.
  private final int[][] links;
  private final int[][] neighbours;

  // Between switches of the network, in hops.
  private final int[][] distance;
  private final int most;

  /**
   * Finds the distances.
   *
   * @param terminals number of terminals, the first devices
   * @param firstSwitch of the network; devices between are NVSwitches
   * @param links that begin at each device
   * @param neighbours the device at which each of them ends
   */
  NetworkRoutes(int terminals, int firstSwitch, int[][] links, int[][] neighbours) {
    this.terminals = terminals;
    this.firstSwitch = firstSwitch;
    this.links = links;
    this.neighbours = neighbours;
    distance = new int[links.length - firstSwitch][];
    for (int i = 0; i < distance.length; i++) {
      distance[i] = distances(firstSwitch + i);
    }
    most = Math.max(1, Arrays.stream(links).mapToInt(row -> row.length).max().orElse(1));
  }

  private int[] distances(int from) {
    int[] hops = new int[links.length - firstSwitch];
    Arrays.fill(hops, FAR);
    hops[from - firstSwitch] = 0;
    ArrayDeque<Integer> frontier = new ArrayDeque<>();
    frontier.add(from);
    while (!frontier.isEmpty()) {
      int at = frontier.remove();
      for (int next : neighbours[at]) {
        if (next >= firstSwitch && hops[next - firstSwitch] == FAR) {
          hops[next - firstSwitch] = hops[at - firstSwitch] + 1;
          frontier.add(next);
        }
      }
    }
    return hops;
  }

  // Hops from a switch of the network to a terminal.
  private int hops(int device, int terminal) {
    int least = FAR;
    int[] row = distance[device - firstSwitch];
    for (int next : neighbours[terminal]) {
      if (next >= firstSwitch) {
        least = Math.min(least, 1 + row[next - firstSwitch]);
      }
    }
    return least;
  }

  @Override
  public int candidates(int device, int arrivedBy, int terminal, int[] into) {
    if (device >= terminals) {
      int direct = direct(device, terminal, into);
      return direct > 0 || device < firstSwitch ? direct : nearest(device, terminal, into);
    }
    int inside = 0;
    for (int i = 0; i < links[device].length; i++) {
      int next = neighbours[device][i];
      if (next < firstSwitch && linked(next, terminal)) {
        into[inside++] = TierPlan.channel(links[device][i], 0);
      }
    }
    return inside > 0 ? inside : nearest(device, terminal, into);
  }

  private int direct(int device, int terminal, int[] into) {
    int count = 0;
    for (int i = 0; i < links[device].length; i++) {
      if (neighbours[device][i] == terminal) {
        into[count++] = TierPlan.channel(links[device][i], 0);
      }
    }
    return count;
  }

  private boolean linked(int device, int terminal) {
    for (int next : neighbours[device]) {
      if (next == terminal) {
        return true;
      }
    }
    return false;
  }

  private int nearest(int device, int terminal, int[] into) {
    int least = FAR;
    int count = 0;
    for (int i = 0; i < links[device].length; i++) {
      int next = neighbours[device][i];
      int hops = next < firstSwitch ? FAR : hops(next, terminal);
      if (hops < least) {
        least = hops;
        count = 0;
      }
      if (hops == least && hops < FAR) {
        into[count++] = TierPlan.channel(links[device][i], 0);
      }
    }
    return count;
  }

  @Override
  public int shortest(int device, int arrivedBy, int terminal) {
    return 1;
  }

  @Override
  public int most() {
    return most;
  }

  @Override
  public int virtualChannels(int link) {
    return 1;
  }

  /** The most hops between two switches of the network that reach each other. */
  int diameter() {
    return Arrays.stream(distance).flatMapToInt(Arrays::stream).filter(hops -> hops < FAR).max().orElse(0);
  }

  /** Whether a route leads from each terminal to each other. */
  boolean connected() {
    int[] into = new int[most];
    for (int terminal = 1; terminal < terminals; terminal++) {
      if (candidates(0, NONE, terminal, into) == 0 || candidates(terminal, NONE, 0, into) == 0) {
        return false;
      }
    }
    return true;
  }
}
