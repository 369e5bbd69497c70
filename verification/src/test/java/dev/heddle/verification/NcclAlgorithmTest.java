package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.collective.Pipeline;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.ScheduleCounts;
import dev.heddle.collectives.nccl.algorithm.NcclAlgorithmProvider;
import dev.heddle.collectives.nccl.algorithm.NcclAlgorithmProvider.Settings;
import dev.heddle.collectives.nccl.timing.MachineTiming;
import dev.heddle.fabric.Fabric;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Provider;
import dev.heddle.standard.workload.CollectiveWorkloadProvider;
import dev.heddle.testkit.contract.CollectiveContract;
import dev.heddle.testkit.fixture.CollectiveRequest;
import dev.heddle.testkit.fixture.Seeds;
import dev.heddle.units.DataSize;
import dev.heddle.units.RandomStream;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of NCCL on one and two nodes of H100. */
class NcclAlgorithmTest extends CollectiveContract<Settings> {
  private static final int PER_NODE = 8;
  private static final Map<Integer, Fabric> CLUSTERS = new LinkedHashMap<>();

  @Override
  protected Provider<Settings, CollectiveAlgorithm> provider() {
    return new NcclAlgorithmProvider();
  }

  private static Settings settings(Map<String, String> environment) {
    return settings(environment, "{node: 384 GB/s, latency: 5 us}");
  }

  private static Settings settings(Map<String, String> environment, String network) {
    return new Settings("2.27.7", environment, PresetMachines.timing(
        "{gpu: {preset: nccl-hopper}, host: {launch: 8 us}, network: " + network + "}"));
  }

  @Override
  protected List<Settings> settings() {
    return List.of(settings(Map.of()), settings(Map.of("NCCL_ALGO", "Tree", "NCCL_PROTO", "Simple")));
  }

  @Override
  protected List<Settings> refusedSettings() {
    Optional<MachineTiming> timing = settings(Map.of()).timing();
    return List.of(
        new Settings("1.9", Map.of(), timing, 1), new Settings("2.27.7", Map.of("NCCL_ALGOS", "Ring"), timing, 1),
        new Settings("2.27.7", Map.of("NCCL_ALGO", "Rings"), timing, 1));
  }

  @Override
  protected boolean serves(CollectiveOp op, int ranks) {
    return true;
  }

  @Override
  protected List<Integer> ranks() {
    return List.of(1, 2, 4, 8, 16);
  }

  @Override
  protected Fabric cluster(int ranks) {
    return CLUSTERS.computeIfAbsent(
        (ranks + PER_NODE - 1) / PER_NODE, nodes -> PresetMachines.fabric("hgx-h100", nodes));
  }

  @Override
  protected List<Integer> comparedRanks() {
    return List.of(8, 16);
  }

  @Override
  protected List<DataSize> comparedSizes() {
    return List.of(DataSize.ofKiB(1), DataSize.ofKiB(64 << 10));
  }

  // Packets add waiting: the steps of a rank wait for the slowest of their neighbours, small slices for switches and
  // NICs.
  @Override
  protected double agreement(CollectiveOp op, int ranks, Fidelity fidelity) {
    return switch (op) {
      case ALL_REDUCE -> 0.2;
      case ALL_GATHER, REDUCE_SCATTER -> 0.15;
      default -> 0.1;
    };
  }

  private static double alone(int ranks, Map<String, String> environment, CollectiveOp op, String size,
      Fidelity fidelity) {
    return alone(ranks, settings(environment), op, size, fidelity);
  }

  private static double alone(int ranks, Settings settings, CollectiveOp op, String size, Fidelity fidelity) {
    return PresetMachines.micros(
        new NcclAlgorithmTest().cluster(ranks), new NcclAlgorithmProvider().create(settings),
        CollectiveWorkloadProvider.Settings.of(op, DataSize.parse(size)), fidelity);
  }

