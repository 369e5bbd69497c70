package dev.heddle.collectives.nccl.system;

import dev.heddle.collectives.nccl.system.NcclTopologyProvider.Wire;
import dev.heddle.collectives.nccl.system.SystemDescription.Bridge;
import dev.heddle.collectives.nccl.system.SystemDescription.Cpu;
import dev.heddle.collectives.nccl.system.SystemDescription.Gpu;
import dev.heddle.collectives.nccl.system.SystemDescription.Net;
import dev.heddle.collectives.nccl.system.SystemDescription.Nic;
import dev.heddle.collectives.nccl.system.SystemDescription.Nvlink;
import dev.heddle.collectives.nccl.system.SystemDescription.PciDevice;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.LinkModel;
import dev.heddle.spi.Medium;
import dev.heddle.spi.Terminal;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.TierPlanBuilder;
import dev.heddle.units.DataRate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Planner of a node's tier from a topology file; GPUs and NICs are the terminals of their kind, by number. */
final class FileNodePlanner {
  private static final double BITS_PER_GIGABYTE = 8e9;

  private final NcclTopologyProvider.Settings settings;
  private final SystemDescription node;
  private final List<Terminal> terminals;
  private final TierPlanBuilder plan;
  private final Map<String, Integer> gpuByBusId = new LinkedHashMap<>();
  private final List<GpuPlace> gpus = new ArrayList<>();
  private int bridges;
  private int nvswitch = -1;

  private record GpuPlace(int terminal, Gpu gpu) {}

  FileNodePlanner(NcclTopologyProvider.Settings settings, SystemDescription node, List<Terminal> terminals) {
    this.settings = settings;
    this.node = node;
    this.terminals = terminals;
    plan = new TierPlanBuilder(terminals);
  }

  TierPlan plan() {
    Inventory inventory = Inventory.of(node);
    check(DeviceKind.ACCELERATOR, inventory.gpus().size());
    check(DeviceKind.NIC, inventory.nets().size());
    check(DeviceKind.CPU, node.cpus().size());
    if (terminals.size() != inventory.gpus().size() + inventory.nets().size() + node.cpus().size()) {
      throw new InvalidSettingException("file", "a topology file has GPUs, NICs and CPUs, and no other terminals");
    }
    for (int i = 0; i < node.cpus().size(); i++) {
      cpu(i);
    }
    nvlinks();
    return plan.routeByShortestPaths().build();
  }

  private void check(DeviceKind kind, int found) {
    int given = of(kind).length;
    if (given != found) {
      throw new InvalidSettingException("file", settings.file() + " has " + found + " of kind " + kind.key()
          + ", but the tier's terminals are " + given + " of them");
    }
  }

  private int[] of(DeviceKind kind) {
    return IntStream.range(0, terminals.size()).filter(i -> terminals.get(i).kind() == kind).toArray();
  }

  // The terminal of a device by its number on the host; numbers need not begin at 0.
  private int terminal(DeviceKind kind, List<Integer> numbers, int number) {
    return of(kind)[(int) numbers.stream().filter(each -> each < number).count()];
  }

  private void cpu(int index) {
    int cpu = of(DeviceKind.CPU)[index];
    Cpu description = node.cpus().get(index);
    plan.forward(cpu, settings.cpu());
    description.devices().forEach(device -> attach(device, cpu));
    for (Net net : description.nets()) {
      plan.connect(net(net), cpu, pcie("", 0));
    }
    for (int other = 0; other < index; other++) {
      if (node.cpus().get(other).hostHash().equals(description.hostHash())) {
        plan.connect(of(DeviceKind.CPU)[other], cpu, settings.socketLink());
      }
    }
  }

  private void attach(PciDevice device, int above) {
    Link link = pcie(device.speed(), device.width());
    if (device.content() instanceof Gpu gpu) {
      int terminal = terminal(
          DeviceKind.ACCELERATOR, Inventory.of(node).gpus().stream().map(Gpu::dev).toList(), gpu.dev());
      plan.connect(terminal, above, link);
      plan.forwardAsLastResort(terminal, settings.relay());
      gpuByBusId.put(device.id().busId(), terminal);
      gpus.add(new GpuPlace(terminal, gpu));
      gpu.c2c().ifPresent(c2c -> plan.connect(
          terminal, above, wire(c2c.megabytes() / 1e3 * c2c.count(), settings.nvlinks(), Medium.COHERENT)));
    } else if (device.content() instanceof Nic nic) {
      nic.nets().forEach(net -> plan.connect(net(net), above, link));
    } else if (device.content() instanceof Bridge bridge) {
      int bridgeDevice = plan.addDevice("pcie-switch" + bridges++, DeviceKind.SWITCH, settings.pcieSwitch());
      plan.connect(bridgeDevice, above, link);
      bridge.devices().forEach(each -> attach(each, bridgeDevice));
    }
  }

  private int net(Net net) {
    return terminal(DeviceKind.NIC, Inventory.of(node).nets().stream().map(Net::dev).toList(), net.dev());
  }

  private void nvlinks() {
    Map<Integer, Integer> up = new LinkedHashMap<>();
    for (GpuPlace place : gpus) {
      int links = place.gpu().nvlinks().stream().filter(Nvlink::toSwitch).mapToInt(Nvlink::count).sum();
      if (links > 0) {
        nvswitch = nvswitch < 0
            ? plan.addDevice("nvswitch", DeviceKind.SWITCH, settings.nvswitch())
            : nvswitch;
        up.put(place.terminal(), TierPlan.channel(plan.connect(
            place.terminal(), nvswitch, nvlink(place.gpu().sm(), links)), 0));
      }
      for (Nvlink nvlink : place.gpu().nvlinks()) {
        Integer peer = gpuByBusId.get(nvlink.target());
        if (peer != null && peer > place.terminal()) {
          plan.connect(place.terminal(), peer, nvlink(place.gpu().sm(), nvlink.count()));
        }
      }
    }
    up.forEach((from, channel) -> up.keySet().stream().filter(to -> !to.equals(from))
        .forEach(to -> plan.route(from, to, channel)));
  }

  private Link nvlink(int sm, int count) {
    return wire(count * ClusterNode.nvlinkGigabytes(sm), settings.nvlinks(), Medium.PEER);
  }

  private Link pcie(String speed, int width) {
    return wire(PciLink.gigabytes(speed, width), settings.pcie(), Medium.BUS);
  }

  private static Link wire(double gigabytes, Wire wire, Medium medium) {
    return new LinkModel(
        DataRate.ofBitsPerSecond(Math.round(gigabytes * BITS_PER_GIGABYTE)), wire.latency(), wire.maxPayload(),
        wire.overhead(), medium);
  }
}
