package dev.heddle.topology.simai;

import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.LinkModel;
import dev.heddle.spi.Medium;
import dev.heddle.spi.Terminal;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.TierPlanBuilder;
import dev.heddle.topology.simai.NetworkFile.Dimension;
import dev.heddle.units.DataRate;
import dev.heddle.units.SimTime;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Lays out a network of ASTRA-sim: NPUs on a grid of mixed radix, joined along each dimension. Routes correct one
 * coordinate after the other, from the first dimension; in a ring by the shorter arc, upwards where both are equal.
 */
final class NetworkPlanner {
  private static final double BITS = 8;
  private static final double PICOSECONDS = 1000;
  private static final int NONE = -1;

  private final AstraSimTopologyProvider.Settings settings;
  private final NetworkFile file;
  private final TierPlanBuilder plan;
  private final int npus;
  // By NPU, the links to the NPUs next to it, and to the switch of dimension d as npus + d.
  private final Map<Integer, Integer>[] next;

  @SuppressWarnings("unchecked")
  private NetworkPlanner(AstraSimTopologyProvider.Settings settings, NetworkFile file, List<Terminal> terminals) {
    this.settings = settings;
    this.file = file;
    npus = file.npus();
    if (terminals.size() != npus || terminals.stream().anyMatch(each -> each.kind() != DeviceKind.ACCELERATOR)) {
      throw new InvalidSettingException("file", settings.file() + " has " + npus
          + " NPUs, so the tier's terminals are accelerator: " + npus + " and no others");
    }
    plan = new TierPlanBuilder(terminals);
    next = new Map[npus];
    for (int npu = 0; npu < npus; npu++) {
      next[npu] = new TreeMap<>();
      plan.forward(npu, settings.forwarding());
    }
  }

  static TierPlan plan(AstraSimTopologyProvider.Settings settings, NetworkFile file, List<Terminal> terminals) {
    return new NetworkPlanner(settings, file, terminals).plan();
  }

  private TierPlan plan() {
    int stride = 1;
    for (int d = 0; d < file.dimensions().size(); d++) {
      connect(d, stride);
      stride *= file.dimensions().get(d).npus();
    }
    for (int npu = 0; npu < npus; npu++) {
      int from = npu;
      plan.routes(npu, to -> channel(from, to));
    }
    return plan.build();
  }

  private Link link(Dimension dimension) {
    double bits = dimension.gigabytes() * settings.gigabyte().bytes() * BITS;
    return new LinkModel(DataRate.ofBitsPerSecond(Math.round(bits)),
        SimTime.ofPs(Math.round(dimension.nanoseconds() * PICOSECONDS)), settings.maxPayload(), settings.overhead(),
        Medium.PEER);
  }

  private void connect(int d, int stride) {
    Dimension dimension = file.dimensions().get(d);
    Link link = link(dimension);
    int[] switchOf = new int[npus];
    for (int npu = 0; npu < npus; npu++) {
      int at = npu / stride % dimension.npus();
      switch (dimension.shape()) {
        case RING -> {
          int neighbour = npu + ((at + 1) % dimension.npus() - at) * stride;
          if (dimension.npus() > 2 || at == 0) {
            join(npu, neighbour, link);
          }
        }
        case FULLY_CONNECTED -> {
          for (int other = at + 1; other < dimension.npus(); other++) {
            join(npu, npu + (other - at) * stride, link);
          }
        }
        case SWITCH -> {
          int first = npu - at * stride;
          if (at == 0) {
            switchOf[npu] = plan.addDevice("switch" + d + "." + npu, DeviceKind.SWITCH, settings.forwarding());
            plan.routes(switchOf[npu], to -> channelOfSwitch(d, stride, first, to));
          }
          next[npu].put(npus + d, plan.connect(npu, switchOf[first], link));
        }
      }
    }
  }

  private void join(int a, int b, Link link) {
    int there = plan.connect(a, b, link);
    next[a].put(b, there);
    next[b].put(a, there + 1);
  }

  // The channel by which an NPU sends to another; none to itself.
  private int channel(int from, int to) {
    int stride = 1;
    for (int d = 0; d < file.dimensions().size(); d++) {
      Dimension dimension = file.dimensions().get(d);
      int size = dimension.npus();
      int at = from / stride % size;
      int wanted = to / stride % size;
      if (at != wanted) {
        int hop = switch (dimension.shape()) {
          case RING -> {
            int up = Math.floorMod(wanted - at, size);
            yield from + (Math.floorMod(at + (2 * up <= size ? 1 : -1), size) - at) * stride;
          }
          case FULLY_CONNECTED -> from + (wanted - at) * stride;
          case SWITCH -> npus + d;
        };
        return TierPlan.channel(link(from, hop), 0);
      }
      stride *= size;
    }
    return NONE;
  }

  // The channel by which the switch of an NPU sends to another; none to those whose earlier coordinates differ.
  private int channelOfSwitch(int d, int stride, int npu, int to) {
    if (npu % stride != to % stride) {
      return NONE;
    }
    int size = file.dimensions().get(d).npus();
    int down = npu + (to / stride % size - npu / stride % size) * stride;
    return TierPlan.channel(link(down, npus + d) + 1, 0);
  }

  private int link(int from, int to) {
    Integer link = next[from].get(to);
    if (link == null) {
      throw new IllegalStateException("no link from NPU " + from + " to " + to);
    }
    return link;
  }
}
