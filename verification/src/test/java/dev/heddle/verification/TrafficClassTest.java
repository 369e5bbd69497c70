package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.heddle.observe.NetworkObserver;
import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationException;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.units.RandomStream;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Traffic classes at the ports of switches: shares by weights, strict priority, and pauses of one class alone. */
class TrafficClassTest {
  /** Hosts at one switch; frames of 4096 B and 82 B of headers. */
  static final String SWITCH = """
      name: classes
      run: {granularity: packet}
      transport: {type: roce, congestion: none}
      cluster:
        tiers:
          - name: net
            terminals: {accelerator: 12}
            topology:
              type: star
              link: {type: ethernet, rate: 100 Gb/s, latency: 1 us}
              centre: {type: ethernet, buffer: 100 MB, pfc: {headroom: 100 KB}}
      """;
  private static final String STAR = SWITCH + "workload: {type: collective, op: all_reduce, size: 1 KiB}\n";
  private static final String TREE = STAR.replace("accelerator: 12", "accelerator: 16").replace("centre", "forwarding")
      .replace("type: star", "type: fat-tree\n        levels: 2\n        routing: ecmp");
  static final String CENTRE = "cluster.tiers[0].topology.centre.";
  static final double US_PER_BYTE = 4178. / 4096 * 8 / 100e3;
  static final double FRAME_US = 4178 * 8 / 100e3;

  /** A message from a host to another, of a class, from a time on. */
  private record Flow(int from, int to, long bytes, int trafficClass, long atUs) implements Program {
    static Workload workload(List<Flow> flows) {
      return cluster -> WorkloadPlan.of(IntStream.range(0, cluster.terminals()).toArray(), (rank, context) -> {
        Iterator<Flow> own = flows.stream().filter(flow -> flow.from() == rank).iterator();
        return (Program) new Own(own);
      });
    }

    @Override
    public int streams() {
      return 1;
    }

    @Override
    public boolean next(int stream, Operation operation) {
      operation.generate(atUs * 1_000_000, to, bytes, trafficClass);
      return true;
    }
  }

  private record Own(Iterator<Flow> flows) implements Program {
    @Override
    public int streams() {
      return 1;
    }

    @Override
    public boolean next(int stream, Operation operation) {
      return flows.hasNext() && flows.next().next(stream, operation);
    }
  }

  /** The time in microseconds from the generation of each flow's message to its arrival. */
  private static List<Double> times(Map<String, String> overrides, List<Flow> flows) {
    Map<List<Integer>, Double> arrived = new LinkedHashMap<>();
    run(STAR, overrides, flows, new NetworkObserver() {
      @Override
      public void transmitted(int link, int channel, long startPs, long endPs, int payloadBytes) {}

      @Override
      public void delivered(int source, int destination, long bytes, long generatedPs, long deliveredPs) {
        arrived.put(List.of(source, destination), (deliveredPs - generatedPs) / 1e6);
      }
    });
    return flows.stream().map(flow -> arrived.getOrDefault(List.of(flow.from(), flow.to()), Double.NaN)).toList();
  }

  private static Results run(String scenario, Map<String, String> overrides, List<Flow> flows,
      NetworkObserver... observer) {
    try (Registry registry = Registry.discover(TrafficClassTest.class.getClassLoader(), List.of())) {
      Simulation parsed = new ScenarioReader(registry).parse("test.yaml", scenario, overrides).points().get(0)
          .scenario().simulation();
      Simulation simulation = new Simulation(
          parsed.name(), parsed.fabric(), Flow.workload(flows), parsed.options(), parsed.seed(), parsed.fidelity(),
          parsed.collectives(), parsed.transport());
      return observer.length == 0 ? simulation.run() : simulation.run(observer[0]);
    }
  }

  /** Both classes are backlogged until the one of the larger weight has sent all: it has its share of the rate. */
  @ParameterizedTest
  @CsvSource({"3, 1", "1, 1", "7, 2", "1000, 1"})
  void shouldDivideLinkByWeights(int larger, int smaller) {
    List<Flow> flows = List.of(new Flow(0, 2, 6_000_000, 0, 0), new Flow(1, 2, 6_000_000, 1, 0));

    double time = times(Map.of(CENTRE + "classes", "[{weight: " + larger + "}, {weight: " + smaller + "}]"), flows)
        .get(0);

    assertThat(time).isCloseTo(6_000_000 * US_PER_BYTE * (larger + smaller) / larger, withinPercentage(1));
  }

