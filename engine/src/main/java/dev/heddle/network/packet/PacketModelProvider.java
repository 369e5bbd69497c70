package dev.heddle.network.packet;

import dev.heddle.engine.Job;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.Network;
import dev.heddle.network.NetworkModel;
import dev.heddle.network.NetworkModelProvider;
import dev.heddle.network.RunOptions;
import dev.heddle.observe.NetworkObserver;
import dev.heddle.spi.Plugin;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Provides packet fidelity, {@link PacketNetwork}. */
@Plugin(id = "packet",
    description = "Discrete events of packets or bursts: buffers, credits, arbitration, transports, congestion control")
public final class PacketModelProvider implements NetworkModelProvider<PacketModelProvider.Settings> {
  private static final String ID = "packet";

  /** Packet fidelity has no settings. */
  public record Settings() {}

  private record Model() implements NetworkModel {
    @Override
    public String id() {
      return ID;
    }

    @Override
    public Network network(Fabric fabric, Job job, RunOptions options, @Nullable NetworkObserver observer) {
      return new PacketNetwork(fabric, job, options, observer);
    }

    @Override
    public boolean hasPackets() {
      return true;
    }

    @Override
    public List<String> warnings(RunOptions options) {
      return List.of();
    }

    @Override
    public List<String> divisionWarnings(Fabric fabric, RunOptions options) {
      if (options.partitions() <= 1 && options.threads() <= 1) {
        return List.of();
      }
      NetworkPlan plan = new NetworkPlan(fabric, options.burstBytes(), options.transport() != null);
      int most = FabricDivision.most(plan, options);
      if (most == 1) {
        return List.of(
            "run.threads: " + options.threads() + " has no effect with one partition; set run.partitions to at least "
                + options.threads());
      }
      FabricDivision division = new FabricDivision(plan, most);
      if (division.obstacle().isPresent()) {
        return List.of(
            (options.partitions() > 0 ? "run.partitions: " + most : "run.threads: " + options.threads())
                + " has no effect, the run is one partition on one thread: " + division.obstacle().get());
      }
      return options.threads() <= division.partitions ? List.of() : List.of(
          "run.threads: " + options.threads() + " has no effect beyond " + division.partitions
              + ", the number of partitions");
    }
  }

  @Override
  public NetworkModel create(Settings settings) {
    return new Model();
  }
}
