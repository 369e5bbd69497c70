package dev.heddle.link.nvlink;

import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Terminal;
import dev.heddle.spi.TierPlan;
import java.util.List;
import java.util.stream.IntStream;

/** Lays out one node: the NVSwitches first, so that shortest paths between GPUs take them and not a PCIe switch. */
final class HgxPlanner {
  private final HgxTopologyProvider.Settings settings;
  private final List<Terminal> terminals;
  private final TierPlan.Builder plan;
  private final int[] gpus;
  private final int[] nics;
  private final int[] cpus;

  HgxPlanner(HgxTopologyProvider.Settings settings, List<Terminal> terminals) {
    this.settings = settings;
    this.terminals = terminals;
    plan = new TierPlan.Builder(terminals);
    gpus = of(DeviceKind.ACCELERATOR);
    nics = of(DeviceKind.NIC);
    cpus = of(DeviceKind.CPU);
  }

  private int[] of(DeviceKind kind) {
    return IntStream.range(0, terminals.size()).filter(i -> terminals.get(i).kind() == kind).toArray();
  }

  TierPlan plan() {
    check();
    int[][] up = nvlinks();
    pcie();
    for (int from : gpus) {
      for (int to : gpus) {
        if (from != to) {
          plan.route(from, to, up[from]);
        }
      }
    }
    return plan.routeByShortestPaths().build();
  }

  private void check() {
    if (gpus.length + nics.length + cpus.length != terminals.size() || gpus.length == 0 || cpus.length == 0) {
      throw new InvalidSettingException(
          "", "a node has accelerators, CPUs and NICs, at least 1 accelerator and 1 CPU; given are "
              + terminals.stream().map(terminal -> terminal.kind().key()).distinct().toList());
    }
    if (settings.pcieSwitches() % cpus.length != 0) {
      throw new InvalidSettingException(
          "pcieSwitches", settings.pcieSwitches() + " cannot be divided among " + cpus.length + " CPUs");
    }
  }

  // The channels by which each terminal enters the NVSwitches; null for terminals that do not.
  private int[][] nvlinks() {
    int[][] up = new int[terminals.size()][];
    for (int gpu : gpus) {
      up[gpu] = new int[settings.nvswitches()];
    }
    for (int plane = 0; plane < settings.nvswitches(); plane++) {
      int nvswitch = plan.addDevice("nvswitch" + plane, DeviceKind.SWITCH, settings.nvswitch());
      for (int gpu : gpus) {
        up[gpu][plane] = TierPlan.channel(plan.connect(gpu, nvswitch, settings.nvlink()), 0);
      }
    }
    return up;
  }

  private void pcie() {
    int[] switches = new int[settings.pcieSwitches()];
    for (int i = 0; i < switches.length; i++) {
      switches[i] = plan.addDevice("pcie-switch" + i, DeviceKind.SWITCH, settings.pcieSwitch());
      plan.connect(switches[i], cpus[i * cpus.length / switches.length], settings.rootLink());
    }
    for (int[] devices : new int[][] {gpus, nics}) {
      for (int i = 0; i < devices.length; i++) {
        plan.connect(devices[i], switches[i * switches.length / devices.length], settings.pcie());
      }
    }
    for (int a = 0; a < cpus.length; a++) {
      plan.forward(cpus[a], settings.cpu());
      for (int b = a + 1; b < cpus.length; b++) {
        plan.connect(cpus[a], cpus[b], settings.socketLink());
      }
    }
  }
}
