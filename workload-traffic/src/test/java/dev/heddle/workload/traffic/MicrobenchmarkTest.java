package dev.heddle.workload.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.common.collect.ImmutableMap;
import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Link;
import dev.heddle.spi.Switch;
import dev.heddle.standard.link.GenericLinkProvider;
import dev.heddle.standard.link.GenericSwitchProvider;
import dev.heddle.standard.topology.DirectTopologyProvider;
import dev.heddle.testkit.contract.WorkloadContract;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import dev.heddle.workload.traffic.MicrobenchmarkWorkloadProvider.Measure;
import dev.heddle.workload.traffic.MicrobenchmarkWorkloadProvider.Mpi;
import dev.heddle.workload.traffic.MicrobenchmarkWorkloadProvider.Settings;
import dev.heddle.workload.traffic.MicrobenchmarkWorkloadProvider.Test;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the microbenchmarks against sums over their steps, calculated by hand, on links without overhead. */
class MicrobenchmarkTest {
  // Times in nanoseconds; PCIe 80 ps a byte and 50 ns, network 100 ps a byte and 200 ns, packets of 4000 B.
  private static final double POST = 10;
  private static final double PROCESS = 20;
  private static final double RECEIVE = 30;
  private static final double POLL = 40;
  private static final double MEMORY = 100;
  private static final double COMPLETION = 7;
  private static final double PCIE = 0.08;
  private static final double PCIE_LATENCY = 50;
  private static final double WIRE = 0.1;
  private static final double WIRE_LATENCY = 200;

  private static SimTime nanos(double value) {
    return SimTime.ofNanos(value);
  }

  private static Hca hca(int initialReads) {
    return new Hca(
        nanos(POST), nanos(PROCESS), nanos(500), nanos(600), nanos(700), nanos(RECEIVE), nanos(POLL), nanos(MEMORY),
        nanos(COMPLETION), DataSize.ofBytes(64), DataSize.ofBytes(64), DataSize.ofBytes(220), DataSize.ofBytes(500), 64,
        initialReads, 16);
  }

  private static Settings settings(Test test, Measure measure, long size, int iterations) {
    return new Settings(
        test, measure, DataSize.ofBytes(size), iterations, 128, hca(64),
        new Mpi(nanos(90), DataSize.ofKiB(16), DataRate.ofGigabitsPerSecond(80)));
  }

  private static Link link(double gigabits, double latency, int payload) {
    return new GenericLinkProvider()
        .create(
            new GenericLinkProvider.Settings(
                DataRate.ofGigabitsPerSecond(gigabits), nanos(latency), DataSize.ofBytes(payload), DataSize.ZERO,
                Optional.empty(), Optional.empty(), 1));
  }

  private static Fabric hosts() {
    Switch nic =
        new GenericSwitchProvider()
            .create(GenericSwitchProvider.Settings.of(SimTime.ZERO, Switch.Buffering.VIRTUAL_OUTPUT));
    return Fabric.of(
        List.of(
            Tier.inner(
                "node", ImmutableMap.of(DeviceKind.CPU, 1, DeviceKind.NIC, 1), nic,
                new DirectTopologyProvider()
                    .create(new DirectTopologyProvider.Settings(link(100, PCIE_LATENCY, 500)))),
            Tier.outer(
                "network", 2,
                new DirectTopologyProvider()
                    .create(new DirectTopologyProvider.Settings(link(80, WIRE_LATENCY, 4000))))));
  }

  private static double nanos(Settings settings) {
    return new Simulation(
        "test", hosts(), new MicrobenchmarkWorkloadProvider().create(settings), SimulationOptions.defaults(), 1)
        .run().metric("time").orElseThrow().value() * 1e3;
  }

  private static double transfer(double bytes) {
    return bytes * PCIE + PCIE_LATENCY;
  }

  private static double cross(double bytes) {
    return bytes * WIRE + WIRE_LATENCY;
  }

