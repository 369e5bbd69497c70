package dev.heddle.cli.hpl;

import dev.heddle.fabric.Fabric;
import dev.heddle.hpl.HplSystem;
import dev.heddle.hpl.cluster.ClusterSystem;
import dev.heddle.hpl.cluster.LayerOverrides;
import dev.heddle.hpl.run.KernelSettings;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.InvalidSettingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which cluster, and what its links do not say. */
final class ClusterOptions {
  private static final int MOST_NODES = 1_000_000;

  @Option(
      names = "--cluster",
      paramLabel = "PRESET|FILE",
      description = "The preset of a cluster, as 'heddle presets' lists them, such as hgx-h100, or a scenario file.")
  private @Nullable String cluster;

  @Option(names = "--nodes", paramLabel = "N", description = "Nodes that take part; without it, all of the preset.")
  private @Nullable Integer nodes;

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
    return cluster != null;
  }

  Fabric fabric(Registry registry) {
    if (cluster == null) {
      throw new InvalidSettingException("", "--cluster is needed: a preset, such as hgx-h100, or a scenario file");
    }
    if (nodes != null && (nodes < 1 || nodes > MOST_NODES)) {
      throw new InvalidSettingException("", "--nodes " + nodes + ": must be 1 to " + MOST_NODES);
    }
    Map<String, String> overrides =
        nodes == null ? Map.of() : Map.of("cluster.tiers[1].size", Integer.toString(nodes));
    ScenarioReader reader = new ScenarioReader(registry);
    Path file = Path.of(cluster);
    if (Files.isRegularFile(file)) {
      return reader.read(file, overrides).points().get(0).scenario().fabric();
    }
    registry.preset(cluster);
    return reader.cluster("--cluster " + cluster, cluster, overrides);
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