  @ParameterizedTest
  @CsvSource({
      "Ring, Simple, all_reduce", "Ring, Simple, all_gather", "Ring, Simple, broadcast", "Ring, LL128, reduce_scatter",
      "Ring, LL, all_reduce", "Ring, LL, reduce", "Tree, LL128, all_reduce", "Tree, LL, all_reduce"
  })
  void shouldTakeTheSameTimeAtAllFidelitiesWhateverTheLatencyBetweenNodes(String algorithm, String protocol,
      String op) {
    long seed = Seeds.fixed();
    RandomStream random = RandomStream.of(seed, "NcclAlgorithmTest", algorithm + protocol + op);
    Map<String, String> given = Map.of("NCCL_ALGO", algorithm, "NCCL_PROTO", protocol);
    CollectiveOp collective = CollectiveOp.valueOf(op.toUpperCase(Locale.ROOT));
    for (int decade = 0; decade < 3; decade++) {
      double micros = Math.pow(10, decade + random.nextDouble());
      int ranks = random.nextInt(2) == 0 ? 16 : 32;
      String size = (1 << random.nextInt(10)) * 64 + " KiB";
      Settings settings = settings(given, String.format(Locale.ROOT, "{node: 384 GB/s, latency: %.3f us}", micros));
      double packet = alone(ranks, settings, collective, size, Fidelity.PACKET);
      for (Fidelity fidelity : List.of(Fidelity.FLOW, Fidelity.ANALYTIC)) {
        assertThat(alone(ranks, settings, collective, size, fidelity))
            .as("%s of %s on %s ranks %s us apart, %s, seed %s", op, size, ranks, micros, fidelity, seed)
            .isCloseTo(packet, within(0.12 * packet));
      }
    }
  }

  @Test
  void shouldWaitForRoomUnlessDataStreamWhereTheWayIsLong() {
    Map<String, String> ring = Map.of("NCCL_ALGO", "Ring", "NCCL_PROTO", "Simple");
    Settings asks = settings(ring, "{node: 384 GB/s, latency: 400 us}");
    Settings streams = settings(ring, "{node: 384 GB/s, latency: 400 us, streams: true}");
    Settings sockets = settings(with(ring, "NCCL_NET", "Socket"), "{node: 384 GB/s, latency: 400 us}");
    for (Fidelity fidelity : Fidelity.values()) {
      double asking = alone(16, asks, CollectiveOp.ALL_GATHER, "16 MiB", fidelity);
      double streaming = alone(16, streams, CollectiveOp.ALL_GATHER, "16 MiB", fidelity);
      // Of 30 slices four are in flight at a time: eight latencies, where data alone would take two.
      assertThat(asking).as("%s", fidelity).isBetween(3200.0, 3520.0);
      assertThat(streaming).as("%s", fidelity).isBetween(800.0, 960.0);
      assertThat(alone(16, sockets, CollectiveOp.ALL_GATHER, "16 MiB", fidelity)).as("%s by sockets", fidelity)
          .isLessThan(0.7 * asking);
    }
  }

  /** Each rank sends to the rank whose number differs in one bit. */
  private static Collective exchange(int ranks, int bit, long bytes) {
    long[][] pairs = new long[ranks][ranks];
    for (int rank = 0; rank < ranks; rank++) {
      pairs[rank][rank ^ bit] = bytes;
    }
    return Collective.allToAllV(pairs);
  }

  @ParameterizedTest
  @CsvSource({"8, 64", "16, 4", "16, 1024", "32, 256"})
  void shouldTakeTheSameTimeAtAllFidelitiesWhenRanksExchangeAlongAHypercube(int ranks, long kibibytes) {
    CollectiveAlgorithm nccl = product(settings(Map.of()));
    for (int bit = 1; bit < ranks; bit *= 2) {
      Collective exchange = exchange(ranks, bit, kibibytes * bit << 10);
      Fabric fabric = cluster(ranks);
      CollectiveRequest request = new CollectiveRequest(exchange, accelerators(fabric, ranks), fabric);
      assertThat(request.verdict(nccl).findings()).isEmpty();
      ScheduleCounts counts = ScheduleCounts.of(request.schedule(nccl));
      assertThat(counts.bytesSent(0)).isEqualTo(counts.bytes(0, bit)).isEqualTo(kibibytes * bit << 10);
      Simulation simulation = new Simulation(
          "hypercube", fabric, CollectiveWorkloadProvider.allToAllV(exchange, List.of()), SimulationOptions.defaults(),
          1)
          .with(nccl);
      double packet = exchanged(simulation.at(Fidelity.PACKET));
      assertThat(exchanged(simulation.at(Fidelity.FLOW))).as("bit %s", bit).isCloseTo(packet, within(0.16 * packet));
      assertThat(exchanged(simulation.at(Fidelity.ANALYTIC))).as("bit %s", bit).isCloseTo(packet,
          within(0.16 * packet));
    }
  }

