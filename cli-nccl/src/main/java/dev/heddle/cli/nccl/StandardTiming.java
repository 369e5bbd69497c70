package dev.heddle.cli.nccl;

import dev.heddle.collectives.nccl.timing.MachineTiming;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import java.util.Arrays;
import java.util.Map;

/** Times of a machine of which nothing was measured: those of its GPUs' generation and of its network. */
public final class StandardTiming {
  private static final Map<String, String> PRESETS = Map.of(
      "volta", "nccl-volta", "ampere", "nccl-ampere", "hopper", "nccl-hopper", "blackwell", "nccl-blackwell",
      "cdna2", "nccl-cdna", "cdna3", "nccl-cdna");

  private StandardTiming() {}

  static MachineTiming of(ScenarioReader reader, Cluster cluster) {
    return reader.record(MachineTiming.class, "standard timing", text(cluster));
  }

  /**
   * The same, as the {@code timing} of a scenario.
   *
   * @throws InvalidSettingException when nothing is known of the accelerators' generation
   */
  public static String text(Cluster cluster) {
    String preset = gpuPreset(cluster);
    return "{gpu: {preset: " + preset + "}, host: {}"
        + (cluster.nodes() > 1 ? ", network: {preset: nccl-" + network(cluster) + "}}" : "}");
  }

  /**
   * The preset of the generation of a cluster's accelerators.
   *
   * @throws InvalidSettingException when nothing is known of it
   */
  static String gpuPreset(Cluster cluster) {
    int first = cluster.terminals(DeviceKind.ACCELERATOR)[0];
    String architecture = cluster.accelerator(first).map(Accelerator::architecture).orElse("");
    String preset = PRESETS.get(architecture);
    if (preset == null) {
      throw new InvalidSettingException("", "there are no times of " + (architecture.isEmpty()
          ? "accelerators whose architecture the cluster does not say" : "the architecture '" + architecture + "'")
          + ", only of " + String.join(", ", PRESETS.keySet().stream().sorted().toList()) + "; give them by --timing");
    }
    return preset;
  }

  // Networks that no link names are taken for InfiniBand.
  private static String network(Cluster cluster) {
    return Arrays.stream(cluster.terminals(DeviceKind.NIC)).filter(nic -> cluster.node(nic) == 0)
        .mapToObj(nic -> cluster.networkLink(nic).network()).filter(id -> !id.isEmpty()).findFirst()
        .orElse("infiniband");
  }
}
