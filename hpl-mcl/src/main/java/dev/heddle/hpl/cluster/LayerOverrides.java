package dev.heddle.hpl.cluster;

import com.google.common.collect.ImmutableList;
import dev.heddle.hpl.LayerReach;
import dev.heddle.hpl.LayerSettings;
import dev.heddle.spi.Setting;
import dev.heddle.units.SimTime;
import java.util.List;
import java.util.Optional;

/**
 * Properties of layers that a cluster's links do not state, or that a user overrides.
 *
 * @param memoryLatency of an accelerator's own memory
 * @param software time of a message in addition to the links
 * @param layers that replace those from the links, by their reach
 */
public record LayerOverrides(
    @Setting(value = "latency of an accelerator's own memory", def = "746 ns", max = "1 s",
        source = "Jia et al., Dissecting the NVIDIA Volta GPU, 2018: 1,029 cycles, here at "
            + "1.38 GHz") SimTime memoryLatency,
    @Setting(value = "software time of a message, in addition to the links", def = "1 us",
        max = "1 s") SimTime software,
    @Setting("layers that stand in place of those from the links, by their reach") List<LayerSettings> layers) {
  /** Copies the list. */
  public LayerOverrides {
    layers = ImmutableList.copyOf(layers);
  }

  /** The layer that a user gives for a reach, if any. */
  Optional<LayerSettings> layer(LayerReach reach) {
    return layers.stream().filter(each -> each.reach() == reach).findFirst();
  }
}
