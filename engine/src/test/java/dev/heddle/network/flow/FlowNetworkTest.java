package dev.heddle.network.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.observe.NetworkObserver;
import dev.heddle.results.Results;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationException;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Link;
import dev.heddle.spi.Switch;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.spi.WorkloadPlan;
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
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The flow network against closed forms on a star: 100 Gb/s, 4096 B + 64 B packets, 10 ns a link, 100 ns between. */
class FlowNetworkTest {
  private static final int RANKS = 9;
  private static final long MIB = 1 << 20;
  private static final long MIB_WIRE_PS = 256 * 4160 * 80L;
  private static final long ZERO_LOAD_PS = 2 * 10_000 + 100_000;

  private static Fabric star() {
    return star(SimTime.ofNanos(10), Optional.empty());
  }

  private static Fabric star(SimTime latency, Optional<DataSize> buffer) {
    Link link =
        new GenericLinkProvider()
            .create(
                new GenericLinkProvider.Settings(
                    DataRate.ofGigabitsPerSecond(100), latency, DataSize.ofKiB(4), DataSize.ofBytes(64), buffer,
                    Optional.empty(), 1));
    Switch centre =
        new GenericSwitchProvider()
            .create(
                new GenericSwitchProvider.Settings(
                    SimTime.ofNanos(100), Switch.Switching.CUT_THROUGH, Switch.Buffering.VIRTUAL_OUTPUT,
                    Switch.Arbitration.ROUND_ROBIN, DataSize.ZERO, DataSize.ZERO));
    return Fabric.of(
        List.of(
            new Tier(
                "node", 1, Map.of(DeviceKind.ACCELERATOR, RANKS), Optional.empty(),
                new StarTopologyProvider().create(new StarTopologyProvider.Settings(link, Map.of(), centre)))));
  }

  /** One stream per rank, one operation after another. */
  private static final class Listed implements Workload {
    private final List<List<Consumer<Operation>>> operations = new ArrayList<>();

    Listed() {
      for (int rank = 0; rank < RANKS; rank++) {
        operations.add(new ArrayList<>());
      }
    }

    Listed add(int rank, Consumer<Operation> operation) {
      operations.get(rank).add(operation);
      return this;
    }

    @Override
    public WorkloadPlan plan(Cluster cluster) {
      return WorkloadPlan.of(ranks(cluster), this::program);
    }

    private int[] ranks(Cluster cluster) {
      return cluster.terminals(DeviceKind.ACCELERATOR);
    }

    private Program program(int rank, WorkloadContext context) {
      return new Program() {
        private int done;

        @Override
        public int streams() {
          return 1;
        }

        @Override
        public boolean next(int stream, Operation operation) {
          if (done == operations.get(rank).size()) {
            return false;
          }
          operations.get(rank).get(done++).accept(operation);
          return true;
        }
      };
    }
  }

  private static Simulation simulation(Workload workload, SimulationOptions options) {
    return new Simulation("test", star(), workload, options, 1).at(Fidelity.FLOW);
  }

  private static Results run(Workload workload) {
    return simulation(workload, SimulationOptions.defaults()).run();
  }

