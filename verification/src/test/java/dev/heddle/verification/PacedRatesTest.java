package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.sim.Simulation;
import dev.heddle.spi.CongestionControl;
import dev.heddle.spi.ConnectionPath;
import dev.heddle.spi.TransportProtocol;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Controls of rates on the fluid queues of flow fidelity, against closed forms. */
class PacedRatesTest {
  private static final double LINE = 100e9;
  private static final double WIRE = (4096.0 + 82) / 4096;
  private static final long GAP_PS = 50_000_000;

  private static final String INCAST = """
      name: incast
      fidelity: flow
      run: {granularity: packet}
      transport: {type: roce}
      cluster:
        tiers:
          - name: net
            terminals: {accelerator: 5}
            topology:
              type: star
              link: {type: ethernet, rate: 100 Gb/s, latency: 1 us}
              centre: {type: ethernet, ecn: {min: 100 KB, max: 400 KB, probability: 20 %}}
      workload: {type: traffic, pattern: incast, loop: closed, messages: 1, message-size: 10 MB}
      """;

  /** A control of a constant rate that keeps the signals that it gets. */
  private static final class Recorder implements CongestionControl {
    final long rate;
    final ConnectionPath path;
    final List<Long> notified = new ArrayList<>();
    final List<long[]> trips = new ArrayList<>();

    Recorder(long rate, ConnectionPath path) {
      this.rate = rate;
      this.path = path;
    }

    @Override
    public long rateBitsPerSecond() {
      return rate;
    }

    @Override
    public void onNotification(long nowPs) {
      notified.add(nowPs);
    }

    @Override
    public void onAcknowledgement(Acknowledgement acknowledgement) {
      trips.add(new long[] {acknowledgement.nowPs(), acknowledgement.roundTripPs()});
    }
  }

  /** A protocol whose connections send at a constant rate. */
  private static final class Constant implements TransportProtocol {
    final List<Recorder> recorders = new ArrayList<>();
    private final double rate;

    Constant(double rate) {
      this.rate = rate;
    }

    @Override
    public LossRecovery lossRecovery() {
      return LossRecovery.GO_BACK_N;
    }

    @Override
    public CongestionControl connect(ConnectionPath path) {
      Recorder recorder = new Recorder((long) rate, path);
      recorders.add(recorder);
      return recorder;
    }

    @Override
    public boolean suitsFluid() {
      return true;
    }

    @Override
    public long timeoutPs(ConnectionPath path) {
      return 10 * path.baseRttPs();
    }

    @Override
    public long notificationPs() {
      return GAP_PS;
    }
  }

  private static Results run(String scenario, Map<String, String> overrides, TransportProtocol protocol) {
    try (Registry registry = Registry.discover(PacedRatesTest.class.getClassLoader(), List.of())) {
      Simulation parsed = new ScenarioReader(registry).parse("test.yaml", scenario, overrides).points().get(0)
          .scenario().simulation();
      return new Simulation(
          parsed.name(), parsed.fabric(), parsed.workload(), parsed.options(), parsed.seed(), parsed.fidelity(),
          parsed.collectives(), Optional.of(protocol)).run();
    }
  }

  private static double us(Results results) {
    return results.metric("time").orElseThrow().value();
  }

  /** Four flows that fill half of the link together take as long as each at its own rate, and nothing waits. */
  @Test
  void shouldTakeTimeOfRatesWhenTheyFitTheLink() {
    Constant eighths = new Constant(LINE / 8);
    double own = 10e6 * WIRE * 8 / (LINE / 8) * 1e6;
    assertThat(us(run(INCAST, Map.of(), eighths))).isBetween(own, own + 5);
    assertThat(eighths.recorders).hasSize(4).allSatisfy(recorder -> {
      assertThat(recorder.notified).isEmpty();
      // An acknowledgement waits for the packet on the wire at most, a packet for one at each link.
      assertThat(recorder.trips).isNotEmpty().allSatisfy(
          trip -> assertThat(trip[1] - recorder.path.baseRttPs()).isBetween(0L, 1_500_000L));
    });
  }

  /** Four flows that want twice the link take its time; what waits grows by a second of traffic in each second. */
  @Test
  void shouldGrowQueueByExcessWhenRatesExceedTheLink() {
    Constant halves = new Constant(LINE / 2);
    double all = 40e6 * WIRE * 8 / LINE * 1e6;
    assertThat(us(run(INCAST, Map.of(), halves))).isBetween(all, all + 10);
    assertThat(halves.recorders).hasSize(4).allSatisfy(recorder -> {
      double sendingPs = 10e6 * WIRE * 8 / (LINE / 2) * 1e12;
      recorder.trips.stream().filter(trip -> trip[0] - trip[1] < sendingPs).forEach(trip -> {
        double left = trip[0] - trip[1];
        assertThat(trip[1] - recorder.path.baseRttPs()).isCloseTo((long) left, within(6_000_000L));
      });
      assertThat(recorder.trips).hasSizeGreaterThan(5);
    });
  }

