package dev.heddle.docs;

// sample: provider
import dev.heddle.engine.Job;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.Network;
import dev.heddle.network.NetworkModel;
import dev.heddle.network.NetworkModelProvider;
import dev.heddle.network.RunOptions;
import dev.heddle.observe.NetworkObserver;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.units.SimTime;
import org.jspecify.annotations.Nullable;

/** Provides a fidelity by Hockney's model: a message takes a start-up time, latencies, and its bytes at a rate. */
@Plugin(id = "hockney",
    description = "Messages without contention: a start-up time, latencies, and bytes at the rate of the slowest link")
public final class HockneyModelProvider implements NetworkModelProvider<HockneyModelProvider.Settings> {
  private static final String ID = "hockney";

  /**
   * Settings of the model.
   *
   * @param startup time of a message besides the network's
   */
  public record Settings(
      @Setting(value = "time of a message besides the network's", def = "0 s") SimTime startup) {}

  private record Model(Settings settings) implements NetworkModel {
    @Override
    public String id() {
      return ID;
    }

    @Override
    public Network network(Fabric fabric, Job job, RunOptions options, @Nullable NetworkObserver observer) {
      return new HockneyNetwork(fabric, job, options, observer, settings.startup().ps());
    }
  }

  @Override
  public NetworkModel create(Settings settings) {
    return new Model(settings);
  }
}
// end
