package dev.heddle.cli.train;

import dev.heddle.cli.ArchitecturePreset;
import dev.heddle.cli.ClusterOptions;
import dev.heddle.fabric.Fabric;
import dev.heddle.registry.PluginKind;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.workload.megatron.kernel.KernelTiming;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for the kernels and the collectives of a training job's machine. */
final class SoftwareOptions {
  @Option(
      names = "--kernels",
      paramLabel = "YAML",
      description = "Efficiency of the accelerator's kernels; without it, the preset of its architecture, such as"
          + " '{preset: kernels-hopper}'.")
  private @Nullable String kernels;

  @Option(names = "--power-limit", paramLabel = "W",
      description = "Limit of power of an accelerator in W, at which its clock falls (default: its data sheet's).")
  private @Nullable Integer powerLimit;

  @Option(
      names = "--collectives",
      paramLabel = "YAML",
      description = "Algorithm of collectives, as in a scenario; without it, the preset collectives-ARCHITECTURE where"
          + " there is one, else NCCL with the times of the accelerators' architecture.")
  private @Nullable String collectives;

  /**
   * Reads kernels and collectives where they are stated, and plans the cluster.
   *
   * @throws InvalidSettingException when the cluster does not state its accelerators, or nothing is known of them
   */
  Machine machine(Registry registry, ClusterOptions options) {
    ScenarioReader reader = new ScenarioReader(registry);
    Optional<CollectiveAlgorithm> stated = Optional.ofNullable(collectives).map(text -> algorithm(reader, text));
    Optional<KernelTiming> timing = Optional.ofNullable(kernels).map(text -> timing(reader, text));
    Fabric cluster = options.fabric(registry);
    Accelerator accelerator = cluster.accelerator(cluster.terminals(DeviceKind.ACCELERATOR)[0])
        .orElseThrow(() -> new InvalidSettingException("",
            "--cluster " + options.name() + " does not say what its accelerators are"));
    KernelTiming kept = timing.orElseGet(
        () -> timing(reader, ArchitecturePreset.require(registry, "kernels", cluster, "--kernels")));
    return new Machine(cluster, accelerator, Optional.ofNullable(powerLimit)
        .map(watts -> JobOptions.named(() -> kept.withPowerLimit(watts))).orElse(kept),
        stated.orElseGet(() -> algorithm(reader, standardCollectives(registry, cluster))));
  }

  private static CollectiveAlgorithm algorithm(ScenarioReader reader, String text) {
    return (CollectiveAlgorithm) reader.block(PluginKind.COLLECTIVE_ALGORITHM, "--collectives", text);
  }

  private static KernelTiming timing(ScenarioReader reader, String text) {
    return reader.record(KernelTiming.class, "--kernels", text);
  }

  private static String standardCollectives(Registry registry, Cluster cluster) {
    return ArchitecturePreset.find(registry, "collectives", cluster)
        .orElse("{type: nccl}");
  }
}