  /** A frame of the strict class waits for the frame on the wire at most; without classes for all before it. */
  @Test
  void shouldWaitForOnePacketWhenClassIsStrict() {
    Flow urgent = new Flow(1, 2, 4096, 1, 100);
    List<Flow> flows = List.of(new Flow(0, 2, 6_000_000, 0, 0), new Flow(3, 2, 6_000_000, 0, 0), urgent);
    Map<String, String> strict = Map.of(CENTRE + "classes", "[{weight: 1}, {strict: true}]");

    double idle = times(strict, List.of(urgent)).get(0);

    assertThat(idle).isBetween(2 * FRAME_US, 2 * FRAME_US + 2.001);
    assertThat(times(strict, flows).get(2)).isBetween(idle, idle + FRAME_US);
    assertThat(times(Map.of(), flows).get(2)).isGreaterThan(idle + 100 * FRAME_US);
  }

  /** Of strict classes the highest goes first: the lower one has what is left, nothing. */
  @Test
  void shouldServeHighestOfStrictClassesFirst() {
    List<Flow> flows = List.of(
        new Flow(0, 3, 2_000_000, 0, 0), new Flow(1, 3, 2_000_000, 1, 0), new Flow(2, 3, 2_000_000, 2, 0));

    List<Double> times = times(Map.of(CENTRE + "classes", "[{}, {strict: true}, {strict: true}]"), flows);

    for (int each = 0; each < 3; each++) {
      assertThat(times.get(each)).isCloseTo((3 - each) * 2_000_000 * US_PER_BYTE, withinPercentage(2));
    }
  }

  /**
   * Host 0 is one of nine senders to host 9, whose pauses it obeys. Its flow to host 10 in another class has the rest
   * of its link; in the same class it stops with the ninth of a link that the incast leaves.
   */
  @ParameterizedTest
  @CsvSource({"1, 100, 200", "0, 700, 1600"})
  void shouldPauseOneClassAlone(int victimClass, double leastUs, double mostUs) {
    List<Flow> flows = new ArrayList<>(List.of(new Flow(0, 10, 1_500_000, victimClass, 0)));
    IntStream.range(0, 9).forEach(host -> flows.add(new Flow(host, 9, 1_500_000, 0, 0)));
    Map<String, String> overrides = Map.of(CENTRE + "classes", "[{weight: 1}, {weight: 1}]", CENTRE + "pfc.threshold",
        "50 KB");

    assertThat(times(overrides, flows).get(0)).isBetween(leastUs, mostUs);
    Results results = run(STAR, overrides, flows);
    assertThat(results.metric("pauses").orElseThrow().value()).isPositive();
    assertThat(results.metric("packets.dropped").orElseThrow().value()).isZero();
  }

  /** The class that does not pause drops what finds no room, and its senders repeat it. */
  @Test
  void shouldDropPacketsOfClassThatDoesNotPause() {
    List<Flow> flows = new ArrayList<>();
    IntStream.range(0, 9).forEach(host -> flows.add(new Flow(host, 9, 1_500_000, 1, 0)));
    Map<String, String> overrides = Map.of(CENTRE + "classes", "[{weight: 1}, {weight: 1}]", CENTRE + "queue",
        "100 KB", CENTRE + "pfc.classes", "[0]", "transport.recovery", "selective-repeat");

    Results results = run(STAR, overrides, flows);

    assertThat(results.metric("pauses").orElseThrow().value()).isZero();
    assertThat(results.metric("packets.dropped").orElseThrow().value()).isPositive();
    assertThat(results.metric("messages.delivered").orElseThrow().value()).isEqualTo(9);
  }

