package dev.heddle.topology.node;

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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** Provides a node's PCIe tree: endpoints, root ports or a switch, and the CPU. */
@Plugin(id = "pcie-tree", description = "A node's PCIe tree: endpoints, root ports or a switch, and the CPU")
public final class PcieTreeTopologyProvider implements TopologyProvider<PcieTreeTopologyProvider.Settings> {
  /**
   * The settings of a tree.
   *
   * @param path between two endpoints
   * @param link of an endpoint
   * @param links of particular kinds of endpoint, by kind
   * @param internal between a root port, or the root complex, and the CPU
   * @param uplink between the PCIe switch and its root port
   * @param rootPort forwarding of a root port, or the root complex
   * @param cpu forwarding of the CPU between its root ports
   * @param pcieSwitch forwarding of the PCIe switch
   */
  public record Settings(
      @Setting(value = "path between two endpoints: through root ports and CPU (cpu), through the root complex "
          + "(root-complex), through a PCIe switch (switch), or through the CPU without root ports (direct)",
          def = "cpu", source = "[SAURON §3.2]") Path path,
      @Setting(value = "link of an endpoint", def = "{type: pcie}") Link link,
      @Setting("links of particular kinds of endpoint, by kind, such as nic") Map<String, Link> links,
      @Setting(value = "link between a root port, or the root complex, and the CPU, on the die",
          def = "{type: generic, rate: 1 Tb/s}") Link internal,
      @Setting("link between the PCIe switch and its root port; without it, like link") Optional<Link> uplink,
      @Setting(value = "forwarding of a root port, or the root complex",
          def = "{type: generic, latency: 100 ns}") Switch rootPort,
      @Setting(value = "forwarding of the CPU between its root ports",
          def = "{type: generic, latency: 100 ns}") Switch cpu,
      @Setting(value = "forwarding of the PCIe switch", def = "{type: generic, latency: 100 ns}",
          source = "PLX PEX 8747 product brief: at most 100 ns, x16 to x16") Switch pcieSwitch) {}

  /** The path between two endpoints. */
  public enum Path {
    /** Endpoint, root port, CPU, root port, endpoint, as in the CELLIA cluster [SAURON §3.2]. */
    CPU,
    /** Endpoint, root complex, endpoint: peer to peer without the CPU. */
    ROOT_COMPLEX,
    /** Endpoint, PCIe switch, endpoint; the switch hangs on one root port. */
    SWITCH,
    /** Endpoint, CPU, endpoint: root ports are not modelled. */
    DIRECT
  }

  @Override
  public Topology create(Settings settings) {
    return terminals -> plan(settings, terminals);
  }

  private static TierPlan plan(Settings settings, List<Terminal> terminals) {
    requireKinds(settings, terminals);
    int cpu = cpu(settings, terminals);
    int[] endpoints = IntStream.range(0, terminals.size()).filter(i -> i != cpu).toArray();
    TierPlanBuilder plan = new TierPlanBuilder(terminals);
    switch (settings.path()) {
      case CPU -> {
        plan.forward(cpu, settings.cpu());
        for (int endpoint : endpoints) {
          String name = "rootport-" + terminals.get(endpoint).name();
          int rootPort = plan.addDevice(name, DeviceKind.ROOT_COMPLEX, settings.rootPort());
          plan.connect(endpoint, rootPort, link(settings, terminals.get(endpoint)));
          plan.connect(rootPort, cpu, settings.internal());
        }
      }
      case DIRECT -> {
        plan.forward(cpu, settings.cpu());
        attach(settings, terminals, plan, endpoints, cpu);
      }
      case ROOT_COMPLEX -> {
        int rootComplex = plan.addDevice("root-complex", DeviceKind.ROOT_COMPLEX, settings.rootPort());
        attach(settings, terminals, plan, endpoints, rootComplex);
        if (cpu >= 0) {
          plan.connect(rootComplex, cpu, settings.internal());
        }
      }
      case SWITCH -> {
        int pcieSwitch = plan.addDevice("pcie-switch", DeviceKind.SWITCH, settings.pcieSwitch());
        attach(settings, terminals, plan, endpoints, pcieSwitch);
        if (cpu >= 0) {
          int rootPort = plan.addDevice("rootport", DeviceKind.ROOT_COMPLEX, settings.rootPort());
          plan.connect(pcieSwitch, rootPort, settings.uplink().orElse(settings.link()));
          plan.connect(rootPort, cpu, settings.internal());
        }
      }
    }
    return plan.routeByShortestPaths().build();
  }

  private static void attach(
      Settings settings, List<Terminal> terminals, TierPlanBuilder plan, int[] endpoints, int hub) {
    for (int endpoint : endpoints) {
      plan.connect(endpoint, hub, link(settings, terminals.get(endpoint)));
    }
  }

  private static Link link(Settings settings, Terminal terminal) {
    return settings.links().getOrDefault(terminal.kind().key(), settings.link());
  }

  private static void requireKinds(Settings settings, List<Terminal> terminals) {
    for (String kind : settings.links().keySet()) {
      if (terminals.stream().noneMatch(terminal -> terminal.kind().key().equals(kind))) {
        throw new InvalidSettingException(
            "links", "no terminal is of kind '" + kind + "'; there are "
                + terminals.stream().map(terminal -> terminal.kind().key()).distinct().toList());
      }
    }
  }

  // The index of the CPU among the terminals, or -1 where there is none and the path needs none.
  private static int cpu(Settings settings, List<Terminal> terminals) {
    int[] cpus =
        IntStream.range(0, terminals.size()).filter(i -> terminals.get(i).kind() == DeviceKind.CPU).toArray();
    boolean needed = settings.path() == Path.CPU || settings.path() == Path.DIRECT;
    if (cpus.length > 1 || (needed && cpus.length == 0)) {
      throw new InvalidSettingException(
          "path",
          cpus.length + " terminals of kind 'cpu'; a PCIe tree with this path has " + (needed ? "1" : "0 or 1"));
    }
    return cpus.length == 0 ? -1 : cpus[0];
  }
}
