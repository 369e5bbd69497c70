package dev.heddle.verification;

import dev.heddle.fabric.Fabric;
import dev.heddle.hpl.CommunicationLayer;
import dev.heddle.hpl.EquivalentAccelerator;
import dev.heddle.hpl.HplProblem;
import dev.heddle.hpl.HplSystem;
import dev.heddle.hpl.HplVariant;
import dev.heddle.hpl.LayerExtent;
import dev.heddle.hpl.LayeredHplModel;
import dev.heddle.hpl.PanelBroadcast;
import dev.heddle.hpl.PanelFactorization;
import dev.heddle.hpl.ProcessGrid;
import dev.heddle.hpl.RowSwap;
import dev.heddle.hpl.cluster.ClusterSystem;
import dev.heddle.hpl.cluster.LayerOverrides;
import dev.heddle.hpl.run.HplRun;
import dev.heddle.hpl.run.KernelSettings;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.verification.CurvePanels.Curve;
import dev.heddle.verification.CurvePanels.Panel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongToDoubleFunction;

/** Figures 3, 6 and 7 of [MCL-HPL], and the corresponding figure for a node of H100: Gflop/s over N. */
final class HplFigures {
  private static final int POINTS = 22;
  private static final HplVariant VARIANT = new HplVariant(
      false, 1, PanelBroadcast.RING_MODIFIED, PanelFactorization.CROUT, 2, PanelFactorization.RIGHT, 32);
  // The parameters of [MCL-HPL §4.1], as in HplModelTest.
  private static final EquivalentAccelerator P100 =
      new EquivalentAccelerator(64, 732.2e9 / 8 / 64, 3584, 1.328e9, 1);
  private static final String ONE_P100 = """
      name: one
      cluster:
        tiers:
          - name: node
            terminals: {accelerator: 1, cpu: 1}
            accelerator:
              {preset: p100-sxm2, name: P100 PCIe, peak: {fp64: 4759.552 Gflop/s}, memory-bandwidth: 732.2 GB/s}
            topology: {type: star, link: {type: pcie, generation: 3}}
      workload: {type: collective, size: 1 B}
      """;

  private final ScenarioReader reader;

  HplFigures(ScenarioReader reader) {
    this.reader = reader;
  }

  String svg() {
    return CurvePanels.of("HPL: Gflop/s over N", List.of(single(), node(), nodes(), hopper()));
  }

  private static Curve curve(String name, long most, int multiple, LongToDoubleFunction flopsPerSecond) {
    double[] xs = new double[POINTS];
    double[] ys = new double[POINTS];
    for (int i = 0; i < POINTS; i++) {
      long order = i + 1 == POINTS ? most : Math.max(multiple, most * (i + 1) / POINTS / multiple * multiple);
      xs[i] = order;
      ys[i] = flopsPerSecond.applyAsDouble(order) / 1e9;
    }
    return new Curve(name, xs, ys, false);
  }

  private static Curve measured(double... xsAndYs) {
    double[] xs = new double[xsAndYs.length / 2];
    double[] ys = new double[xs.length];
    for (int i = 0; i < xs.length; i++) {
      xs[i] = xsAndYs[2 * i];
      ys[i] = xsAndYs[2 * i + 1];
    }
    return new Curve("measured", xs, ys, true);
  }

  private Panel single() {
    Fabric fabric = reader.parse("one", ONE_P100, Map.of()).points().get(0).scenario().fabric();
    return new Panel("Figure 3: one P100", "N", "Gflop/s", List.of(
        curve("sum of memory rates", 44_000, 768, order -> memory(order, P100.simpleMemory("HBM2", 1029))),
        curve("equivalent memory rate", 44_000, 768, order -> memory(order, P100.equivalentMemory("HBM2", 1029))),
        measured(44_000, 3882),
        curve("programs", 44_000, 768, order -> programs(fabric, order, 768, ProcessGrid.SINGLE, "{}"))));
  }

  private static double memory(long order, CommunicationLayer layer) {
    HplProblem problem = new HplProblem(order, 768, ProcessGrid.SINGLE);
    return LayeredHplModel.time(
        problem, 1 / P100.peakFlops(), List.of(new LayerExtent(layer, ProcessGrid.SINGLE))).flopsPerSecond();
  }

  private Panel node() {
    double[][] tops = {{44_000, 3882}, {62_000, 7605}, {76_000, 10_480}, {88_000, 13_570}};
    List<Curve> curves = new ArrayList<>();
    for (int gpus = 1; gpus <= 4; gpus++) {
      add(1, gpus, tops[gpus - 1], curves);
    }
    return new Panel("Figure 6: one node, shared PCIe channel", "N", "Gflop/s", curves);
  }

  private Panel nodes() {
    double[][] tops = {{88_000, 14_420}, {124_000, 26_320}, {152_000, 40_050}};
    List<Curve> curves = new ArrayList<>();
    for (int gpus = 1; gpus <= 3; gpus++) {
      add(4, gpus, tops[gpus - 1], curves);
    }
    return new Panel("Figure 7: four nodes", "N", "Gflop/s", curves);
  }

  private void add(int nodes, int gpus, double[] top, List<Curve> curves) {
    HplSystem system =
        reader.record(HplSystem.class, "figure", "{preset: hpl-p100-hdpex-shared}").sized(nodes, gpus);
    String name = nodes * gpus + (nodes * gpus == 1 ? " GPU" : " GPUs");
    curves.add(curve(name, (long) top[0], 768, order -> system.layered(order).flopsPerSecond()));
    curves.add(measured(top));
  }

  private Panel hopper() {
    Fabric fabric = reader.cluster("figure", "hgx-h100", Map.of("cluster.tiers[1].size", "1"));
    HplSystem system = ClusterSystem.of(
        fabric, reader.record(KernelSettings.class, "figure", "{sustained: 79.6 %}"),
        reader.record(LayerOverrides.class, "figure", "{}"), 1024);
    ProcessGrid grid = new ProcessGrid(4, 2);
    return new Panel("A node of 8 H100 (measured: its N is not stated)", "N", "Gflop/s", List.of(
        curve("layers from the links", 278_528, 1024,
            order -> system.layered(new HplProblem(order, 1024, grid)).flopsPerSecond()),
        curve("programs", 278_528, 1024, order -> programs(fabric, order, 1024, grid, "{sustained: 79.6 %}")),
        measured(278_528, 365_400)));
  }

  private double programs(Fabric fabric, long order, int blockSize, ProcessGrid grid, String kernels) {
    HplRun run = new HplRun(
        order, blockSize, Optional.of(grid), Optional.empty(), VARIANT, RowSwap.SPREAD_ROLL, 64,
        reader.record(KernelSettings.class, "figure", kernels), Optional.empty());
    return HplRunTable.simulated(fabric, run);
  }
}
