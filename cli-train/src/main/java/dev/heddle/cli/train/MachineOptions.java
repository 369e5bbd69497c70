package dev.heddle.cli.train;

import dev.heddle.cli.ClusterOptions;
import dev.heddle.registry.Registry;
import picocli.CommandLine.Mixin;

/** Options for the machine of a training job: cluster, kernels and collectives. */
final class MachineOptions {
  @Mixin
  private final ClusterOptions cluster = new ClusterOptions();

  @Mixin
  private final SoftwareOptions software = new SoftwareOptions();

  /**
   * Plans the cluster, and reads kernels and collectives.
   *
   * @throws dev.heddle.spi.InvalidSettingException when the cluster does not state its accelerators, or nothing is
   *     known of them
   */
  Machine machine(Registry registry) {
    return software.machine(registry, cluster);
  }
}
