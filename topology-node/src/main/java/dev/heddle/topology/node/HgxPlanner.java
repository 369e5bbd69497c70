package dev.heddle.topology.node;

import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Terminal;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.TierPlanBuilder;
import java.util.List;

/** Lays out one node: the NVSwitches first, so that shortest paths between GPUs take them and not a PCIe switch. */
final class HgxPlanner {
  private final HgxTopologyProvider.Settings settings;
  private final List<Terminal> terminals;
  private final TierPlanBuilder plan;
  private final int[] gpus;
  private final int[] aggregators;

  HgxPlanner(HgxTopologyProvider.Settings settings, List<Terminal> terminals) {
    this.settings = settings;
    this.terminals = terminals;
    plan = new TierPlanBuilder(terminals);
    gpus = Terminal.numbers(terminals, DeviceKind.ACCELERATOR);
    aggregators = Terminal.numbers(terminals, DeviceKind.AGGREGATOR);
  }

  TierPlan plan() {
    checkAggregators();
    int[][] up = nvlinks();
    HostLayout.add(settings.host(), plan, terminals);
    for (int from : gpus) {
      for (int to : gpus) {
        if (from != to) {
          plan.route(from, to, up[from]);
        }
      }
    }
    return plan.routeByShortestPaths().build();
  }

  private void checkAggregators() {
    if (aggregators.length > 0 && aggregators.length != settings.nvswitches()) {
      throw new InvalidSettingException(
          "nvswitches",
          "a node of " + settings.nvswitches() + " NVSwitches has as many aggregators, or none; given are "
              + aggregators.length);
    }
    if (aggregators.length > 0 && settings.reduction().isEmpty()) {
      throw new InvalidSettingException(
          "reduction", "is missing: say what links each of " + aggregators.length + " aggregators to its NVSwitch");
    }
  }

  // The channels by which each GPU enters the NVSwitches.
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
      if (aggregators.length > 0) {
        aggregator(aggregators[plane], nvswitch);
      }
    }
    return up;
  }

  // GPUs send to the aggregator over one link. Multicast copies leave by a port for each GPU: a link carries the
  // messages of its sender one after another, and copies leave at once.
  private void aggregator(int unit, int nvswitch) {
    plan.connect(nvswitch, unit, settings.reduction().orElseThrow());
    for (int gpu : gpus) {
      plan.route(unit, gpu, TierPlan.channel(plan.connect(unit, nvswitch, settings.nvlink()), 0));
    }
  }
}