  /**
   * Up to eight senders of drawn classes and sizes to one or two hosts, under windows: the time of each message at flow
   * fidelity is that of its packets.
   */
  @Test
  void shouldTakeTimesOfPacketsAtFlowFidelity() {
    RandomStream random = RandomStream.of(7, "classes", "fidelity");
    double sum = 0;
    double worst = 0;
    int count = 0;
    for (int each = 0; each < 24; each++) {
      List<Flow> flows = new ArrayList<>();
      int senders = 2 + random.nextInt(7);
      for (int host = 0; host < senders; host++) {
        flows.add(
            new Flow(host, 10 + random.nextInt(2), 1_000_000L * (2 + random.nextInt(6)), random.nextInt(3), 0));
      }
      Map<String, String> overrides = new LinkedHashMap<>(Map.of(
          CENTRE + "classes", "[{weight: " + (1 + random.nextInt(7)) + "}, {weight: 1}, {strict: true}]",
          CENTRE + "ecn", "{min: 40 KB, max: 40 KB}", "transport.congestion", "dctcp"));
      List<Double> packets = times(overrides, flows);
      overrides.put("fidelity", "flow");
      List<Double> fluid = times(overrides, flows);
      for (int flow = 0; flow < senders; flow++) {
        double error = Math.abs(fluid.get(flow) / packets.get(flow) - 1);
        sum += error;
        worst = Math.max(worst, error);
        count++;
      }
    }
    assertThat(sum / count).isLessThan(0.04);
    assertThat(worst).isLessThan(0.25);
  }

  /** A host serves its classes in turn, whatever their weights at the switch: both of its messages have half a link. */
  @ParameterizedTest
  @CsvSource({"packet", "flow"})
  void shouldServeClassesOfHostInTurn(String fidelity) {
    List<Flow> flows = List.of(new Flow(0, 2, 6_000_000, 0, 0), new Flow(0, 3, 6_000_000, 1, 0));

    List<Double> times = times(Map.of(CENTRE + "classes", "[{weight: 7}, {weight: 1}]", "fidelity", fidelity), flows);

    assertThat(times).allSatisfy(
        time -> assertThat(time).isCloseTo(12_000_000 * US_PER_BYTE, withinPercentage(1)));
  }

  @Test
  void shouldRefuseClassThatSwitchesLackAtFlowFidelity() {
    assertThatThrownBy(() -> run(STAR, Map.of(CENTRE + "classes", "[{weight: 1}, {weight: 1}]", "fidelity", "flow"),
        List.of(new Flow(0, 1, 1000, 5, 0)))).isInstanceOf(SimulationException.class)
        .hasMessageContaining("traffic class 5").hasMessageContaining("classes 0 to 1");
  }

  /** Pauses of classes cross partitions as those of links do. */
  @Test
  void shouldHaveEqualFingerprintsOnAnyNumberOfPartitions() {
    RandomStream random = RandomStream.of(1, "classes", "flows");
    List<Flow> flows = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      int from = random.nextInt(16);
      int to = (from + 1 + random.nextInt(3) * 5) % 16;
      flows.add(new Flow(from, to, 1 + random.nextInt(600_000), random.nextInt(3), 0));
    }
    Map<String, String> overrides = Map.of(
        "cluster.tiers[0].topology.forwarding.classes", "[{weight: 2}, {weight: 1}, {strict: true}]",
        "cluster.tiers[0].topology.forwarding.pfc", "{headroom: 60 KB, threshold: 20 KB, classes: [0, 2]}",
        "cluster.tiers[0].topology.forwarding.queue", "200 KB");
    Results one = run(TREE, overrides, flows);
    Map<String, String> four = new LinkedHashMap<>(overrides);
    four.put("run.partitions", "4");

    assertThat(one.metric("pauses").orElseThrow().value()).isPositive();
    assertThat(run(TREE, four, flows).run().fingerprint()).isEqualTo(one.run().fingerprint());
  }

  @Test
  void shouldRefuseMessageOfClassThatSwitchesLack() {
    assertThatThrownBy(() -> run(STAR, Map.of(CENTRE + "classes", "[{weight: 1}, {weight: 1}]"),
        List.of(new Flow(0, 1, 1000, 5, 0)))).isInstanceOf(SimulationException.class).hasMessageContaining(
            "net.accelerator0 sends a message of traffic class 5, but switches have classes 0 to 1");
  }
}
