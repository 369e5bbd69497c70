package dev.heddle.cli.nccl;

import dev.heddle.cli.ArchitecturePreset;
import dev.heddle.registry.Registry;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import java.util.Arrays;

/** Times of a machine without measurements: those of its GPUs' architecture and of its network. */
public final class StandardTiming {
  private static final String PREFIX = "nccl";

  private StandardTiming() {}

  /**
   * The times of a cluster, as the {@code timing} of a scenario.
   *
   * @throws InvalidSettingException when there is no preset for the accelerators' architecture
   */
  public static String text(Registry registry, Cluster cluster) {
    return "{gpu: " + gpu(registry, cluster) + ", host: {}"
        + (cluster.nodes() > 1 ? ", network: {preset: nccl-" + network(cluster) + "}}" : "}");
  }

  /**
   * The times of a cluster's GPUs, as the {@code gpu} of a scenario's timing.
   *
   * @throws InvalidSettingException when there is no preset for the accelerators' architecture
   */
  static String gpu(Registry registry, Cluster cluster) {
    return ArchitecturePreset.require(registry, PREFIX, cluster, "--timing");
  }

  // Networks that no link names are taken for InfiniBand.
  private static String network(Cluster cluster) {
    return Arrays.stream(cluster.terminals(DeviceKind.NIC)).filter(nic -> cluster.node(nic) == 0)
        .mapToObj(nic -> cluster.networkLink(nic).network()).filter(id -> !id.isEmpty()).findFirst()
        .orElse("infiniband");
  }
}
