package dev.heddle.cli.hpl;

import dev.heddle.hpl.HplSystem;
import dev.heddle.hpl.LayerSettings;
import java.util.Locale;

/** A system of HPL as presets write it. */
final class SystemYaml {
  private SystemYaml() {}

  static String of(HplSystem system) {
    StringBuilder text = new StringBuilder();
    text.append("nodes: ").append(system.nodes())
        .append("\ndevices-per-node: ").append(system.devicesPerNode())
        .append("\ndevice-peak: ").append(system.devicePeak())
        .append("\nblock-size: ").append(system.blockSize())
        .append("\nsingle: ").append(layer(system.single())).append("\nlayers:\n");
    system.layers().forEach(each -> text.append("  - ").append(layer(each)).append('\n'));
    return text.toString();
  }

  private static String layer(LayerSettings layer) {
    return String.format(
        Locale.ROOT, "{name: %s, reach: %s, latency: %s, rate: %s, shared-by: %s, blocking: %s}", layer.name(),
        layer.reach().name().toLowerCase(Locale.ROOT), layer.latency(), layer.rate(),
        layer.sharedBy().name().toLowerCase(Locale.ROOT).replace('_', '-'), layer.blocking());
  }
}
