package dev.heddle.workload.megatron;

import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.Accelerator.Vendor;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Precision;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.units.ComputeRate;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.model.ModelShape;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Training jobs and machines for tests. */
public final class Jobs {
  private Jobs() {}

  /** A job, written as in a scenario. */
  public static Training job(String text) {
    try (Registry registry = Registry.discover(Jobs.class.getClassLoader(), List.of())) {
      return new ScenarioReader(registry).record(Training.class, "test", text);
    }
  }

  /** A small model of eight layers. */
  public static Training small(String parallel, String batch, String execution) {
    return job("{model: {name: small, hidden: 1024, layers: 8, heads: 16, vocabulary: 32000, sequence: 1024},"
        + " parallel: {" + parallel + "}, batch: {" + batch + "}, execution: {" + execution + "},"
        + " kernels: {preset: kernels-ampere}}");
  }

  /** A model's preset. */
  static ModelShape model(String preset) {
    try (Registry registry = Registry.discover(Jobs.class.getClassLoader(), List.of())) {
      return new ScenarioReader(registry).record(ModelShape.class, "test", "{preset: " + preset + "}");
    }
  }

  /** An A100 of 80 GB. */
  static Accelerator a100() {
    return a100("2039 GB/s");
  }

  /** An A100 whose memory has a rate; that of 40 GB has 1555 GB/s. */
  static Accelerator a100(String memory) {
    return new Accelerator(
        "A100", Vendor.NVIDIA, "ampere", 80, 108, DataSize.parse("80 GiB"), DataRate.parse(memory),
        Map.of(Precision.FP16, ComputeRate.parse("312 Tflop/s"), Precision.BF16, ComputeRate.parse("312 Tflop/s"),
            Precision.FP32, ComputeRate.parse("19.5 Tflop/s")));
  }

  /** Nodes of A100 and one NIC on fast stars. */
  static Fabric nodes(int nodes, int accelerators) {
    Map<DeviceKind, Integer> terminals = new LinkedHashMap<>();
    terminals.put(DeviceKind.ACCELERATOR, accelerators);
    terminals.put(DeviceKind.NIC, 1);
    Tier node = new Tier(
        "node", 1, terminals, Optional.of(Fabrics.virtualOutputSwitch()), Fabrics.star(Fabrics.link("2400 Gb/s")),
        Optional.of(a100()), Optional.empty());
    return Fabric.of(List.of(node, Tier.outer("cluster", nodes, Fabrics.star(Fabrics.link("400 Gb/s")))));
  }
}