  private static double exchanged(Simulation simulation) {
    return simulation.run().metric("collective.all_to_all_v.time").orElseThrow().value();
  }

  @ParameterizedTest
  @CsvSource({
      "8, send_recv, 64 KiB", "8, all_to_all, 1 MiB", "8, all_to_all, 16 MiB", "16, send_recv, 1 MiB",
      "16, scatter, 1 MiB",
      "16, gather, 16 MiB", "16, all_to_all, 16 MiB", "32, scatter, 16 MiB", "32, all_to_all, 16 MiB"
  })
  void shouldTakeTheSameTimeAtAllFidelitiesWhenMessagesShareThreadBlocks(int ranks, String op, String size) {
    CollectiveOp peers = CollectiveOp.valueOf(op.toUpperCase(Locale.ROOT));
    double packet = alone(ranks, Map.of(), peers, size, Fidelity.PACKET);
    assertThat(alone(ranks, Map.of(), peers, size, Fidelity.FLOW)).isCloseTo(packet, within(0.16 * packet));
    assertThat(alone(ranks, Map.of(), peers, size, Fidelity.ANALYTIC)).isCloseTo(packet, within(0.16 * packet));
  }

  @ParameterizedTest
  @CsvSource({
      "8, Tree, LL, 64 KiB", "16, Tree, LL, 1 MiB", "32, Tree, LL, 256 KiB", "8, Tree, LL128, 64 KiB",
      "16, Tree, LL128, 4 MiB", "32, Tree, LL128, 1 MiB", "16, Ring, Simple, 16 MiB", "16, Ring, Simple, 32 MiB"
  })
  void shouldTakeTheSameTimeAtAllFidelitiesWhenAlgorithmAndProtocolAreGiven(
      int ranks, String algorithm, String protocol, String size) {
    Map<String, String> given = Map.of("NCCL_ALGO", algorithm, "NCCL_PROTO", protocol);
    double packet = alone(ranks, given, CollectiveOp.ALL_REDUCE, size, Fidelity.PACKET);
    assertThat(alone(ranks, given, CollectiveOp.ALL_REDUCE, size, Fidelity.FLOW)).isCloseTo(packet,
        within(0.12 * packet));
    assertThat(alone(ranks, given, CollectiveOp.ALL_REDUCE, size, Fidelity.ANALYTIC))
        .isCloseTo(packet, within(0.12 * packet));
  }

  @ParameterizedTest
  @CsvSource({"1 KiB, Ring", "4 MiB, NVLS"})
  void shouldTakeWhatTheTunerTakesWhenSizesDiffer(String size, String algorithm) {
    CollectiveAlgorithm nccl = product(settings(Map.of()));
    Schedule schedule = request(DataSize.parse(size).bytes()).schedule(nccl);
    assertThat(schedule.name()).isEqualTo(algorithm);
  }

  @ParameterizedTest
  @CsvSource({"all_reduce, 8", "all_gather, 8", "reduce_scatter, 8", "all_reduce, 16"})
  void shouldBeProvedWhenSwitchesAreToDoIt(String op, int ranks) {
    CollectiveAlgorithm nccl = product(settings(Map.of("NCCL_ALGO", "NVLS,NVLSTree")));
    Fabric fabric = cluster(ranks);
    Collective collective = Collective.of(CollectiveOp.valueOf(op.toUpperCase(Locale.ROOT)), ranks, 1 << 22);
    CollectiveRequest request = new CollectiveRequest(collective, accelerators(fabric, ranks), fabric);
    Schedule schedule = request.schedule(nccl);
    assertThat(schedule.name()).startsWith("NVLS");
    assertThat(request.verdict(nccl).findings()).isEmpty();
  }

  @Test
  void shouldSayWhatIsMissingWhenTheNetworkIsToAdd() {
    CollectiveAlgorithm nccl = product(
        settings(Map.of("NCCL_COLLNET_ENABLE", "1", "NCCL_ALGO", "CollnetChain")));
    Fabric two = cluster(2 * PER_NODE);
    CollectiveRequest request = new CollectiveRequest(
        Collective.of(CollectiveOp.ALL_REDUCE, 16, 1 << 20), accelerators(two, 16), two);
    assertThatThrownBy(() -> request.schedule(nccl)).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("does not reduce").hasMessageContaining("'reduction'");
    assertThatThrownBy(() -> request.plan(nccl).pipelines()).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("does not reduce");
  }

