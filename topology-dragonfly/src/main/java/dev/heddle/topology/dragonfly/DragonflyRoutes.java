package dev.heddle.topology.dragonfly;

import dev.heddle.tier.RouteFunction;
import dev.heddle.tier.TierPlan;

/**
 * Routes of a dragonfly. The virtual channel encodes a message's progress, and virtual channels are taken in one order,
 * so that messages cannot deadlock: towards an intermediate group (local 0, global 0), from there (local 1, global 1),
 * within the last group (local 2). A detour within the first group, which is the last, is local 1 and local 2. Without
 * detours the first two are left out.
 */
final class DragonflyRoutes implements RouteFunction {
  private final Shape shape;
  private final int count;
  private final boolean detours;
  private final boolean always;
  private final int onward;
  private final int most;

  // Of each terminal: its link to the switch; the opposite link leads back.
  private final int[] terminalLink;
  // Of each pair of switches of a group, by number and position: the link from one to the other.
  private final int[] localLink;
  // Of each link of each group, by port: the directed link that leaves the group.
  private final int[] globalLink;

  /**
   * Routes over links.
   *
   * @param shape of the dragonfly
   * @param routing of messages
   * @param links between the devices
   */
  DragonflyRoutes(Shape shape, Routing routing, Links links) {
    this.shape = shape;
    count = links.terminal().length;
    detours = routing.detours();
    onward = detours ? 1 : 0;
    terminalLink = links.terminal().clone();
    localLink = links.local().clone();
    globalLink = links.global().clone();
    always = routing == Routing.VALIANT;
    most = detours ? Math.max(shape.cables() + shape.groupLinks(), shape.switches()) : shape.cables();
  }

  /**
   * The directed links.
   *
   * @param terminal of each terminal to its switch
   * @param local of each switch to each switch of its group, by its number times switches of a group; -1 to itself
   * @param global of each group by port
   */
  record Links(int[] terminal, int[] local, int[] global) {}

  @Override
  public int most() {
    return most;
  }

  @Override
  public int virtualChannels(int link) {
    return link < 2 * count ? 1 : link < 2 * count + localLinks() ? 2 + onward : 1 + onward;
  }

  private int localLinks() {
    return shape.groups() * shape.switches() * (shape.switches() - 1);
  }

  @Override
  public int candidates(int device, int arrivedBy, int terminal, int[] into) {
    if (device < count) {
      into[0] = TierPlan.channel(terminalLink[device], 0);
      return 1;
    }
    int own = device - count;
    int target = shape.switchOf(terminal);
    if (own == target) {
      into[0] = TierPlan.channel(terminalLink[terminal] + 1, 0);
      return 1;
    }
    int group = own / shape.switches();
    int last = target / shape.switches();
    boolean begins = arrivedBy == NONE || TierPlan.linkOf(arrivedBy) < 2 * count;
    if (group == last) {
      return begins && detours ? withinGroup(own, target, into) : neighbour(own, target, into, 0);
    }
    if (onDetour(arrivedBy)) {
      return leaveGroup(own, into, 0);
    }
    int shortest = begins && always ? 0 : direct(own, last, into);
    return begins && detours ? detour(own, into, shortest) : shortest;
  }

  @Override
  public int shortest(int device, int arrivedBy, int terminal) {
    int own = device - count;
    int last = shape.switchOf(terminal) / shape.switches();
    if (device < count || own / shape.switches() == last) {
      return 1;
    }
    if (onDetour(arrivedBy)) {
      return (shape.groupLinks() - own % shape.switches() + shape.switches() - 1) / shape.switches();
    }
    int links = ownLinks(own, last);
    return links > 0 ? links : shape.cables();
  }

  // Whether a message arrived by a link of its group towards an intermediate group.
  private boolean onDetour(int arrivedBy) {
    if (!detours || arrivedBy == NONE) {
      return false;
    }
    int link = TierPlan.linkOf(arrivedBy);
    return link >= 2 * count && link < 2 * count + localLinks() && TierPlan.virtualChannelOf(arrivedBy) == 0;
  }

  private int local(int own, int to, int virtualChannel) {
    return TierPlan.channel(localLink[own * shape.switches() + to], virtualChannel);
  }

  private int global(int group, int port, int virtualChannel) {
    return TierPlan.channel(globalLink[group * shape.groupLinks() + port], virtualChannel);
  }

  // The number of a switch's own links to a group.
  private int ownLinks(int own, int last) {
    int links = 0;
    int group = own / shape.switches();
    for (int cable = 0; cable < shape.cables(); cable++) {
      links += shape.switchAt(shape.port(group, last, cable)) == own % shape.switches() ? 1 : 0;
    }
    return links;
  }

  // A switch's own links to the last group, or, without any, the paths to the switches that have them.
  private int direct(int own, int last, int[] into) {
    int group = own / shape.switches();
    boolean neighbour = ownLinks(own, last) > 0;
    int found = 0;
    for (int cable = 0; cable < shape.cables(); cable++) {
      int port = shape.port(group, last, cable);
      boolean here = shape.switchAt(port) == own % shape.switches();
      if (here) {
        into[found++] = global(group, port, onward);
      } else if (!neighbour) {
        into[found++] = local(own, shape.switchAt(port), onward);
      }
    }
    return found;
  }

  private int neighbour(int own, int target, int[] into, int from) {
    into[from] = local(own, target % shape.switches(), onward + 1);
    return from + 1;
  }

  // The link to a neighbour, and the paths through every other switch of the group.
  private int withinGroup(int own, int target, int[] into) {
    int found = always && shape.switches() > 2 ? 0 : neighbour(own, target, into, 0);
    for (int other = 0; other < shape.switches(); other++) {
      if (other != own % shape.switches() && other != target % shape.switches()) {
        into[found++] = local(own, other, onward);
      }
    }
    return found;
  }

  // Every link of the group is equally likely: from its own switch, or by the path to the switch that has it.
  private int detour(int own, int[] into, int from) {
    int found = leaveGroup(own, into, from);
    for (int port = 0; port < shape.groupLinks(); port++) {
      int at = shape.switchAt(port);
      if (at != own % shape.switches()) {
        into[found++] = local(own, at, 0);
      }
    }
    return found;
  }

  // The switch's own links to other groups.
  private int leaveGroup(int own, int[] into, int from) {
    int group = own / shape.switches();
    int found = from;
    for (int port = own % shape.switches(); port < shape.groupLinks(); port += shape.switches()) {
      into[found++] = global(group, port, 0);
    }
    return found;
  }
}
