package dev.heddle.collectives.tpu;

import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.CollectiveAlgorithmProvider;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.units.SimTime;

/** Provides the collectives of slices of TPUs. */
@Plugin(id = "tpu",
    description = "Rings along all axes of a torus at once: all_reduce, all_gather, reduce_scatter; all_to_all")
public final class TpuAlgorithmProvider implements CollectiveAlgorithmProvider<TpuAlgorithmProvider.Settings> {
  /**
   * The software time of a collective.
   *
   * @param launch from a rank's call to its first step
   * @param hop from the arrival of data to the departure of the next step
   */
  public record Settings(
      @Setting(value = "time from a rank's call to its first step, once for each collective", def = "5 us",
          source = "jax-ml/scaling-book, sharding: all-gather of 32 kB shards on 4 TPU v5e, about 8 us measured, 3 us "
              + "estimated by hops") SimTime launch,
      @Setting(value = "time from the arrival of data to the departure of the next step, links excepted",
          def = "900 ns",
          source = "jax-ml/scaling-book, sharding: about 1 us for each hop, of which 100 ns are the "
              + "link") SimTime hop) {
    /** The defaults. */
    public static Settings defaults() {
      return new Settings(SimTime.parse("5 us"), SimTime.parse("900 ns"));
    }

    /** No time besides the network's. */
    public static Settings networkOnly() {
      return new Settings(SimTime.ZERO, SimTime.ZERO);
    }
  }

  @Override
  public CollectiveAlgorithm create(Settings settings) {
    return new TpuCollectives(settings);
  }
}