  @ParameterizedTest
  @CsvSource({"0, true", "1, false"})
  void shouldGoBySomeoneOnTheReceiversRailUnlessRelaysAreOff(String disabled, boolean relayed) {
    CollectiveAlgorithm nccl = product(settings(Map.of("NCCL_PXN_DISABLE", disabled)));
    Fabric two = cluster(2 * PER_NODE);
    Group all = accelerators(two, 2 * PER_NODE);
    List<Pipeline> pipelines = new CollectiveRequest(
        Collective.of(CollectiveOp.ALL_TO_ALL, 2 * PER_NODE, 1 << 24), all, two).plan(nccl).pipelines();
    Set<String> edges = new TreeSet<>();
    for (Pipeline pipeline : pipelines) {
      for (int edge = 0; edge < pipeline.edges(); edge++) {
        edges.add(two.position(pipeline.source(edge)) + " of node " + two.node(pipeline.source(edge)) + " to "
            + two.position(pipeline.target(edge)) + " of node " + two.node(pipeline.target(edge)));
      }
    }
    // The message from 1 to 8, the first rank of the other node, passes 0: from 1 to 0 and from 0 to 8 [SimAI §3.4].
    assertThat(edges).contains("0 of node 0 to 0 of node 1");
    assertThat(edges.contains("1 of node 0 to 0 of node 1")).isEqualTo(!relayed);
    assertThat(edges.stream().filter(edge -> edge.matches("(\\d) of node 0 to (?!\\1)\\d of node 1")).count())
        .isEqualTo(relayed ? 0 : PER_NODE * (PER_NODE - 1));
  }

  /** Nodes, each below its own switch with equal numbers of links up and down, chosen by a hash of the message. */
  private static double hashed(Map<String, String> environment, String size) {
    return hashed(environment, size, Fidelity.FLOW, 4);
  }

  private static double hashedPackets(Map<String, String> environment, String size) {
    return hashed(environment, size, Fidelity.PACKET, 2);
  }

  private static double hashed(Map<String, String> environment, String size, Fidelity fidelity, int nodes) {
    try (Registry registry = Registry.discover(NcclAlgorithmTest.class.getClassLoader(), List.of())) {
      String text =
          "{name: hashed, fidelity: flow, cluster: {tiers: [{preset: hgx-h100-node}, {name: cluster, size: " + nodes
              + ", topology: {type: fat-tree, radix: 16, routing: ecmp, link: {preset: infiniband-ndr},"
              + " forwarding: {preset: infiniband-switch-ndr}}}]}, workload: {type: collective, size: " + size + "}}";
      Settings settings = settings(environment);
      return new ScenarioReader(registry).parse("hashed", text, Map.of()).points().get(0).scenario().simulation()
          .with(new NcclAlgorithmProvider().create(settings)).at(fidelity).run()
          .metric("collective.all_reduce.time").orElseThrow().value();
    }
  }

  @Test
  void shouldSpreadOverMoreWaysWhenConnectionsHaveMoreQueuePairs() {
    double one = hashed(Map.of("NCCL_ALGO", "Ring"), "1 GiB");
    double many = hashed(Map.of("NCCL_ALGO", "Ring", "NCCL_IB_QPS_PER_CONNECTION", "32"), "1 GiB");
    assertThat(many).isLessThan(0.8 * one);
  }

  @Test
  void shouldSpreadOverMoreWaysWhenMessagesAboveTheThresholdAreRoutedAdaptively() {
    double hashed = hashed(Map.of("NCCL_ALGO", "Ring"), "1 GiB");
    Map<String, String> adaptive = Map.of("NCCL_ALGO", "Ring", "NCCL_IB_ADAPTIVE_ROUTING", "1");
    assertThat(hashed(adaptive, "1 GiB")).isLessThan(0.8 * hashed);
    Map<String, String> above = new LinkedHashMap<>(adaptive);
    above.put("NCCL_IB_AR_THRESHOLD", "1048576");
    assertThat(hashed(above, "1 GiB")).isEqualTo(hashed);
  }

