package dev.heddle.topology.node;

import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.Terminal;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.TierPlanBuilder;
import java.util.List;

/** Lays out the host side of a node: PCIe switches, CPUs, and the devices attached to them. */
public final class HostLayout {
  // The virtual channel of PCIe's completions, for which an endpoint has room without end [PCIe 3.0 §2.6.1].
  private static final int COMPLETIONS = 2;

  private final Host host;
  private final TierPlanBuilder plan;
  private final int[] accelerators;
  private final int[] nics;
  private final int[] cpus;

  private HostLayout(Host host, TierPlanBuilder plan, List<Terminal> terminals) {
    this.host = host;
    this.plan = plan;
    accelerators = Terminal.numbers(terminals, DeviceKind.ACCELERATOR);
    nics = Terminal.numbers(terminals, DeviceKind.NIC);
    cpus = Terminal.numbers(terminals, DeviceKind.CPU);
  }

  /**
   * Adds the host side of a node to a plan. The caller adds the accelerator interconnect, before or after.
   *
   * @param host settings, found under the key {@code host} of the topology
   * @param plan that is being made for the terminals
   * @param terminals of the node: at least one accelerator and one CPU
   * @throws InvalidSettingException when the host does not fit the terminals
   */
  public static void add(Host host, TierPlanBuilder plan, List<Terminal> terminals) {
    HostLayout layout = new HostLayout(host, plan, terminals);
    layout.check(terminals);
    layout.connect();
  }

  private void check(List<Terminal> terminals) {
    if (accelerators.length == 0 || cpus.length == 0) {
      throw new InvalidSettingException(
          "", "a node has at least 1 accelerator and 1 CPU; given are "
              + terminals.stream().map(terminal -> terminal.kind().key()).distinct().toList());
    }
    if (host.switches() % cpus.length != 0) {
      throw new InvalidSettingException(
          "host.switches", host.switches() + " cannot be divided among " + cpus.length + " CPUs");
    }
    if (cpus.length % host.separate() != 0) {
      throw new InvalidSettingException(
          "host.separate", cpus.length + " CPUs cannot be divided among " + host.separate() + " hosts");
    }
    int above = host.switches() > 0 ? host.switches() : cpus.length;
    check("host.accelerators", host.accelerators(), accelerators.length, above);
    check("host.nics", host.nics(), nics.length, nicParents(above));
  }

  private int nicParents(int above) {
    return host.nicsAt() == Host.NicsAt.ACCELERATOR ? accelerators.length : above;
  }

  private static void check(String component, List<Integer> given, int devices, int parents) {
    if (!given.isEmpty() && given.size() != devices) {
      throw new InvalidSettingException(component, given.size() + " entries for " + devices + " devices");
    }
    for (int parent : given) {
      if (parent >= parents) {
        throw new InvalidSettingException(
            component, "there is no number " + parent + " to attach to; there are 0 to " + (parents - 1));
      }
    }
  }

  private void connect() {
    int[] above = cpus;
    if (host.switches() > 0) {
      above = new int[host.switches()];
      for (int i = 0; i < above.length; i++) {
        above[i] = plan.addDevice("pcie-switch" + i, DeviceKind.SWITCH, host.forwarding());
        plan.connect(above[i], cpus[divided(i, above.length, cpus.length)], host.rootLink().orElse(host.link()));
      }
    }
    Link acceleratorLink = host.acceleratorLink().orElse(host.link());
    int[] up = attach(accelerators, above, host.accelerators(), acceleratorLink);
    boolean atAccelerators = host.nicsAt() == Host.NicsAt.ACCELERATOR;
    attach(nics, atAccelerators ? accelerators : above, host.nics(), host.nicLink().orElse(host.link()));
    if (!atAccelerators && host.separate() == 1 && acceleratorLink.credits().size() > COMPLETIONS) {
      separate(up);
    }
    for (int accelerator : accelerators) {
      plan.forwardAsLastResort(accelerator, host.relay());
    }
    sockets();
  }

  // The links of devices to their parents.
  private int[] attach(int[] devices, int[] parents, List<Integer> given, Link link) {
    int[] up = new int[devices.length];
    for (int i = 0; i < devices.length; i++) {
      up[i] = plan.connect(
          devices[i], parents[given.isEmpty() ? divided(i, devices.length, parents.length) : given.get(i)], link);
    }
    return up;
  }

  // A NIC reads the data that it sends as it has room, so that those for a NIC that is busy do not hold up those for
  // another. An accelerator's data for its own NIC are posted writes, those for others completions.
  private void separate(int[] up) {
    for (int i = 0; i < accelerators.length; i++) {
      for (int nic = 0; nic < nics.length; nic++) {
        if (nic != divided(i, accelerators.length, nics.length)) {
          plan.route(accelerators[i], nics[nic], TierPlan.channel(up[i], COMPLETIONS));
        }
      }
    }
  }

  private void sockets() {
    int perHost = cpus.length / host.separate();
    for (int a = 0; a < cpus.length; a++) {
      plan.forward(cpus[a], host.cpu());
      for (int b = a + 1; b < cpus.length && a / perHost == b / perHost; b++) {
        plan.connect(cpus[a], cpus[b], host.socketLink());
      }
    }
  }

  private static int divided(int i, int count, int among) {
    return (int) ((long) i * among / count);
  }
}
