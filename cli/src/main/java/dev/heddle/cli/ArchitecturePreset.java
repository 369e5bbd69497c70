package dev.heddle.cli;

import dev.heddle.registry.Registry;
import dev.heddle.registry.Registry.PresetResource;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import java.util.List;
import java.util.Optional;

/**
 * Presets that commands take for the architecture of a cluster's accelerators, named {@code PREFIX-ARCHITECTURE}, such
 * as {@code kernels-hopper}. A plug-in adds an architecture by presets of such names.
 */
public final class ArchitecturePreset {
  private ArchitecturePreset() {}

  /** The preset for a cluster's accelerators as text of a setting, where there is one. */
  public static Optional<String> find(Registry registry, String prefix, Cluster cluster) {
    String id = prefix + "-" + architecture(cluster);
    return registry.presets().stream().map(PresetResource::id).filter(id::equals).findFirst()
        .map(found -> "{preset: " + found + "}");
  }

  /**
   * The preset for a cluster's accelerators as text of a setting.
   *
   * @param registry the installed presets
   * @param prefix of the preset's name
   * @param cluster whose accelerators count
   * @param option by which a user gives the setting instead
   * @throws InvalidSettingException when there is none
   */
  public static String require(Registry registry, String prefix, Cluster cluster, String option) {
    return find(registry, prefix, cluster).orElseThrow(() -> {
      String architecture = architecture(cluster);
      List<String> present = registry.presets().stream().map(PresetResource::id)
          .filter(id -> id.startsWith(prefix + "-")).toList();
      return new InvalidSettingException("", architecture.isEmpty()
          ? "the cluster does not state the architecture of its accelerators; give " + option
          : "there is no preset '" + prefix + "-" + architecture + "' for the architecture '" + architecture
              + "', only " + String.join(", ", present) + "; give " + option);
    });
  }

  private static String architecture(Cluster cluster) {
    int[] accelerators = cluster.terminals(DeviceKind.ACCELERATOR);
    return accelerators.length == 0 ? ""
        : cluster.accelerator(accelerators[0]).map(Accelerator::architecture).orElse("");
  }
}