  @Test
  void shouldUseAllQueuePairsForOneMessageOnlyWhenItIsDivided() {
    Map<String, String> whole = Map.of(
        "NCCL_ALGO", "Tree", "NCCL_PROTO", "Simple", "NCCL_IB_QPS_PER_CONNECTION", "32");
    Map<String, String> divided = new LinkedHashMap<>(whole);
    divided.put("NCCL_IB_SPLIT_DATA_ON_QPS", "1");
    assertThat(hashed(divided, "16 MiB")).isLessThan(hashed(whole, "16 MiB"));
    assertThat(hashed(divided, "1 GiB")).isLessThanOrEqualTo(hashed(whole, "1 GiB"));
  }

  @Test
  void shouldSpreadPacketsOverMoreWaysWhenConnectionsHaveMoreQueuePairs() {
    Map<String, String> ring = Map.of("NCCL_ALGO", "Ring", "NCCL_PROTO", "Simple");
    double one = hashedPackets(ring, "64 MiB");
    assertThat(hashedPackets(with(ring, "NCCL_IB_QPS_PER_CONNECTION", "32"), "64 MiB"))
        .isLessThan(0.9 * one);
    Map<String, String> adaptive = with(ring, "NCCL_IB_ADAPTIVE_ROUTING", "1");
    assertThat(hashedPackets(adaptive, "64 MiB")).isLessThan(0.95 * one);
    assertThat(hashedPackets(with(adaptive, "NCCL_IB_AR_THRESHOLD", "1073741824"), "64 MiB"))
        .isEqualTo(one);
  }

  @Test
  void shouldUseAllQueuePairsForOneMessageOfPacketsOnlyWhenItIsDivided() {
    Map<String, String> whole = with(
        Map.of("NCCL_ALGO", "Ring", "NCCL_PROTO", "Simple"), "NCCL_IB_QPS_PER_CONNECTION", "8");
    double divided = hashedPackets(with(whole, "NCCL_IB_SPLIT_DATA_ON_QPS", "1"), "4 MiB");
    assertThat(divided).isLessThan(hashedPackets(whole, "4 MiB"));
  }

  /** Four nodes below two leaves, and messages of all ranks to the first, over links with two virtual lanes. */
  private static double besideAnIncast(Map<String, String> environment, String... ofCollective) {
    try (Registry registry = Registry.discover(NcclAlgorithmTest.class.getClassLoader(), List.of())) {
      String text = "{name: classes, cluster: {tiers: [{preset: hgx-h100-node}, {name: cluster, size: 4,"
          + " topology: {type: fat-tree, down: [16, 2], up: [1, 2], link: {type: infiniband, generation: ndr,"
          + " virtual-lanes: 2, buffer: 16 KiB}, forwarding: {preset: infiniband-switch-ndr}}}]},"
          + " workload: {type: concurrent, workloads: [{type: collective, size: 4 MiB"
          + String.join("", ofCollective)
          + "}, {type: traffic, pattern: incast, load: 0.42 %, message-size: 64 KiB}]}, run: {measure: 2 ms}}";
      return new ScenarioReader(registry).parse("classes", text, Map.of()).points().get(0).scenario().simulation()
          .with(new NcclAlgorithmProvider().create(settings(with(environment, "NCCL_ALGO", "Ring")))).run()
          .metric("collective.all_reduce.time").orElseThrow().value();
    }
  }

  @Test
  void shouldPassByWhatWaitsForOthersWhenDataHaveATrafficClassOfTheirOwn() {
    double shared = besideAnIncast(Map.of());
    assertThat(besideAnIncast(Map.of("NCCL_IB_TC", "32"))).isLessThan(0.9 * shared);
    // A traffic class of 31 still maps to the class of others' messages.
    assertThat(besideAnIncast(Map.of("NCCL_IB_TC", "31"))).isEqualTo(shared);
    assertThat(besideAnIncast(Map.of("NCCL_IB_FIFO_TC", "32"))).isNotEqualTo(shared);
  }

  @Test
  void shouldTakeTrafficClassOfWorkloadUnlessVariablesHaveOne() {
    String first = ", traffic-class: 1";
    assertThat(besideAnIncast(Map.of(), first)).isEqualTo(besideAnIncast(Map.of("NCCL_IB_TC", "32")));
    assertThat(besideAnIncast(Map.of("NCCL_IB_TC", "31"), first)).isEqualTo(besideAnIncast(Map.of()));
  }

  private static Map<String, String> with(Map<String, String> variables, String name, String value) {
    Map<String, String> all = new LinkedHashMap<>(variables);
    all.put(name, value);
    return all;
  }