  /**
   * Where every packet is marked, the next one after a notification's time sends the next: half a time between packets
   * later in the mean, a quarter of the link's rate for each of four flows.
   */
  @Test
  void shouldNotifyAtNextPacketWhenAllAreMarked() {
    Constant lines = new Constant(LINE);
    run(INCAST, Map.of("workload.message-size", "50 MB"), lines);
    double between = (4096 + 82) * 8 / (LINE / 4) * 1e12;
    for (Recorder recorder : lines.recorders) {
      List<Long> times = recorder.notified;
      double mean = (double) (times.get(times.size() - 1) - times.get(0)) / (times.size() - 1);
      assertThat(mean).isCloseTo(GAP_PS + between / 2, within(0.1 * between));
    }
  }

  /** Marks are drawn from the seed and the connection: the same run twice gives the same signals. */
  @Test
  void shouldRepeatSignalsWhenSeedIsTheSame() {
    Constant first = new Constant(LINE);
    Constant second = new Constant(LINE);
    run(INCAST, Map.of(), first);
    run(INCAST, Map.of(), second);
    assertThat(first.recorders.stream().map(each -> each.notified).toList())
        .isEqualTo(second.recorders.stream().map(each -> each.notified).toList());
  }

  /** Messages of a connection leave the host one behind another, so that their queue outlasts each of them. */
  @ParameterizedTest
  @CsvSource({
      "dcqcn, 32 KiB, 64, 0.04", "dcqcn, 128 KiB, 64, 0.02", "dcqcn, 256 KiB, 64, 0.02", "timely, 32 KiB, 64, 0.15",
      "timely, 128 KiB, 64, 0.05", "timely, 256 KiB, 64, 0.05"})
  void shouldEndIncastsOfManyShortMessagesWithPackets(String control, String size, String messages, double tolerance) {
    double packet = incastUs(control, size, messages, "packet");
    assertThat(incastUs(control, size, messages, "flow")).isCloseTo(packet, within(tolerance * packet));
  }

  /** A paused link fills of its headroom the bytes that were on its way, so that queues stay below the end of it. */
  @Test
  void shouldFillNoMoreOfAHeadroomThanIsOnItsWay() {
    String pausing = INCAST.replace("accelerator: 5", "accelerator: 9").replace("latency: 1 us", "latency: 2 us")
        .replace("probability: 20 %}", "probability: 20 %}, buffer: 32 MB, pfc: {threshold: 20 KB, headroom: 100 KB}");
    double packet = incastUs(pausing, "dcqcn", "1 MiB", "8", "packet");
    assertThat(incastUs(pausing, "dcqcn", "1 MiB", "8", "flow")).isCloseTo(packet, within(0.05 * packet));
  }

  private static double incastUs(String control, String size, String messages, String fidelity) {
    return incastUs(INCAST, control, size, messages, fidelity);
  }

  private static double incastUs(String scenario, String control, String size, String messages, String fidelity) {
    try (Registry registry = Registry.discover(PacedRatesTest.class.getClassLoader(), List.of())) {
      return us(
          new ScenarioReader(registry).parse("test.yaml", scenario, Map.of(
              "transport.congestion", control, "workload.message-size", size, "workload.messages", messages, "fidelity",
              fidelity)).points().get(0).scenario().simulation().run());
    }
  }

  /** Patched TIMELY divides a link evenly in the long run; TIMELY keeps shares that chance has given [Zhu 2016]. */
  @Test
  void shouldDivideLinkEvenlyWhenControlHasFixedPoint() {
    Map<String, Double> spread = new TreeMap<>();
    for (String control : List.of("timely", "timely-patched")) {
      try (Registry registry = Registry.discover(PacedRatesTest.class.getClassLoader(), List.of())) {
        Results results = new ScenarioReader(registry).parse("test.yaml", INCAST, Map.of(
            "transport.congestion", control, "workload.message-size", "100 MB")).points().get(0).scenario()
            .simulation().run();
        double last = us(results);
        double mean = results.distributions().stream().filter(each -> each.id().equals("fct")).findFirst()
            .orElseThrow().mean();
        spread.put(control, last / mean);
      }
    }
    assertThat(spread.get("timely-patched")).as("%s", spread).isLessThan(1.05);
    assertThat(spread.get("timely")).as("%s", spread).isGreaterThan(spread.get("timely-patched"));
  }
}
