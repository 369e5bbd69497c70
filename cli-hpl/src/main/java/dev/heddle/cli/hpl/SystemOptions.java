package dev.heddle.cli.hpl;

import dev.heddle.cli.ClusterOptions;
import dev.heddle.fabric.Fabric;
import dev.heddle.hpl.HplSystem;
import dev.heddle.hpl.cluster.ClusterSystem;
import dev.heddle.hpl.cluster.LayerOverrides;
import dev.heddle.hpl.run.KernelSettings;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options for the cluster, and for properties that its links do not state. */
final class SystemOptions {
  @Mixin
  private final ClusterOptions cluster = new ClusterOptions();

  @Option(
      names = "--hardware",
      paramLabel = "YAML",
      description = "What the closed forms take instead of what the links say, as '{software: 2 us, layers: [{name:"
          + " NVLink, reach: node, latency: 2 us, rate: 300 GB/s}]}'.")
  private String hardware = "{}";

  @Option(
      names = "--kernels",
      paramLabel = "YAML",
      description = "How long an accelerator computes, as '{peak: 60 Tflop/s, sustained: 80 %%, launch: 3 us}'.")
  private String kernels = "{}";

  boolean given() {
    return cluster.given();
  }

  Fabric fabric(Registry registry) {
    return cluster.fabric(registry);
  }

  KernelSettings kernels(Registry registry) {
    return new ScenarioReader(registry).record(KernelSettings.class, "--kernels", kernels);
  }

  /** The cluster as the closed forms see it. */
  HplSystem system(Registry registry, Fabric fabric, int blockSize) {
    return ClusterSystem.of(
        fabric, kernels(registry),
        new ScenarioReader(registry).record(LayerOverrides.class, "--hardware", hardware), blockSize);
  }
}
