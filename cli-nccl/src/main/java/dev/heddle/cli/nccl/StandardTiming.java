package dev.heddle.cli.nccl;

import dev.heddle.collectives.nccl.timing.MachineTiming;
import dev.heddle.collectives.nccl.timing.NicAddress;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;

/** The times of a machine of which nothing was measured: its GPUs' generation, its NICs' rate. */
public final class StandardTiming {
  private static final Map<String, String> PRESETS = Map.of(
      "volta", "nccl-volta", "ampere", "nccl-ampere", "hopper", "nccl-hopper", "blackwell", "nccl-blackwell");

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
    int first = cluster.terminals(DeviceKind.ACCELERATOR)[0];
    String architecture = cluster.accelerator(first).map(Accelerator::architecture).orElse("");
    String preset = PRESETS.get(architecture);
    if (preset == null) {
      throw new InvalidSettingException("", "there are no times of " + (architecture.isEmpty()
          ? "accelerators whose architecture the cluster does not say" : "the architecture '" + architecture + "'")
          + ", only of " + String.join(", ", PRESETS.keySet().stream().sorted().toList()) + "; give them by --timing");
    }
    double node = cluster.nodes() > 1 ? NicAddress.PLAIN.nodeRate(cluster) : 0;
    long owners = Arrays.stream(cluster.terminals(DeviceKind.NIC)).filter(nic -> cluster.node(nic) == 0).count();
    return "{gpu: {preset: " + preset + "}, host: {launch: 5 us}"
        + (node > 0
            ? String.format(Locale.ROOT, ", network: {node: %.6f GB/s, latency: 5 us, nics: %d}}", node,
                Math.min(owners, 72))
            : "}");
  }
}
