package dev.heddle.collectives.nccl.timing;

import dev.heddle.spi.Accelerator;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import java.util.Arrays;

/**
 * Times of a machine without measurements: the presets of its accelerators' architecture and of its network, as a
 * scenario names them.
 */
public final class StandardTiming {
  /** The network of NICs whose links state none. */
  private static final String INFINIBAND = "infiniband";

  private StandardTiming() {}

  /**
   * The times of a cluster, as the {@code timing} of a scenario.
   *
   * @throws InvalidSettingException when the cluster does not state the architecture of its accelerators
   */
  public static String text(Cluster cluster) {
    return "{gpu: {preset: nccl-" + architecture(cluster) + "}, host: {}"
        + (cluster.nodes() > 1 ? ", network: {preset: nccl-" + network(cluster) + "}}" : "}");
  }

  private static String architecture(Cluster cluster) {
    int[] accelerators = cluster.terminals(DeviceKind.ACCELERATOR);
    String found = accelerators.length == 0 ? ""
        : cluster.accelerator(accelerators[0]).map(Accelerator::architecture).orElse("");
    if (found.isEmpty()) {
      throw new InvalidSettingException("timing", "is missing, and the cluster does not state the architecture of its"
          + " accelerators, by which presets of times are found; write such as {gpu: {preset: nccl-hopper}, host: {}}");
    }
    return found;
  }

  private static String network(Cluster cluster) {
    return Arrays.stream(cluster.terminals(DeviceKind.NIC)).filter(nic -> cluster.node(nic) == 0)
        .mapToObj(nic -> cluster.networkLink(nic).network()).filter(id -> !id.isEmpty()).findFirst()
        .orElse(INFINIBAND);
  }
}