  @ParameterizedTest
  @CsvSource({"0, true", "1, false"})
  void shouldSendPacketsBySomeoneOnTheReceiversRailUnlessRelaysAreOff(String disabled, boolean relayed) {
    CollectiveAlgorithm nccl = product(settings(Map.of("NCCL_PXN_DISABLE", disabled)));
    Fabric two = cluster(2 * PER_NODE);
    Schedule schedule = new CollectiveRequest(
        Collective.of(CollectiveOp.ALL_TO_ALL, 2 * PER_NODE, 1 << 24), accelerators(two, 2 * PER_NODE), two)
        .schedule(nccl);
    ScheduleCounts counts = ScheduleCounts.of(schedule);
    // Of 16 blocks of 1 MiB, rank 1 sends one to each rank of the other node; with relays all stay on their rails.
    for (int from = 0; from < PER_NODE; from++) {
      for (int to = PER_NODE; to < 2 * PER_NODE; to++) {
        long expected = !relayed ? 1 << 20 : to - PER_NODE == from ? PER_NODE << 20 : 0;
        assertThat((double) counts.bytes(from, to)).as("from %s to %s", from, to)
            .isCloseTo(expected, within(0.001 * (PER_NODE << 20)));
      }
    }
  }

  // The closed form does not distinguish processes of one GPU from processes of all GPUs: in tables of one process on
  // eight GPUs, the missing last copy brings no gain (mean error of all_reduce from 8 MiB 10.8 % without it, 7.5 % with
  // it).
  private static double ofProcesses(int gpus, Fidelity fidelity, String op, Map<String, String> environment) {
    Settings each = settings(with(environment, "NCCL_ALGO", "Ring"));
    Settings settings = new Settings(each.version(), each.environment(), each.timing(), gpus);
    CollectiveOp collective = CollectiveOp.valueOf(op.toUpperCase(Locale.ROOT));
    return new Simulation(
        "processes", new NcclAlgorithmTest().cluster(PER_NODE),
        new CollectiveWorkloadProvider().create(
            CollectiveWorkloadProvider.Settings.of(collective, DataSize.ofKiB(64 << 10))),
        SimulationOptions.defaults(), 1)
        .with(new NcclAlgorithmProvider().create(settings)).at(fidelity).run()
        .metric("collective." + op + ".time").orElseThrow().value();
  }

  @ParameterizedTest
  @ValueSource(strings = {"all_gather", "all_reduce", "broadcast", "send_recv"})
  void shouldNotCopyWhatIsKeptWhereGpusOfOneProcessWriteEachOthersBuffers(String op) {
    Map<String, String> simple = Map.of("NCCL_PROTO", "Simple", "NCCL_P2P_LL_THRESHOLD", "0");
    Fidelity fidelity = Fidelity.PACKET;
    double apart = ofProcesses(1, fidelity, op, simple);
    double together = ofProcesses(PER_NODE, fidelity, op, simple);
    // Of a rank's eight operations for each chunk the last is omitted; a copy within memory is faster than a send.
    assertThat(together).isLessThan(apart).isGreaterThan(0.8 * apart);
    assertThat(ofProcesses(PER_NODE, fidelity, op, with(simple, "NCCL_P2P_DIRECT_DISABLE", "1"))).isEqualTo(apart);
    assertThat(ofProcesses(PER_NODE, fidelity, op, with(simple, "NCCL_P2P_DISABLE", "1")))
        .isEqualTo(ofProcesses(1, fidelity, op, with(simple, "NCCL_P2P_DISABLE", "1")));
  }

  @ParameterizedTest
  @CsvSource({"reduce_scatter, Simple", "all_gather, LL128", "all_gather, LL"})
  void shouldCopyAlwaysWhatIsAddedOrReadFromLines(String op, String protocol) {
    Map<String, String> variables = Map.of("NCCL_PROTO", protocol);
    assertThat(ofProcesses(PER_NODE, Fidelity.PACKET, op, variables))
        .isEqualTo(ofProcesses(1, Fidelity.PACKET, op, variables));
  }

  private CollectiveRequest request(long bytes) {
    Fabric one = cluster(PER_NODE);
    return new CollectiveRequest(Collective.of(CollectiveOp.ALL_REDUCE, 8, bytes), accelerators(one, 8), one);
  }

  private static Group accelerators(Fabric fabric, int count) {
    return Group.of(Arrays.copyOf(fabric.terminals(DeviceKind.ACCELERATOR), count));
  }
}
