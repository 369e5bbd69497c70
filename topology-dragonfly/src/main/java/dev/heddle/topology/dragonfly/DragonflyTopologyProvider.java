package dev.heddle.topology.dragonfly;

import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Switch;
import dev.heddle.spi.Terminal;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.TierPlanBuilder;
import dev.heddle.tier.Topology;
import dev.heddle.tier.TopologyProvider;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Provides dragonflies [Kim, Dally, Scott, Abts 2008]: the switches of a group are all neighbours, and links join every
 * two groups. Terminals sit in order, switch by switch and group by group.
 */
@Plugin(id = "dragonfly", description = "A dragonfly: groups of neighbouring switches, links between every two groups")
public final class DragonflyTopologyProvider implements TopologyProvider<DragonflyTopologyProvider.Settings> {
  /**
   * The settings of a dragonfly.
   *
   * @param groups absent: enough to hold the terminals
   * @param switches a: of a group
   * @param terminals p: of a switch
   * @param spread switches among which consecutive terminals are distributed
   * @param globalLinks between every two groups
   * @param radix ports of a switch
   * @param link of a terminal to its switch; the default of links between switches
   * @param localLink between two switches of a group
   * @param globalLink between two groups
   * @param forwarding of a switch
   * @param routing of messages between groups
   */
  public record Settings(
      @Setting("groups, 1 to 100,000; without it, as many as hold the terminals") Optional<Integer> groups,
      @Setting(value = "switches of a group, all of them neighbours", def = "32", min = "1", max = "1024",
          source = "Slingshot: groups of up to 32 switches, De Sensi et al., SC 2020") int switches,
      @Setting(value = "terminals of a switch", def = "16", min = "1", max = "1024",
          source = "Slingshot: 16 of a switch's 64 ports, De Sensi et al., SC 2020") int terminals,
      @Setting(
          value = "switches among which consecutive terminals are distributed round robin, as where a node's NICs "
              + "go to several; a divisor of switches",
          def = "1", min = "1", max = "1024") int spread,
      @Setting(value = "links between every two groups", def = "1", min = "1", max = "1024") int globalLinks,
      @Setting(value = "ports of a switch", def = "64", min = "2", max = "100000",
          source = "Slingshot's switch, De Sensi et al., SC 2020") int radix,
      @Setting("link of a terminal to its switch, and between switches unless said otherwise; has a virtual "
          + "channel for "
          + "each stage of a path, 3 with detours and 2 without") Link link,
      @Setting("link between two switches of a group; without it, link") Optional<Link> localLink,
      @Setting("link between two groups, 2 virtual channels with detours; without it, link") Optional<Link> globalLink,
      @Setting(value = "forwarding of a switch", def = "{type: generic}") Switch forwarding,
      @Setting(
          value = "routing of messages between groups: by a shortest path, through a group drawn at random, or by "
              + "whichever of both has the shorter queue for its length",
          def = "ugal") Routing routing) {
    /**
     * A dragonfly with the least number of groups, one link between every two, switches of 64 ports, and one kind of
     * link.
     */
    public static Settings of(int switches, int terminals, Link link, Switch forwarding, Routing routing) {
      return new Settings(
          Optional.empty(), switches, terminals, 1, 1, 64, link, Optional.empty(), Optional.empty(), forwarding,
          routing);
    }
  }

  @Override
  public Topology create(Settings settings) {
    requireChannels("localLink", local(settings), settings.routing().localChannels(), settings.routing());
    requireChannels("globalLink", global(settings), settings.routing().globalChannels(), settings.routing());
    int groups = settings.groups().orElse(1);
    if (groups < 1 || groups > 100_000) {
      throw new InvalidSettingException("groups", groups + "; a dragonfly has 1 to 100000 groups");
    }
    if (settings.switches() % settings.spread() != 0) {
      throw new InvalidSettingException(
          "spread", settings.spread() + " does not divide the " + settings.switches() + " switches of a group");
    }
    return terminals -> plan(settings, terminals);
  }

  private static Link local(Settings settings) {
    return settings.localLink().orElse(settings.link());
  }

  private static Link global(Settings settings) {
    return settings.globalLink().orElse(settings.link());
  }

  private static void requireChannels(String component, Link link, int needed, Routing routing) {
    if (link.credits().size() < needed) {
      throw new InvalidSettingException(
          component, "has " + link.credits().size() + " virtual channels, but routing "
              + routing.name().toLowerCase(Locale.ROOT) + " takes " + needed);
    }
  }

  private static Shape shape(Settings settings, int terminals) {
    long perGroup = (long) settings.switches() * settings.terminals();
    int groups = settings.groups().orElse((int) ((terminals + perGroup - 1) / perGroup));
    Shape shape =
        new Shape(groups, settings.switches(), settings.terminals(), settings.spread(), settings.globalLinks());
    if (terminals > shape.capacity()) {
      throw new InvalidSettingException(
          "groups", terminals + " terminals; " + groups + " groups of " + settings.switches() + " switches with "
              + settings.terminals() + " terminals each hold 1 to " + shape.capacity());
    }
    if (shape.ports() > settings.radix()) {
      throw new InvalidSettingException(
          "radix", terminals + " terminals need " + groups + " groups, and a switch " + shape.terminals()
              + " ports to terminals, " + (shape.switches() - 1) + " within the group and " + shape.globalPorts()
              + " to other groups: " + shape.ports() + ", but it has " + settings.radix());
    }
    return shape;
  }

  // Links are numbered by kind: terminals', then groups', then between groups.
  private static TierPlan plan(Settings settings, List<Terminal> terminals) {
    Shape shape = shape(settings, terminals.size());
    TierPlanBuilder plan = new TierPlanBuilder(terminals);
    for (int i = 0; i < shape.all(); i++) {
      plan.addDevice(
          "group" + i / shape.switches() + "-switch" + i % shape.switches(), DeviceKind.SWITCH, settings.forwarding());
    }
    int first = terminals.size();
    int[] up = new int[first];
    Arrays.setAll(up, terminal -> plan.connect(terminal, first + shape.switchOf(terminal), settings.link()));
    int[] local = new int[shape.all() * shape.switches()];
    Arrays.fill(local, -1);
    for (int at = 0; at < shape.all(); at++) {
      int base = at - at % shape.switches();
      for (int other = at + 1; other < base + shape.switches(); other++) {
        int link = plan.connect(first + at, first + other, local(settings));
        local[at * shape.switches() + other - base] = link;
        local[other * shape.switches() + at - base] = link + 1;
      }
    }
    DragonflyRoutes.Links links = new DragonflyRoutes.Links(up, local, joinGroups(settings, shape, plan, first));
    return plan.routeBy(new DragonflyRoutes(shape, settings.routing(), links))
        .selection(settings.routing().selection()).build();
  }

  private static int[] joinGroups(Settings settings, Shape shape, TierPlanBuilder plan, int first) {
    int[] links = new int[shape.groups() * shape.groupLinks()];
    for (int group = 0; group < shape.groups(); group++) {
      for (int other = group + 1; other < shape.groups(); other++) {
        for (int cable = 0; cable < shape.cables(); cable++) {
          int there = shape.port(group, other, cable);
          int back = shape.port(other, group, cable);
          int link = plan.connect(
              first + group * shape.switches() + shape.switchAt(there),
              first + other * shape.switches() + shape.switchAt(back), global(settings));
          links[group * shape.groupLinks() + there] = link;
          links[other * shape.groupLinks() + back] = link + 1;
        }
      }
    }
    return links;
  }
}