  // On links without overhead an empty read request takes the least possible time.
  private static double fetch(double bytes) {
    return PCIE_LATENCY + MEMORY + transfer(bytes);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 128, 220})
  void shouldTakeTheSumOfItsStepsWhenAWriteTravelsWithItsRequest(long size) {
    double oneWay = POST + transfer(64 + size) + PROCESS + cross(size) + RECEIVE + transfer(size) + POLL;
    assertThat(nanos(settings(Test.IB_WRITE, Measure.LATENCY, size, 1))).isCloseTo(2 * oneWay, within(0.02));
  }

  @ParameterizedTest
  @ValueSource(longs = {221, 500, 2000, 4000})
  void shouldFetchFromMemoryFirstWhenAWriteIsLonger(long size) {
    double oneWay = POST + transfer(64) + PROCESS + fetch(size) + cross(size) + RECEIVE + transfer(size) + POLL;
    assertThat(nanos(settings(Test.IB_WRITE, Measure.LATENCY, size, 3))).isCloseTo(6 * oneWay, within(0.2));
  }

  @ParameterizedTest
  @ValueSource(longs = {500, 4000})
  void shouldWriteACompletionBehindTheDataWhenItIsASend(long size) {
    // The adapter makes the completion while the data are still in transit; on the wire it follows the data if these
    // take longer.
    double behind = Math.max(COMPLETION, size * PCIE) + 64 * PCIE + PCIE_LATENCY;
    double oneWay = POST + transfer(64) + PROCESS + fetch(size) + cross(size) + RECEIVE + behind + POLL;
    assertThat(nanos(settings(Test.IB_SEND, Measure.LATENCY, size, 1))).isCloseTo(2 * oneWay, within(0.1));
  }

  @ParameterizedTest
  @ValueSource(longs = {500, 4000})
  void shouldCrossTheNetworkTwiceWhenItIsARead(long size) {
    double behind = Math.max(COMPLETION, size * PCIE) + 64 * PCIE + PCIE_LATENCY;
    double whole =
        POST + transfer(64) + PROCESS + WIRE_LATENCY + RECEIVE + fetch(size) + cross(size) + RECEIVE + behind + POLL;
    assertThat(nanos(settings(Test.IB_READ, Measure.LATENCY, size, 2))).isCloseTo(2 * whole, within(0.2));
  }

  @ParameterizedTest
  @CsvSource({"IB_WRITE, 500, 500", "IB_SEND, 500, 600", "IB_READ, 500, 700", "IB_WRITE, 40000, 4000",
      "IB_SEND, 40000, 4000", "IB_READ, 40000, 4000"})
  void shouldStreamAtTheSlowestOfGapAndWire(Test test, long size, double nanosEach) {
    int messages = 200;
    double steady =
        (nanos(settings(test, Measure.BANDWIDTH, size, 2 * messages))
            - nanos(settings(test, Measure.BANDWIDTH, size, messages))) / messages;
    assertThat(steady).isCloseTo(nanosEach, within(0.01 * nanosEach));
  }

  @org.junit.jupiter.api.Test
  void shouldStallForOneReadWhenTheFirstWindowMustDrain() {
    // With 16 reads of 500 B, a message of 8000 B fits the first window; one of 12000 B waits for one more fetch.
    Settings open = settings(Test.IB_WRITE, Measure.LATENCY, 12_000, 1);
    Settings windowed =
        new Settings(
            open.test(), open.measure(), open.size(), 1, open.depth(), hca(16), open.mpi());
    double stall = (nanos(windowed) - nanos(open)) / 2;
    // The third packet is read a fetch after the 16 pieces of the first two, while the wire is still busy with these.
    double read = 3 * 4000 * PCIE + PCIE_LATENCY + MEMORY + PCIE_LATENCY;
    double wireFree = 4000 * PCIE + 2 * 4000 * WIRE;
    assertThat(stall).isCloseTo(read - wireFree, within(0.1));
    assertThat(
        nanos(
            new Settings(
                open.test(), open.measure(), DataSize.ofBytes(8000), 1, open.depth(), hca(16), open.mpi())))
        .isEqualTo(nanos(settings(Test.IB_WRITE, Measure.LATENCY, 8000, 1)));
  }

  @org.junit.jupiter.api.Test
  void shouldNegotiateLongMessagesWhenMpiSends() {
    double eager = nanos(settings(Test.OSU_LATENCY, Measure.LATENCY, 16_384, 1)) / 2;
    double send = nanos(settings(Test.IB_SEND, Measure.LATENCY, 16_384, 1)) / 2;
    // Overhead and a copy on both sides.
    assertThat(eager - send).isCloseTo(2 * (90 + 16_384 * 0.1), within(0.1));
    double rendezvous = nanos(settings(Test.OSU_LATENCY, Measure.LATENCY, 16_385, 1)) / 2;
    double control = nanos(settings(Test.IB_SEND, Measure.LATENCY, 64, 1)) / 2;
    double data = nanos(settings(Test.IB_SEND, Measure.LATENCY, 16_385, 1)) / 2;
    assertThat(rendezvous - data).isCloseTo(2 * control + 3 * 2 * 90, within(1.0));
  }

  @org.junit.jupiter.api.Test
  void shouldRefuseWhatDoesNotFitTogether() {
    assertThatThrownBy(() -> hca(65)).isInstanceOf(InvalidSettingException.class).hasMessageContaining("65");
    assertThatThrownBy(
        () -> new MicrobenchmarkWorkloadProvider()
            .create(settings(Test.OSU_LATENCY, Measure.BANDWIDTH, 64, 1)))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("latency alone");
    Fabric one =
        Fabric.of(
            List.of(
                new Tier(
                    "node", 1, ImmutableMap.of(DeviceKind.CPU, 1, DeviceKind.NIC, 1), Optional.empty(),
                    new DirectTopologyProvider()
                        .create(new DirectTopologyProvider.Settings(link(100, PCIE_LATENCY, 500))))));
    assertThatThrownBy(
        () -> new MicrobenchmarkWorkloadProvider()
            .create(settings(Test.IB_WRITE, Measure.LATENCY, 64, 1)).plan(one))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("two nodes");
  }

  @Nested
  class Contract extends WorkloadContract<Settings> {
    @Override
    protected MicrobenchmarkWorkloadProvider provider() {
      return new MicrobenchmarkWorkloadProvider();
    }

    @Override
    protected List<Settings> settings() {
      List<Settings> all = new ArrayList<>();
      for (Test test : Test.values()) {
        for (Measure measure : Measure.values()) {
          if (test != Test.OSU_LATENCY || measure == Measure.LATENCY) {
            all.add(MicrobenchmarkTest.settings(test, measure, 100, 3));
            all.add(MicrobenchmarkTest.settings(test, measure, 20_001, 3));
          }
        }
      }
      return all;
    }

    @Override
    protected Cluster cluster(Settings settings) {
      return hosts();
    }
  }
}
