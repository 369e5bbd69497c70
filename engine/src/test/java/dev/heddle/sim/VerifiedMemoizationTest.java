package dev.heddle.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.engine.Job;
import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.network.Network;
import dev.heddle.network.NetworkModel;
import dev.heddle.network.RunOptions;
import dev.heddle.network.packet.PacketNetwork;
import dev.heddle.observe.NetworkObserver;
import dev.heddle.results.Results;
import dev.heddle.results.Results.Distribution;
import dev.heddle.results.Results.LinkUsage;
import dev.heddle.results.Results.Metric;
import dev.heddle.results.Results.RunInfo;
import dev.heddle.sim.SimulationOptions.Memoization;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Link;
import dev.heddle.spi.Switch;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.standard.collective.RingAlgorithmProvider;
import dev.heddle.standard.link.GenericLinkProvider;
import dev.heddle.standard.link.GenericSwitchProvider;
import dev.heddle.standard.topology.StarTopologyProvider;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests of {@code run.memoization: verify}: two runs are compared, and a disagreement is named. */
class VerifiedMemoizationTest {
  private static final int CALLS = 20;

  /** Packet fidelity whose runs with replay are of another fabric, as if replay were wrong. */
  private static final class Skewed implements NetworkModel {
    private final Fabric replayed;
    private final List<RunOptions> runs = new ArrayList<>();
    private final List<PacketNetwork> networks = new ArrayList<>();

    Skewed(Fabric replayed) {
      this.replayed = replayed;
    }

    @Override
    public String id() {
      return "packet";
    }

    @Override
    public Network network(Fabric fabric, Job job, RunOptions options, @Nullable NetworkObserver observer) {
      runs.add(options);
      networks.add(new PacketNetwork(options.memoizes() ? replayed : fabric, job, options, observer));
      return networks.get(networks.size() - 1);
    }
  }

  private static final class Calls implements Program {
    private int done;

    @Override
    public int streams() {
      return 1;
    }

    @Override
    public boolean next(int stream, Operation operation) {
      if (done++ == CALLS) {
        return false;
      }
      operation.collective(0, CollectiveOp.ALL_REDUCE, 64 << 10, 0);
      return true;
    }
  }

  private static Fabric star(double gigabitsPerSecond) {
    Link link = new GenericLinkProvider().create(new GenericLinkProvider.Settings(
        DataRate.ofGigabitsPerSecond(gigabitsPerSecond), SimTime.ofNanos(50), DataSize.ofBytes(1000),
        DataSize.ofBytes(24),
        Optional.of(DataSize.ofKiB(32)), Optional.empty(), 1));
    Switch centre = new GenericSwitchProvider().create(new GenericSwitchProvider.Settings(
        SimTime.ofNanos(100), Switch.Switching.CUT_THROUGH, Switch.Buffering.VIRTUAL_OUTPUT,
        Switch.Arbitration.ROUND_ROBIN, DataSize.ZERO, DataSize.ZERO));
    return Fabric.of(List.of(new Tier(
        "node", 1, Map.of(DeviceKind.ACCELERATOR, 8), Optional.empty(),
        new StarTopologyProvider().create(new StarTopologyProvider.Settings(link, Map.of(), centre)))));
  }

  private static Simulation simulation(Memoization memoization, NetworkModel model) {
    Workload workload = cluster -> {
      int[] ranks = cluster.terminals(DeviceKind.ACCELERATOR);
      return WorkloadPlan.of(ranks, (rank, context) -> new Calls())
          .withGroups(List.of(Group.of(IntStream.range(0, ranks.length).toArray())));
    };
    return new Simulation("verified", star(100), workload, SimulationOptions.defaults().memoization(memoization), 1)
        .with(new RingAlgorithmProvider().create(new RingAlgorithmProvider.Settings(1, 2))).at(model);
  }

  @Test
  void shouldSimulateBothWaysAndReturnTheReplayWhenTheyAgree() {
    Skewed model = new Skewed(star(100));
    Results verified = simulation(Memoization.VERIFY, model).run();
    assertThat(model.runs).extracting(RunOptions::memoizes).containsExactly(false, true);
    assertThat(model.networks.get(0).memoizedCalls()).isEqualTo(PacketNetwork.MemoizedCalls.NONE);
    assertThat(model.networks.get(1).memoizedCalls().replayed()).isEqualTo(CALLS);
    assertThat(verified).isEqualTo(simulation(Memoization.NONE, Fidelity.PACKET).run());
  }

  @Test
  void shouldNameTheResultWhenTheReplayTakesAnotherTime() {
    Skewed model = new Skewed(star(99));
    assertThatThrownBy(() -> simulation(Memoization.VERIFY, model).run()).isInstanceOf(SimulationException.class)
        .hasMessageMatching("the replay of collective calls has changed a result: [a-z]+\\.[a-z_.]+ is [0-9.E-]+"
            + " in place of [0-9.E-]+; run\\.memoization: none avoids it");
  }

  @Test
  void shouldNameEachResultThatDiffers() {
    Results results = simulation(Memoization.NONE, Fidelity.PACKET).run();
    assertThatCode(() -> new ReplayComparison(true).requireEqual(results, results)).doesNotThrowAnyException();
    Metric metric = results.metrics().get(0);
    List<Metric> fewer = results.metrics().subList(1, results.metrics().size());
    shouldName(results, with(results, fewer, results.distributions(), results.links()),
        metric.id() + " is null in place of " + metric.value());
    RunInfo run = results.run();
    shouldName(results, results.with(info(run, run.events() + 1, run.fingerprint())),
        "events is " + (run.events() + 1) + " in place of " + run.events());
    shouldName(results, results.with(info(run, run.events(), ~run.fingerprint())), "fingerprint of all deliveries");
    List<LinkUsage> links = new ArrayList<>(results.links());
    LinkUsage link = links.get(3);
    links.set(3, new LinkUsage(link.name(), link.tier(), link.rateGBps(), link.utilization(), link.payloadGBps(),
        link.units() - 1, link.creditStall(), link.maxQueueBytes()));
    shouldName(results, with(results, results.metrics(), results.distributions(), links),
        "link " + link.name() + ", units is " + (link.units() - 1) + " in place of " + link.units());
    shouldName(results, with(results, results.metrics(), results.distributions(), links.subList(0, 2)),
        "number of links is 2");
    List<Distribution> none = List.of();
    shouldName(results, with(results, results.metrics(), none, results.links()), "distribution of ");
  }

  private static Results with(
      Results results, List<Metric> metrics, List<Distribution> distributions, List<LinkUsage> links) {
    return new Results(results.run(), metrics, distributions, links, results.series());
  }

  private static RunInfo info(RunInfo run, long events, long fingerprint) {
    return new RunInfo(run.scenario(), run.version(), run.fidelity(), run.seed(), run.simulatedPs(), events,
        run.packetHops(), fingerprint, run.wallNanos());
  }

  private static void shouldName(Results simulated, Results replayed, String result) {
    assertThatThrownBy(() -> new ReplayComparison(true).requireEqual(simulated, replayed))
        .isInstanceOf(SimulationException.class).hasMessageContaining(result);
  }
}
