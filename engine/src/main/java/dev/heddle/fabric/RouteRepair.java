package dev.heddle.fabric;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Terminal;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.TierPlanBuilder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Routes of a tier some of whose links are down, as a fabric manager computes them: of the channels that a route has,
 * those remain that still lead to the destination; where none does, a device of a tree takes another of its ports in
 * the same direction. Every path is one that the topology's own routes could take, and no longer, so that no circle and
 * no deadlock arises.
 */
final class RouteRepair {
  private static final int UNKNOWN = -1;
  private static final int NEVER = Integer.MAX_VALUE;

  private final TierPlan plan;
  private final BitSet down;
  // Of each device the channels of all its routes.
  private final int[][] ports;
  // Of each device towards the present terminal: hops by the healthy routes, and whether one leads there still.
  private final int[] hops;
  private final int[] leads;

  RouteRepair(TierPlan plan, BitSet down) {
    this.plan = plan;
    this.down = down;
    if (plan.function() != null) {
      throw new InvalidSettingException("", "its topology computes every route by a rule that has no other path");
    }
    if (plan.aggregators() > 0) {
      throw new InvalidSettingException("", "its switches reduce (SHARP), whose trees have no other path");
    }
    if (!Routing.fitsTable(plan)) {
      throw new InvalidSettingException("", "its tier of " + plan.devices() + " devices and " + plan.terminals()
          + " terminals is too large for a table of routes");
    }
    hops = new int[plan.devices()];
    leads = new int[plan.devices()];
    ports = new int[plan.devices()][];
    for (int device = 0; plan.isTree() && device < ports.length; device++) {
      TreeSet<Integer> all = new TreeSet<>();
      for (int terminal = 0; terminal < plan.terminals(); terminal++) {
        if (terminal != device) {
          Arrays.stream(plan.candidates(device, terminal)).forEach(all::add);
        }
      }
      ports[device] = all.stream().mapToInt(Integer::intValue).toArray();
    }
  }

  /** The same tier with routes that avoid the links; terminals may be left without any. */
  TierPlan repaired() {
    TierPlanBuilder builder = copy();
    for (int terminal = 0; terminal < plan.terminals(); terminal++) {
      Arrays.fill(hops, UNKNOWN);
      Arrays.fill(leads, UNKNOWN);
      hops[terminal] = 0;
      leads[terminal] = 1;
      for (int device = 0; device < plan.devices(); device++) {
        int[] channels = channels(device, terminal);
        if (channels.length > 0) {
          builder.route(device, terminal, channels);
        }
      }
    }
    return builder.build();
  }

  private TierPlanBuilder copy() {
    List<Terminal> terminals = new ArrayList<>();
    for (int device = 0; device < plan.terminals(); device++) {
      terminals.add(new Terminal(plan.name(device), plan.kind(device), false));
    }
    TierPlanBuilder builder = new TierPlanBuilder(terminals).allowMissingRoutes().selection(plan.selection());
    for (int device = 0; device < plan.devices(); device++) {
      if (device >= plan.terminals()) {
        builder.addDevice(plan.name(device), plan.kind(device), Objects.requireNonNull(plan.forwarding(device)));
      } else if (plan.forwarding(device) != null) {
        builder.forward(device, Objects.requireNonNull(plan.forwarding(device)));
      }
    }
    for (int terminal = 0; terminal < plan.terminals(); terminal++) {
      if (plan.egressNic(terminal) >= 0) {
        builder.egressNic(terminal, plan.egressNic(terminal));
      }
    }
    for (int link = 0; link < plan.links(); link += 2) {
      builder.connect(plan.linkSource(link), plan.linkTarget(link), plan.linkModel(link), plan.linkModel(link + 1));
      for (int each = link; each < link + 2; each++) {
        if (plan.queuesByArrival(each)) {
          builder.vcByInputPort(each);
        }
      }
    }
    return builder;
  }

  private int[] channels(int device, int terminal) {
    int[] own = plan.candidates(device, terminal);
    if (device == terminal) {
      return own;
    }
    int[] left = leading(own, device, terminal);
    if (left.length > 0 || !plan.isTree()) {
      return left;
    }
    int[] others = leading(ports[device], device, terminal);
    return others.length == 0 ? others : new int[] {others[terminal % others.length]};
  }

  private int[] leading(int[] channels, int device, int terminal) {
    return IntStream.of(channels).filter(channel -> leads(channel, device, terminal)).toArray();
  }

  private boolean leads(int channel, int device, int terminal) {
    int link = TierPlan.linkOf(channel);
    int next = plan.linkTarget(link);
    return !down.get(link) && (!plan.isTree() || hops(next, terminal) < hops(device, terminal))
        && reaches(next, terminal);
  }

  private boolean reaches(int device, int terminal) {
    if (leads[device] == UNKNOWN) {
      leads[device] = 0;
      for (int channel : plan.isTree() ? ports[device] : plan.candidates(device, terminal)) {
        if (leads(channel, device, terminal)) {
          leads[device] = 1;
          break;
        }
      }
    }
    return leads[device] == 1;
  }

  private int hops(int device, int terminal) {
    if (hops[device] == UNKNOWN) {
      int least = NEVER;
      for (int channel : plan.candidates(device, terminal)) {
        int further = hops(plan.linkTarget(TierPlan.linkOf(channel)), terminal);
        least = Math.min(least, further == NEVER ? NEVER : further + 1);
      }
      hops[device] = least;
    }
    return hops[device];
  }
}