  private static double picoseconds(Results results) {
    return results.metric("time").orElseThrow().value() * 1e6;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 8})
  void shouldTakeAsManyTimesAsLongWhenFlowsShareOneLink(int senders) {
    Listed incast = new Listed();
    for (int rank = 1; rank <= senders; rank++) {
      incast.add(rank, operation -> operation.generate(0, 0, MIB, 0));
    }
    assertThat(picoseconds(run(incast))).isCloseTo(senders * MIB_WIRE_PS + ZERO_LOAD_PS, within(2.0));
  }

  // Links of 5 us whose buffers of 64 KiB hold 15 packets: a round of credits takes a packet's time on the next link,
  // both ways and the switch.
  private static final long PACKET_PS = 4160 * 80L;
  private static final long LONG_PS = 5_000_000;
  private static final long ROUND_PS = PACKET_PS + 2 * LONG_PS + 100_000;

  private static double longPicoseconds(Workload workload) {
    return picoseconds(
        new Simulation(
            "test", star(SimTime.ofPs(LONG_PS), Optional.of(DataSize.ofKiB(64))), workload,
            SimulationOptions.defaults(), 1).at(Fidelity.FLOW).run());
  }

  @Test
  void shouldSendAWindowInEachRoundOfCreditsWhenAMessageIsAlone() {
    Listed one = new Listed().add(1, operation -> operation.generate(0, 0, MIB, 0));
    assertThat(longPicoseconds(one)).isCloseTo(255 / 15 * ROUND_PS + PACKET_PS + 2 * LONG_PS + 100_000, within(2.0));
  }

  @Test
  void shouldSendAtTheRateOfTheLinkWhenCreditsCoverAMessage() {
    Listed one = new Listed().add(1, operation -> operation.generate(0, 0, 15 * 4096, 0));
    assertThat(longPicoseconds(one)).isCloseTo(15 * PACKET_PS + 2 * LONG_PS + 100_000, within(2.0));
  }

  @Test
  void shouldDeliverMessagesWithoutPayloadWhereCreditsRunOut() {
    Listed none = new Listed().add(0, operation -> operation.send(1, 0, 7, 0))
        .add(1, operation -> operation.receive(0, 7));
    assertThat(longPicoseconds(none)).isBetween(2.0 * LONG_PS, 2.0 * LONG_PS + PACKET_PS + 100_000);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 8})
  void shouldShareTheCreditsOfALinkWhenSeveralFlowsCrossIt(int senders) {
    // The last link's credits come back when a packet has arrived: one round lets 15 packets of all senders through.
    Listed incast = new Listed();
    for (int rank = 1; rank <= senders; rank++) {
      incast.add(rank, operation -> operation.generate(0, 0, 4 * MIB, 0));
    }
    double rounds = senders * 1024 / 15.0;
    assertThat(longPicoseconds(incast)).isCloseTo(rounds * (ROUND_PS - 100_000), within(0.02 * rounds * ROUND_PS));
  }

  @Test
  void shouldHaveNoCreditsLeftWhenAMessageFollowsOneThatTookThem() {
    Listed two = new Listed()
        .add(0, operation -> operation.send(1, 15 * 4096, 7, 0)).add(0, operation -> operation.send(2, 15 * 4096, 7, 0))
        .add(1, operation -> operation.receive(0, 7)).add(2, operation -> operation.receive(0, 7));
    assertThat(longPicoseconds(two))
        .isCloseTo(ROUND_PS + 15 * PACKET_PS + 2 * LONG_PS + 100_000, within(0.02 * ROUND_PS));
  }

  @Test
  void shouldSendOneMessageAfterAnotherWhenARankSubmitsSeveral() {
    Listed several = new Listed();
    for (int peer = 1; peer <= 4; peer++) {
      int to = peer;
      several.add(0, operation -> operation.send(to, MIB, 7, 0));
      several.add(to, operation -> operation.receive(0, 7));
    }
    List<Long> deliveries = new ArrayList<>();
    simulation(several, SimulationOptions.defaults()).run(new NetworkObserver() {
      @Override
      public void transmitted(int link, int channel, long startPs, long endPs, int payloadBytes) {
        assertThat(endPs - startPs).isEqualTo(MIB_WIRE_PS);
      }

      @Override
      public void delivered(int source, int destination, long bytes, long generatedPs, long deliveredPs) {
        deliveries.add(deliveredPs);
      }
    });
    for (int i = 0; i < 4; i++) {
      assertThat(deliveries.get(i)).isEqualTo((i + 1) * MIB_WIRE_PS + ZERO_LOAD_PS);
    }
  }

  @Test
  void shouldSpeedUpWhenAFlowThatSharedTheLinkHasEnded() {
    // Half the rate each until the short message has ended, then the whole link for the rest of the long one.
    Listed two =
        new Listed()
            .add(1, operation -> operation.generate(0, 0, MIB, 0))
            .add(2, operation -> operation.generate(0, 0, 3 * MIB, 0));
    List<Long> deliveries = new ArrayList<>();
    simulation(two, SimulationOptions.defaults()).run(new NetworkObserver() {
      @Override
      public void transmitted(int link, int channel, long startPs, long endPs, int payloadBytes) {
        assertThat(endPs).isGreaterThan(startPs);
      }

      @Override
      public void delivered(int source, int destination, long bytes, long generatedPs, long deliveredPs) {
        deliveries.add(deliveredPs);
      }
    });
    assertThat(deliveries.get(0)).isCloseTo(2 * MIB_WIRE_PS + ZERO_LOAD_PS, within(2L));
    assertThat(deliveries.get(1)).isCloseTo(4 * MIB_WIRE_PS + ZERO_LOAD_PS, within(2L));
  }

  @Test
  void shouldDeliverAMessageWithoutBytesWhenOneIsSent() {
    Listed empty =
        new Listed().add(0, operation -> operation.send(1, 0, 3, 0)).add(1, operation -> operation.receive(0, 3));
    assertThat(picoseconds(run(empty))).isCloseTo(64 * 80 + ZERO_LOAD_PS, within(1.0));
  }

  @Test
  void shouldCountWhatALinkCarriesWithinTheWindowWhenARunEndsWithIt() {
    Listed endless = new Listed().add(1, operation -> operation.generate(0, 0, 1L << 30, 0));
    SimulationOptions window =
        SimulationOptions.defaults().window(SimTime.parse("10 us"), SimTime.parse("100 us"));
    Results results = simulation(endless, window).run();
    Results.LinkUsage busy =
        results.links().stream().filter(link -> link.utilization() > 0).findFirst().orElseThrow();
    assertThat(busy.utilization()).isCloseTo(1, within(1e-9));
    assertThat(busy.payloadGBps()).isCloseTo(12.5 * 4096 / 4160, within(1e-4));
  }

  @Test
  void shouldRefuseMessagesWhenTheInjectionQueueIsFull() {
    Listed burst = new Listed();
    for (int i = 0; i < 10; i++) {
      burst.add(1, operation -> operation.generate(0, 0, MIB, 0));
    }
    Results results = simulation(burst, SimulationOptions.defaults().injectionQueue(4)).run();
    assertThat(results.metric("messages.delivered").orElseThrow().value()).isEqualTo(4);
    assertThat(results.metric("messages.refused").orElseThrow().value()).isEqualTo(6);
  }

  @Test
  void shouldSayWhoWaitsForWhomWhenAProgramStalls() {
    Listed stalled = new Listed().add(3, operation -> operation.receive(5, 9));
    assertThatThrownBy(() -> run(stalled))
        .isInstanceOf(SimulationException.class)
        .hasMessageContaining("stalled at 0")
        .hasMessageContaining("rank 3 stream 0: receive from rank 5, tag 9");
  }

  @Test
  void shouldNameTheLimitWhenARunPassesIt() {
    Listed late = new Listed().add(0, operation -> operation.compute(SimTime.parse("2 h").ps()));
    assertThatThrownBy(() -> run(late))
        .isInstanceOf(SimulationException.class)
        .hasMessageContaining("not finished after 3600 s")
        .hasMessageContaining("run.limit");
  }

  @Test
  void shouldTakeWhatEachTakesAloneWhenTheFidelityIsAnalytic() {
    Listed incast = new Listed();
    for (int rank = 1; rank < 4; rank++) {
      incast.add(rank, operation -> operation.send(0, 1 << 20, Operation.ONE_SIDED, 0));
    }
    Listed single = new Listed().add(1, operation -> operation.send(0, 1 << 20, Operation.ONE_SIDED, 0));
    double alone = run(single).metric("fct").orElseThrow().value();
    Results analytic = simulation(incast, SimulationOptions.defaults()).at(Fidelity.ANALYTIC).run();
    assertThat(analytic.metric("fct").orElseThrow().value()).isEqualTo(alone);
    assertThat(run(incast).metric("fct").orElseThrow().value()).isGreaterThan(2.5 * alone);
  }
}
