package dev.heddle.cli.nccl;

import dev.heddle.cli.ClusterOptions;
import dev.heddle.collective.Group;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.measured.LogFacts;
import dev.heddle.fabric.Fabric;
import dev.heddle.registry.Registry;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options for the machine, the ranks and NCCL. */
final class MachineOptions {
  @Mixin
  private final ClusterOptions clusterOptions = new ClusterOptions();

  @Option(
      names = "--gpus-per-node",
      paramLabel = "N",
      description = "Ranks on each node; without it, one on every accelerator.")
  private @Nullable Integer gpusPerNode;

  @Option(names = "--nccl", paramLabel = "VERSION", description = "NCCL's version, 2.8 to 2.30 (default: the newest).")
  private @Nullable String version;

  @Option(
      names = "--env",
      paramLabel = "NAME=VALUE",
      description = "A variable of NCCL, such as NCCL_ALGO=Ring; may be repeated.")
  private Map<String, String> variables = new LinkedHashMap<>();

  @Option(names = "--read-env", description = "Take NCCL's variables from this process too.")
  private boolean readEnvironment;

  @Option(
      names = "--timing",
      paramLabel = "YAML",
      description = "Times of GPUs, hosts and network, as '{gpu: {preset: nccl-hopper}, host: {launch: 5 us}, network:"
          + " {preset: nccl-efa}}'; without it, the presets of the GPUs' generation and of the cluster's network.")
  private @Nullable String timing;

  /** Plans the cluster, and places the ranks. */
  Machine machine(Registry registry) {
    Fabric cluster = clusterOptions.fabric(registry);
    int[] accelerators = cluster.terminals(DeviceKind.ACCELERATOR);
    int most = (int) Arrays.stream(accelerators).filter(each -> cluster.node(each) == 0).count();
    int perNode = gpusPerNode == null ? most : gpusPerNode;
    if (perNode < 1 || perNode > most) {
      throw new InvalidSettingException(
          "", "--gpus-per-node " + perNode + ": a node of " + clusterOptions.name() + " has 1 to " + most
              + " accelerators");
    }
    return new Machine(
        registry, cluster, group(cluster, accelerators, perNode), perNode, config(), Optional.ofNullable(timing));
  }

  private static Group group(Cluster cluster, int[] accelerators, int perNode) {
    int[] members = new int[cluster.nodes() * perNode];
    int[] taken = new int[cluster.nodes()];
    for (int accelerator : accelerators) {
      int node = cluster.node(accelerator);
      if (taken[node] < perNode) {
        members[node * perNode + taken[node]++] = accelerator;
      }
    }
    return Group.of(members);
  }

  /** NCCL as a log states it; the options' version and variables come before those of the log. */
  NcclConfig config(LogFacts facts) {
    return facts.config(version == null ? Optional.empty() : Optional.of(config().version()), read());
  }

  private Map<String, String> read() {
    Map<String, String> all = new LinkedHashMap<>();
    if (readEnvironment) {
      System.getenv().forEach((name, value) -> {
        if (name.startsWith("NCCL_")) {
          all.put(name, value);
        }
      });
    }
    all.putAll(variables);
    return all;
  }

  private NcclConfig config() {
    try {
      return NcclConfig.of(version == null ? NcclVersion.LATEST : NcclVersion.parse(version), read());
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException("", "--nccl: " + e.getMessage());
    }
  }
}
