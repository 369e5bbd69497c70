package dev.heddle.collectives.nccl;

import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.Accelerator.Vendor;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Link;
import dev.heddle.spi.Medium;
import dev.heddle.spi.Switch;
import dev.heddle.spi.Terminal;
import dev.heddle.standard.link.GenericLinkProvider;
import dev.heddle.standard.link.GenericSwitchProvider;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.TierPlanBuilder;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Small clusters with generic links. */
public final class Clusters {
  private Clusters() {}

  /**
   * Two nodes of four GPUs on one NVSwitch; each node has two hosts of one CPU, with two GPUs and a NIC of 400 Gb/s
   * below a PCIe switch.
   */
  public static Cluster twoHosts(int capability) {
    Map<DeviceKind, Integer> terminals = new LinkedHashMap<>();
    terminals.put(DeviceKind.ACCELERATOR, 4);
    terminals.put(DeviceKind.NIC, 2);
    terminals.put(DeviceKind.CPU, 2);
    Accelerator gpu = new Accelerator(
        "test GPU", Vendor.NVIDIA, "test", capability, 1, DataSize.parse("1 GiB"), DataRate.parse("1 TB/s"), Map.of());
    Tier node = new Tier(
        "node", 1, terminals, Optional.of(forwarding()), Clusters::node, Optional.of(gpu), Optional.empty());
    Link cable = link("400 Gb/s", Medium.NETWORK);
    return Fabric.of(List.of(node, Tier.outer("cluster", 2, all -> pairs(all, cable))));
  }

  private static TierPlan node(List<Terminal> terminals) {
    TierPlanBuilder plan = new TierPlanBuilder(terminals);
    int nvswitch = plan.addDevice("nvswitch", DeviceKind.SWITCH, forwarding());
    for (int host = 0; host < 2; host++) {
      int bridge = plan.addDevice("pcie" + host, DeviceKind.SWITCH, forwarding());
      plan.connect(bridge, 6 + host, link("504 Gb/s", Medium.BUS));
      plan.connect(4 + host, bridge, link("504 Gb/s", Medium.BUS));
      for (int gpu = 2 * host; gpu < 2 * host + 2; gpu++) {
        plan.connect(gpu, bridge, link("504 Gb/s", Medium.BUS));
        plan.connect(gpu, nvswitch, link("450 GB/s", Medium.PEER));
        plan.forwardAsLastResort(gpu, forwarding());
      }
    }
    return plan.routeByShortestPaths().build();
  }

  // Connects the NICs of all nodes through one switch.
  private static TierPlan pairs(List<Terminal> terminals, Link cable) {
    TierPlanBuilder plan = new TierPlanBuilder(terminals);
    int centre = plan.addDevice("switch", DeviceKind.SWITCH, forwarding());
    for (int i = 0; i < terminals.size(); i++) {
      plan.connect(i, centre, cable);
    }
    return plan.routeByShortestPaths().build();
  }

  private static Link link(String rate, Medium medium) {
    return new GenericLinkProvider().create(
        GenericLinkProvider.Settings.of(DataRate.parse(rate), SimTime.parse("100 ns")).medium(medium));
  }

  private static Switch forwarding() {
    return new GenericSwitchProvider()
        .create(GenericSwitchProvider.Settings.of(SimTime.parse("100 ns"), Switch.Buffering.VIRTUAL_OUTPUT));
  }
}
