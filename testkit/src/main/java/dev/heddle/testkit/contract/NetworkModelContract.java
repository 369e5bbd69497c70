package dev.heddle.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.NetworkModel;
import dev.heddle.results.Results;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationException;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.CongestionControl;
import dev.heddle.spi.ConnectionPath;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.TransportProtocol;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.standard.collective.RingAlgorithmProvider;
import dev.heddle.standard.workload.CollectiveWorkloadProvider;
import dev.heddle.testkit.fixture.Deliveries;
import dev.heddle.testkit.fixture.Deliveries.Delivery;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.testkit.fixture.OfferedMessages;
import dev.heddle.testkit.fixture.OfferedMessages.Offer;
import dev.heddle.testkit.fixture.Seeds;
import dev.heddle.units.DataSize;
import dev.heddle.units.RandomStream;
import dev.heddle.units.SimTime;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The rules of {@link NetworkModel}, on two nodes of four accelerators and a NIC.
 *
 * @param <S> the settings record
 */
public abstract class NetworkModelContract<S extends Record> extends ProviderContract<S, NetworkModel> {
  private static final Fabric FABRIC = Fabrics.nodesOnStars(2, 4);
  private static final int MESSAGES = 24;

  /** The largest deviation of a message on an idle fabric from packet fidelity, as a share of its time. */
  protected double deviation() {
    return 0.01;
  }

  /** Whether messages that meet on a link share its rate. */
  protected boolean contends() {
    return true;
  }

  static LongStream seeds() {
    return Seeds.several(5);
  }

