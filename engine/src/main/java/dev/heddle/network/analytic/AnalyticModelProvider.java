package dev.heddle.network.analytic;

import dev.heddle.engine.Job;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.Network;
import dev.heddle.network.NetworkModel;
import dev.heddle.network.NetworkModelProvider;
import dev.heddle.network.RunOptions;
import dev.heddle.network.flow.IdleFabric;
import dev.heddle.observe.NetworkObserver;
import dev.heddle.spi.Plugin;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Provides analytic fidelity, {@link AnalyticNetwork}. */
@Plugin(id = "analytic",
    description = "Uncontended times of messages, and the flow solution of each collective's own plan on the idle "
        + "fabric")
public final class AnalyticModelProvider implements NetworkModelProvider<AnalyticModelProvider.Settings> {
  private static final String ID = "analytic";

  /** Analytic fidelity has no settings. */
  public record Settings() {}

  private record Model() implements NetworkModel {
    @Override
    public String id() {
      return ID;
    }

    @Override
    public Network network(Fabric fabric, Job job, RunOptions options, @Nullable NetworkObserver observer) {
      return new AnalyticNetwork(fabric, job, options, observer);
    }

    @Override
    public List<String> warnings(RunOptions options) {
      return IdleFabric.warnings(ID, options);
    }
  }

  @Override
  public NetworkModel create(Settings settings) {
    return new Model();
  }
}
