package dev.heddle.network.flow;

import dev.heddle.engine.Job;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.Network;
import dev.heddle.network.NetworkModel;
import dev.heddle.network.NetworkModelProvider;
import dev.heddle.network.RunOptions;
import dev.heddle.observe.NetworkObserver;
import dev.heddle.spi.Plugin;
import java.lang.ref.WeakReference;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Provides flow fidelity, {@link FlowNetwork}. */
@Plugin(id = "flow",
    description = "Fluids with max-min fair rates over links of the same wire times, latencies and paths")
public final class FlowModelProvider implements NetworkModelProvider<FlowModelProvider.Settings> {
  private static final String ID = "flow";

  /** Flow fidelity has no settings. */
  public record Settings() {}

  /** Networks of one fabric after another share its compiled form as long as one of them is in use. */
  private static final class Model implements NetworkModel {
    private volatile WeakReference<FlowPlan> last = new WeakReference<>(null);

    @Override
    public String id() {
      return ID;
    }

    @Override
    public Network network(Fabric fabric, Job job, RunOptions options, @Nullable NetworkObserver observer) {
      return new FlowNetwork(plan(fabric, options), job, options, observer);
    }

    private FlowPlan plan(Fabric fabric, RunOptions options) {
      FlowPlan known = last.get();
      if (known != null && known.fits(fabric, options)) {
        return known;
      }
      FlowPlan plan = FlowNetwork.compiled(fabric, options);
      last = new WeakReference<>(plan);
      return plan;
    }

    @Override
    public List<String> warnings(RunOptions options) {
      return IdleFabric.flowWarnings(ID, options);
    }
  }

  @Override
  public NetworkModel create(Settings settings) {
    return new Model();
  }
}
