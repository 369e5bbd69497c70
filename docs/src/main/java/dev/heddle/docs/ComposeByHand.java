package dev.heddle.docs;

import com.google.common.collect.ImmutableMap;
import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.results.Results;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Link;
import dev.heddle.spi.Switch;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.standard.link.GenericLinkProvider;
import dev.heddle.standard.link.GenericSwitchProvider;
import dev.heddle.standard.topology.StarTopologyProvider;
import dev.heddle.tier.Topology;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.util.List;

// sample: imports
// end

/** Composes a machine and a workload in Java, without a scenario file, a registry or a container. */
public final class ComposeByHand {
  private ComposeByHand() {}

  // sample: fabric
  /** Nodes of four accelerators and a NIC, joined by one switch. */
  static Fabric cluster(int nodes) {
    Switch fast = new GenericSwitchProvider()
        .create(GenericSwitchProvider.Settings.of(SimTime.parse("100 ns"), Switch.Buffering.VIRTUAL_OUTPUT));
    Tier node = Tier.inner(
        "node",
        ImmutableMap.of(DeviceKind.ACCELERATOR, 4, DeviceKind.NIC, 1),
        fast,
        star(link("256 Gb/s", "20 ns"), fast));
    Tier cluster = Tier.outer("cluster", nodes, star(link("400 Gb/s", "50 ns"), fast));
    return Fabric.of(List.of(node, cluster));
  }

  private static Link link(String rate, String latency) {
    return new GenericLinkProvider()
        .create(GenericLinkProvider.Settings.of(DataRate.parse(rate), SimTime.parse(latency)));
  }

  private static Topology star(Link link, Switch centre) {
    return new StarTopologyProvider().create(new StarTopologyProvider.Settings(link, ImmutableMap.of(), centre));
  }
  // end

  // sample: workload
  /** Every rank sends one message to the next and waits for the one from the rank before. */
  static Workload ring(long bytes) {
    return cluster -> WorkloadPlan.of(
        cluster.terminals(DeviceKind.ACCELERATOR), (rank, context) -> new RingProgram(rank, context.ranks(), bytes));
  }

  private static final class RingProgram implements Program {
    private final int next;
    private final int before;
    private final long bytes;
    private int done;

    RingProgram(int rank, int ranks, long bytes) {
      next = (rank + 1) % ranks;
      before = (rank + ranks - 1) % ranks;
      this.bytes = bytes;
    }

    @Override
    public int streams() {
      return 1;
    }

    @Override
    public boolean next(int stream, Operation operation) {
      switch (done++) {
        case 0 -> operation.send(next, bytes, 0, 0);
        case 1 -> operation.receive(before, 0);
        default -> {
          return false;
        }
      }
      return true;
    }
  }
  // end

  // sample: run
  /** Runs the ring until every message has arrived. */
  public static Results run() {
    SimulationOptions options = SimulationOptions.defaults()
        .granularity(SimulationOptions.Granularity.BURST, DataSize.ofKiB(16));
    return new Simulation("ring", cluster(4), ring(1 << 20), options, 1).run();
  }
  // end
}
