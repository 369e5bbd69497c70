package dev.heddle.topology.node;

import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.Terminal;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.TierPlanBuilder;
import java.util.List;

/** Lays out one node. */
final class PvcNodePlanner {
  private final PvcNodeTopologyProvider.Settings settings;
  private final TierPlanBuilder plan;
  private final int[] tiles;
  private final int[] nics;
  private final int[] cpus;
  private final int[] buffers;
  private final int gpus;

  PvcNodePlanner(PvcNodeTopologyProvider.Settings settings, List<Terminal> terminals) {
    this.settings = settings;
    plan = new TierPlanBuilder(terminals);
    tiles = Terminal.numbers(terminals, DeviceKind.ACCELERATOR);
    nics = Terminal.numbers(terminals, DeviceKind.NIC);
    cpus = Terminal.numbers(terminals, DeviceKind.CPU);
    buffers = Terminal.numbers(terminals, DeviceKind.AGGREGATOR);
    check(terminals);
    gpus = tiles.length / settings.tiles();
  }

  private void check(List<Terminal> terminals) {
    if (tiles.length == 0 || cpus.length == 0) {
      throw new InvalidSettingException(
          "", "a node has at least 1 accelerator and 1 CPU; given are "
              + terminals.stream().map(terminal -> terminal.kind().key()).distinct().toList());
    }
    if (tiles.length + nics.length + cpus.length + buffers.length != terminals.size()) {
      throw new InvalidSettingException(
          "", "a node has accelerators, NICs, CPUs and aggregators, and 0 of any other kind");
    }
    if (tiles.length % settings.tiles() != 0) {
      throw new InvalidSettingException(
          "tiles", tiles.length + " accelerators are no whole GPUs of " + settings.tiles() + " tiles");
    }
    if (buffers.length != 0 && buffers.length != tiles.length) {
      throw new InvalidSettingException(
          "staging", "a node of " + tiles.length + " tiles has as many aggregators, or 0; given are " + buffers.length);
    }
    if (!settings.nicOf().isEmpty() && settings.nicOf().size() != tiles.length) {
      throw new InvalidSettingException(
          "nicOf", settings.nicOf().size() + " entries for " + tiles.length + " tiles");
    }
    for (int nic : settings.nicOf()) {
      if (nic >= nics.length) {
        throw new InvalidSettingException("nicOf", "there is no NIC " + nic + "; there are " + nics.length);
      }
    }
  }

  TierPlan plan() {
    joinTiles();
    int[] roots = roots();
    for (int gpu = 0; gpu < gpus; gpu++) {
      int port = plan.addDevice("gpu" + gpu, DeviceKind.SWITCH, settings.root());
      for (int tile = 0; tile < settings.tiles(); tile++) {
        plan.connect(tile(gpu, tile), port, settings.port());
      }
      plan.connect(port, roots[divided(gpu, gpus)], settings.pcie());
    }
    for (int nic = 0; nic < nics.length; nic++) {
      plan.connect(nics[nic], roots[divided(nic, nics.length)], settings.nicLink());
    }
    for (int buffer = 0; buffer < buffers.length; buffer++) {
      plan.connect(buffers[buffer], cpus[divided(buffer, buffers.length)], settings.staging());
    }
    for (int tile = 0; tile < settings.nicOf().size(); tile++) {
      int nic = nics[settings.nicOf().get(tile)];
      plan.egressNic(tiles[tile], nic);
      if (buffers.length > 0) {
        plan.egressNic(buffers[tile], nic);
      }
    }
    return plan.routeByShortestPaths().build();
  }

  private int tile(int gpu, int tile) {
    return tiles[gpu * settings.tiles() + tile];
  }

  private void joinTiles() {
    for (int gpu = 0; gpu < gpus; gpu++) {
      for (int tile = 0; tile < settings.tiles(); tile++) {
        for (int other = tile + 1; other < settings.tiles(); other++) {
          plan.connect(tile(gpu, tile), tile(gpu, other), settings.mdfi());
        }
        for (int other = gpu + 1; other < gpus; other++) {
          plan.connect(tile(gpu, tile), tile(other, tile), settings.xeLink());
        }
        plan.forward(tile(gpu, tile), settings.forwarding());
      }
    }
  }

  private int[] roots() {
    int[] roots = new int[cpus.length];
    Link down = settings.memoryLinkDown().orElse(settings.memoryLink());
    for (int cpu = 0; cpu < cpus.length; cpu++) {
      roots[cpu] = plan.addDevice("root" + cpu, DeviceKind.ROOT_COMPLEX, settings.root());
      plan.connect(roots[cpu], cpus[cpu], settings.memoryLink(), down);
      plan.forward(cpus[cpu], settings.root());
      for (int other = 0; other < cpu; other++) {
        plan.connect(roots[other], roots[cpu], settings.socketLink());
      }
    }
    return roots;
  }

  private int divided(int i, int count) {
    return (int) ((long) i * cpus.length / count);
  }
}
