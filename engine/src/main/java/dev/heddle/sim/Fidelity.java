package dev.heddle.sim;

import dev.heddle.engine.Job;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.Network;
import dev.heddle.network.NetworkModel;
import dev.heddle.network.RunOptions;
import dev.heddle.network.analytic.AnalyticModelProvider;
import dev.heddle.network.flow.FlowModelProvider;
import dev.heddle.network.packet.PacketModelProvider;
import dev.heddle.observe.NetworkObserver;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The fidelities of this module, for composition in Java. Scenarios name these and those of other jars by their id. */
public enum Fidelity implements NetworkModel {
  /** Discrete events of packets or bursts. */
  PACKET(new PacketModelProvider().create(new PacketModelProvider.Settings())),
  /** Fluids with max-min fair rates. */
  FLOW(new FlowModelProvider().create(new FlowModelProvider.Settings())),
  /** The flow solution of each message and each collective on the idle fabric. */
  ANALYTIC(new AnalyticModelProvider().create(new AnalyticModelProvider.Settings()));

  private final NetworkModel model;

  Fidelity(NetworkModel model) {
    this.model = model;
  }

  @Override
  public String id() {
    return model.id();
  }

  @Override
  public Network network(Fabric fabric, Job job, RunOptions options, @Nullable NetworkObserver observer) {
    return model.network(fabric, job, options, observer);
  }

  @Override
  public void requireFits(Fabric fabric) {
    model.requireFits(fabric);
  }

  @Override
  public boolean hasPackets() {
    return model.hasPackets();
  }

  @Override
  public List<String> warnings(RunOptions options) {
    return model.warnings(options);
  }

  @Override
  public List<String> divisionWarnings(Fabric fabric, RunOptions options) {
    return model.divisionWarnings(fabric, options);
  }
}