  @Test
  void network1ShouldStateTheIdOfItsProvider() {
    for (S settings : settings()) {
      assertThat(product(settings).id()).isEqualTo(provider().id());
      assertThat(simulation(settings, List.of(new Offer(0, 1, 1))).run().run().fidelity()).isEqualTo(provider().id());
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void network2ShouldDeliverEveryMessageWholeAndOnce(long seed) {
    List<Offer> offers = offers(seed);
    for (S settings : settings()) {
      List<String> delivered = Deliveries.of(FABRIC, offers, SimulationOptions.defaults(), product(settings))
          .deliveries().stream().map(each -> each.source() + ">" + each.destination() + ":" + each.bytes()).toList();
      assertThat(delivered).as("seed %s, %s", seed, settings).containsExactlyInAnyOrderElementsOf(
          offers.stream().map(each -> each.source() + ">" + each.destination() + ":" + each.bytes()).toList());
    }
  }

  @Test
  void network2ShouldEndEveryCollective() {
    for (S settings : settings()) {
      for (CollectiveOp op : List.of(CollectiveOp.ALL_REDUCE, CollectiveOp.ALL_GATHER, CollectiveOp.REDUCE_SCATTER)) {
        Workload collective = new CollectiveWorkloadProvider()
            .create(CollectiveWorkloadProvider.Settings.of(op, DataSize.ofKiB(64)).repeats(3));
        Results results = new Simulation("contract", FABRIC, collective, SimulationOptions.defaults(), 1)
            .at(product(settings)).with(RingAlgorithmProvider.single()).run();
        assertThat(results.metric("collective." + op.key() + ".count").orElseThrow().value()).isEqualTo(3);
        assertThat(results.metric("collective." + op.key() + ".time").orElseThrow().value()).isPositive();
      }
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void network3ShouldRepeatItselfWhateverThePartitions(long seed) {
    for (S settings : settings()) {
      Simulation simulation = simulation(settings, offers(seed));
      Results first = simulation.run();
      assertThat(simulation.run()).as("seed %s, %s", seed, settings).isEqualTo(first);
      Simulation divided = new Simulation(
          simulation.name(), FABRIC, simulation.workload(), simulation.options().parallel(2, 2), 1).at(
              product(settings));
      assertThat(divided.run()).as("seed %s, %s, divided", seed, settings).isEqualTo(first);
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void network4ShouldDeliverNoMessageBeforeItsBytesAndLatenciesAllow(long seed) {
    for (S settings : settings()) {
      for (Delivery each : Deliveries.of(FABRIC, offers(seed), SimulationOptions.defaults(), product(settings))
          .deliveries()) {
        assertThat(each.atPs()).as("seed %s, %s, %s", seed, settings, each)
            .isGreaterThanOrEqualTo(leastPs(each.source(), each.destination(), each.bytes()));
      }
    }
  }

  private static long leastPs(int source, int destination, long bytes) {
    int[] links = FABRIC.route(source, destination);
    long latency = Arrays.stream(links).mapToLong(link -> FABRIC.linkModel(link).latencyPs()).sum();
    long wire = Arrays.stream(links).mapToLong(link -> FABRIC.linkModel(link).rate().wirePs(bytes)).max().orElse(0);
    return latency + wire;
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void network5ShouldKeepNoLinkBusyForLongerThanTheRun(long seed) {
    for (S settings : settings()) {
      Results results = simulation(settings, offers(seed)).run();
      assertThat(results.links()).as("seed %s, %s", seed, settings)
          .allSatisfy(link -> assertThat(link.utilization())
              .isBetween(0.0, contends() ? 1.0 : Double.POSITIVE_INFINITY));
    }
  }

  @Test
  void network5ShouldAgreeWithPacketsAboutAMessageOnAnIdleFabric() {
    for (S settings : settings()) {
      for (Offer offer : List.of(new Offer(0, 1, 1 << 20), new Offer(2, 7, 1 << 20), new Offer(6, 0, 1 << 24))) {
        long packet = arrival(offer, Fidelity.PACKET);
        assertThat((double) arrival(offer, product(settings))).as("%s, %s", offer, settings)
            .isCloseTo(packet, within(packet * deviation()));
      }
    }
  }

  private static long arrival(Offer offer, NetworkModel model) {
    return Deliveries.of(FABRIC, List.of(offer), SimulationOptions.defaults(), model).deliveries().get(0).atPs();
  }

  @Test
  void network6ShouldEndWithTheMeasuredWindow() {
    SimTime warmup = SimTime.parse("10 us");
    SimTime measure = SimTime.parse("20 us");
    for (S settings : settings()) {
      Results results = new Simulation("contract", FABRIC, new OfferedMessages(offers(1)),
          SimulationOptions.defaults().window(warmup, measure), 1).at(product(settings)).run();
      assertThat(results.run().simulatedPs()).as("%s", settings).isEqualTo(warmup.ps() + measure.ps());
    }
  }

  @Test
  void network6ShouldReportProgramsThatStallAndRunsBeyondTheirLimit() {
    for (S settings : settings()) {
      Simulation stalled = new Simulation("contract", FABRIC, cluster -> WorkloadPlan.of(
          FABRIC.terminals(DeviceKind.ACCELERATOR), (rank, context) -> new Receiver(rank == 0 ? 1 : 0)),
          SimulationOptions.defaults(), 1)
          .at(product(settings));
      assertThatThrownBy(stalled::run).as("%s", settings).isInstanceOf(SimulationException.class)
          .hasMessageContaining("stalled");
      Simulation late = new Simulation("contract", FABRIC, new OfferedMessages(List.of(new Offer(0, 1, 1 << 24))),
          SimulationOptions.defaults().limit(SimTime.parse("1 us")), 1).at(product(settings));
      assertThatThrownBy(late::run).as("%s", settings).isInstanceOf(SimulationException.class)
          .hasMessageContaining("not finished");
    }
  }

  @Test
  void network7ShouldModelATransportProtocolOrWarn() {
    for (S settings : settings()) {
      Simulation simulation = simulation(settings, List.of(new Offer(0, 5, 10_000)));
      assertThat(simulation.warnings()).as("%s, no transport", settings).isEmpty();
      Results results;
      try {
        results = simulation.with(new Unlimited()).run();
      } catch (SimulationException e) {
        assertThat(e).as("%s: refused", settings).hasMessageContaining("transport");
        continue;
      }
      assertThat(results.metric("acknowledged.last").isPresent()).as("%s: modelled, or a warning", settings)
          .isEqualTo(results.warnings().isEmpty());
    }
  }

  @Test
  void network8ShouldFitAFabricThatItRunsOn() {
    for (S settings : settings()) {
      assertThatCode(() -> product(settings).requireFits(FABRIC)).as("%s", settings).doesNotThrowAnyException();
    }
  }

  private Simulation simulation(S settings, List<Offer> offers) {
    return new Simulation("contract", FABRIC, new OfferedMessages(offers), SimulationOptions.defaults(), 1)
        .at(product(settings));
  }

  private static List<Offer> offers(long seed) {
    RandomStream random = RandomStream.of(seed, "NetworkModelContract", "offers");
    int[] accelerators = FABRIC.terminals(DeviceKind.ACCELERATOR);
    List<Offer> offers = new ArrayList<>();
    while (offers.size() < MESSAGES) {
      int source = accelerators[random.nextInt(accelerators.length)];
      int destination = accelerators[random.nextInt(accelerators.length)];
      if (source != destination) {
        offers.add(new Offer(source, destination, 1 + random.nextInt(200_000)));
      }
    }
    return offers;
  }

  /** Waits for a message that nobody sends. */
  private static final class Receiver implements Program {
    private final int peer;
    private boolean waits;

    Receiver(int peer) {
      this.peer = peer;
    }

    @Override
    public int streams() {
      return 1;
    }

    @Override
    public boolean next(int stream, Operation operation) {
      if (waits) {
        return false;
      }
      waits = true;
      operation.receive(peer, 0);
      return true;
    }
  }

  /** A transport protocol without limits of window and rate. */
  private record Unlimited() implements TransportProtocol {
    @Override
    public LossRecovery lossRecovery() {
      return LossRecovery.GO_BACK_N;
    }

    @Override
    public CongestionControl connect(ConnectionPath path) {
      return new CongestionControl() {};
    }

    @Override
    public long timeoutPs(ConnectionPath path) {
      return 10 * path.baseRttPs();
    }
  }
}
