package dev.heddle.network.packet;

import static dev.heddle.network.packet.Fixtures.cluster;
import static dev.heddle.network.packet.Fixtures.device;
import static dev.heddle.network.packet.Fixtures.direct;
import static dev.heddle.network.packet.Fixtures.link;
import static dev.heddle.network.packet.Fixtures.node;
import static dev.heddle.network.packet.Fixtures.star;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.fabric.Fabric;
import dev.heddle.network.packet.Fixtures.Shot;
import dev.heddle.results.Results;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationException;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.sim.SimulationOptions.Granularity;
import dev.heddle.spi.Credits;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Link;
import dev.heddle.spi.Switch;
import dev.heddle.spi.Switch.Arbitration;
import dev.heddle.spi.Switch.Buffering;
import dev.heddle.spi.Switch.Switching;
import dev.heddle.spi.Workload;
import dev.heddle.standard.link.GenericLinkProvider;
import dev.heddle.standard.link.GenericSwitchProvider;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.TierPlanBuilder;
import dev.heddle.tier.Topology;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.RandomStream;
import dev.heddle.units.SimTime;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Holds the packet network against closed forms, queueing theory, conservation laws and itself in other divisions. */
class PacketNetworkTest {
  private static final SimulationOptions WINDOW =
      SimulationOptions.defaults().window(SimTime.parse("100 us"), SimTime.parse("1 ms")).injectionQueue(1_000_000);

  private static double metric(Results results, String id) {
    return results.metric(id).orElseThrow().value();
  }

  private static Results run(Fabric fabric, Workload workload, SimulationOptions options) {
    return new Simulation("test", fabric, workload, options, 7).run();
  }

  private static Results oneMessage(Fabric fabric, int from, int to, long bytes, SimulationOptions options) {
    return run(fabric, Fixtures.burst(1, bytes, (rank, ranks, random) -> rank == from ? to : rank), options);
  }

  // --- zero load ---

  @ParameterizedTest
  @CsvSource({"CUT_THROUGH", "STORE_AND_FORWARD", "WHOLE_UNIT"})
  void shouldTakeTheClosedFormThroughOneSwitchWhenNothingElseMoves(Switching switching) {
    // 100 Gb/s = 80 ps a byte; one packet of 1000 + 50 B.
    Fabric fabric = node(2, star(link(100, 30, 4096, 50, 0), device(100, switching)));
    long wire = 1050 * 80;
    long expected = (switching == Switching.CUT_THROUGH ? wire : 2 * wire) + 2 * 30_000 + 100_000;
    assertThat(metric(oneMessage(fabric, 0, 1, 1000, SimulationOptions.defaults()), "time") * 1e6)
        .isCloseTo(expected, within(0.5));
  }

  @Test
  void shouldPipelineATrainPacketByPacketThroughStoreAndForward() {
    // 4 packets of 1024 + 0 B at 80 ps a byte: the second link starts one packet after the first.
    Fabric fabric = node(2, star(link(100, 0, 1024, 0, 0), device(0, Switching.STORE_AND_FORWARD)));
    double burst = metric(oneMessage(fabric, 0, 1, 4096, SimulationOptions.defaults()), "time") * 1e6;
    double packets =
        metric(
            oneMessage(
                fabric, 0, 1, 4096, SimulationOptions.defaults().granularity(Granularity.PACKET, DataSize.ofKiB(4))),
            "time")
            * 1e6;
    assertThat(burst).isCloseTo(5 * 1024 * 80, within(0.5));
    assertThat(packets).isCloseTo(burst, within(0.5));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 8})
  void shouldAddOneHopForEachSwitchOfAChain(int switches) {
    Link link = link(200, 20, 4096, 30, 0);
    Switch forwarding = device(75, Switching.CUT_THROUGH);
    Topology chain =
        terminals -> {
          TierPlanBuilder plan = new TierPlanBuilder(terminals);
          int previous = 0;
          for (int i = 0; i < switches; i++) {
            int next = plan.addDevice("switch" + i, DeviceKind.SWITCH, forwarding);
            plan.connect(previous, next, link);
            previous = next;
          }
          plan.connect(previous, 1, link);
          return plan.routeByShortestPaths().build();
        };
    long expected = (2048 + 30) * 40 + (switches + 1) * 20_000L + switches * 75_000L;
    assertThat(metric(oneMessage(node(2, chain), 0, 1, 2048, SimulationOptions.defaults()), "time") * 1e6)
        .isCloseTo(expected, within(0.5));
  }

  @Test
  void shouldNotOvertakeASlowInputWhenCuttingThroughToAFastOutput() {
    Link slow = link(10, 0, 4096, 0, 0);
    Link fast = link(100, 0, 4096, 0, 0);
    Topology pair =
        terminals -> {
          TierPlanBuilder plan = new TierPlanBuilder(terminals);
          int middle = plan.addDevice("switch", DeviceKind.SWITCH, device(0, Switching.CUT_THROUGH));
          plan.connect(0, middle, slow);
          plan.connect(middle, 1, fast);
          return plan.routeByShortestPaths().build();
        };
    assertThat(metric(oneMessage(node(2, pair), 0, 1, 1000, SimulationOptions.defaults()), "time") * 1e6)
        .isCloseTo(1000 * 800, within(0.5));
  }

  @Test
  void shouldConvertPacketFormatsBetweenTiersWithTheSameResultInTrainsAndPackets() {
    // Node: 128 B packets with 24 B overhead at 128 Gb/s; network: 4032 B packets with 64 B overhead at 100 Gb/s.
    Fabric fabric =
        cluster(
            2, 2, star(link(128, 10, 128, 24, 0), device(50, Switching.CUT_THROUGH)),
            device(200, Switching.WHOLE_UNIT), direct(link(100, 300, 4032, 64, 0)));
    int to = 2;
    double bursts = metric(oneMessage(fabric, 0, to, 40_320, SimulationOptions.defaults()), "time");
    double packets =
        metric(
            oneMessage(
                fabric, 0, to, 40_320, SimulationOptions.defaults().granularity(Granularity.PACKET, DataSize.ofKiB(4))),
            "time");
    // One MTU over the node link (62.5 ps a byte), the network link ten times as the bottleneck, one MTU over the node.
    long inner = (4032 / 128 * 152 + 64 + 24) * 625L / 10;
    long outer = 4096 * 80;
    double expected = (2 * inner + 10 * outer + 4 * 10_000 + 300_000 + 2 * 50_000 + 2 * 200_000) / 1e6;
    assertThat(packets).isCloseTo(expected, within(0.015 * expected));
    assertThat(bursts).isCloseTo(packets, within(0.015 * packets));
  }

  // --- queueing theory ---

  @ParameterizedTest
  @ValueSource(doubles = {0.3, 0.6, 0.8, 0.9})
  void shouldWaitAsAnMD1QueueOnOneLink(double load) {
    // 1000 B at 100 Gb/s: 80 ns of service.
    Fabric fabric = node(2, direct(link(100, 0, 4096, 0, 0)));
    Workload workload =
        Fixtures.openLoop(load / 80, true, 1000, (rank, ranks, random) -> 1 - rank);
    SimulationOptions options =
        SimulationOptions.defaults().window(SimTime.parse("1 ms"), SimTime.parse("40 ms")).injectionQueue(1_000_000);
    double expected = 80 * (1 + load / (2 * (1 - load)));
    assertThat(metric(run(fabric, workload, options), "intra.latency") * 1e3)
        .isCloseTo(expected, within((load > 0.85 ? 0.05 : 0.02) * expected));
  }

  @Test
  void shouldLoseThroughputToHeadOfLineBlockingOnlyWithInputQueues() {
    // Saturated uniform traffic on 32 ports: input queues tend to 2 - sqrt(2) = 0.586 [Karol, Hluchyj, Morgan 1987];
    // virtual output queues and output queues stay near 1.
    double input = saturated(Buffering.INPUT);
    double virtual = saturated(Buffering.VIRTUAL_OUTPUT);
    double output = saturated(Buffering.OUTPUT);
    assertThat(input).isBetween(0.57, 0.63);
    assertThat(virtual).isGreaterThan(0.93);
    assertThat(output).isGreaterThan(0.93);
  }

  private static double saturated(Buffering buffering) {
    int ports = 32;
    // Fixed packets of 1000 B at 100 Gb/s, and buffers of 64 packets so that inputs never run dry.
    Fabric fabric =
        node(
            ports,
            star(
                link(100, 0, 1000, 0, 64_000),
                device(0, Switching.CUT_THROUGH, buffering, Arbitration.ROUND_ROBIN)));
    Workload workload = Fixtures.openLoop(1 / 60.0, true, 1000, Fixtures::uniform);
    SimulationOptions options =
        SimulationOptions.defaults().window(SimTime.parse("100 us"), SimTime.parse("400 us")).injectionQueue(8);
    return metric(run(fabric, workload, options), "intra.throughput") / (ports * 12.5);
  }

  @ParameterizedTest
  @CsvSource({
      "ROUND_ROBIN, INPUT", "AGE, INPUT", "FIXED_PRIORITY, INPUT",
      "ROUND_ROBIN, VIRTUAL_OUTPUT", "AGE, VIRTUAL_OUTPUT", "FIXED_PRIORITY, VIRTUAL_OUTPUT",
      "ROUND_ROBIN, OUTPUT", "AGE, OUTPUT", "FIXED_PRIORITY, OUTPUT"
  })
  void shouldShareAnOutputFairlyUnlessPrioritiesAreFixed(Arbitration arbitration, Buffering buffering) {
    Switch centre =
        new GenericSwitchProvider()
            .create(
                new GenericSwitchProvider.Settings(
                    SimTime.ZERO, Switching.CUT_THROUGH, buffering, arbitration, DataSize.ZERO,
                    DataSize.ofBytes(4000)));
    Fabric fabric = node(5, star(link(100, 0, 1000, 0, 8000), centre));
    Workload workload =
        Fixtures.openLoop(1 / 100.0, false, 1000, (rank, ranks, random) -> rank == 4 ? 0 : 4);
    Results results =
        run(fabric, workload, SimulationOptions.defaults().window(SimTime.parse("50 us"), SimTime.parse("1 ms"))
            .injectionQueue(16));
    double[] shares =
        results.links().stream().filter(l -> l.name().endsWith("-> node.switch"))
            .mapToDouble(Results.LinkUsage::payloadGBps).limit(4).toArray();
    double least = java.util.Arrays.stream(shares).min().orElseThrow();
    double most = java.util.Arrays.stream(shares).max().orElseThrow();
    if (arbitration == Arbitration.FIXED_PRIORITY) {
      assertThat(shares[0]).isCloseTo(10, within(0.2));
      assertThat(least).isLessThan(0.5);
    } else {
      assertThat(most - least).isLessThan(0.1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {63, 64, 127, 128, 129})
  void shouldStarveNobodyHoweverManyInputsADeviceHas(int terminals) {
    // The last input and another one ask for the same output at every instant.
    Fabric fabric = node(terminals, star(link(100, 0, 1000, 0, 8000), device(0, Switching.CUT_THROUGH)));
    int last = terminals - 1;
    Workload workload =
        Fixtures.burst(500, 1000, (rank, ranks, random) -> rank == last || rank == 4 ? 0 : rank);
    Results results =
        run(fabric, workload, SimulationOptions.defaults().window(SimTime.parse("5 us"), SimTime.parse("20 us")));
    double[] shares =
        results.links().stream()
            .filter(l -> l.name().startsWith("node.accelerator" + last) || l.name().startsWith("node.accelerator4 "))
            .mapToDouble(Results.LinkUsage::payloadGBps).toArray();
    assertThat(shares).hasSize(2);
    assertThat(shares[0]).isCloseTo(6.25, within(0.1));
    assertThat(shares[1]).isCloseTo(6.25, within(0.1));
  }

  // --- credits ---

  @ParameterizedTest
  @CsvSource({"2000", "4000", "8000", "32000"})
  void shouldBoundThroughputByCreditsOverTheRoundTrip(int buffer) {
    // The sender may have `buffer` bytes under way; a byte's credit is back after wire + 2 x latency + the next wire.
    double latency = 400;
    Fabric fabric = node(2, star(link(100, latency, 1000, 0, buffer), device(0, Switching.CUT_THROUGH)));
    Workload workload =
        Fixtures.openLoop(1 / 70.0, false, 1000, (rank, ranks, random) -> 1 - rank);
    double measured = metric(run(fabric, workload, WINDOW.injectionQueue(16)), "intra.throughput") / 2;
    double roundTrip = 80 + 2 * latency;
    double bound = Math.min(12.5, buffer / roundTrip);
    assertThat(measured).isCloseTo(bound, within(0.01 * bound));
  }

  @Test
  void shouldExplainACreditDeadlockInsteadOfHanging() {
    // Three switches in a ring, all traffic two hops clockwise, one packet of buffer each: the textbook cycle.
    Link tight = link(100, 10, 1000, 0, 1000);
    Topology ring =
        terminals -> {
          TierPlanBuilder plan = new TierPlanBuilder(terminals);
          int[] switches = new int[3];
          int[] down = new int[3];
          for (int i = 0; i < 3; i++) {
            switches[i] = plan.addDevice("switch" + i, DeviceKind.SWITCH, device(0, Switching.WHOLE_UNIT));
            plan.route(i, 0, TierPlan.channel(plan.connect(i, switches[i], tight), 0));
          }
          int[] right = new int[3];
          for (int i = 0; i < 3; i++) {
            right[i] = plan.connect(switches[i], switches[(i + 1) % 3], tight);
            down[i] = 2 * i + 1;
          }
          for (int i = 0; i < 3; i++) {
            for (int to = 0; to < 3; to++) {
              plan.route(i, to, TierPlan.channel(2 * i, 0));
              plan.route(switches[i], to, TierPlan.channel(i == to ? down[i] : right[i], 0));
            }
          }
          return plan.build();
        };
    Workload workload = Fixtures.burst(50, 1000, (rank, ranks, random) -> (rank + 2) % 3);
    assertThatThrownBy(() -> run(node(3, ring), workload, SimulationOptions.defaults()))
        .isInstanceOf(SimulationException.class)
        .hasMessageContaining("credit deadlock")
        .hasMessageContaining("node.switch0 -> node.switch1")
        .hasMessageContaining("node.switch2 -> node.switch0")
        .hasMessageContaining("virtual channels");
  }

  @Test
  void shouldSayWhichBufferIsTooSmallForAUnit() {
    Fabric fabric = node(2, direct(link(100, 10, 1000, 0, 500)));
    assertThatThrownBy(() -> oneMessage(fabric, 0, 1, 1000, SimulationOptions.defaults()))
        .isInstanceOf(SimulationException.class)
        .hasMessageContaining("node.accelerator0 -> node.accelerator1")
        .hasMessageContaining("500 B");
  }

  @Test
  void shouldExplainWhenPartsOfMessagesFillANic() {
    // Each of 8 accelerators sends a message in 128 B packets; the NIC collects 4 KiB of each, with room for 4 KiB.
    Fabric fabric =
        cluster(
            2, 8, star(link(128, 10, 128, 0, 4096), device(50, Switching.CUT_THROUGH)),
            device(100, Switching.WHOLE_UNIT), direct(link(100, 50, 4096, 0, 0)));
    Workload workload = Fixtures.burst(1, 4096, (rank, ranks, random) -> (rank + 8) % 16);
    SimulationOptions packets = SimulationOptions.defaults().granularity(Granularity.PACKET, DataSize.ofKiB(4));
    for (SimulationOptions options : List.of(packets, packets.window(SimTime.ZERO, SimTime.parse("50 us")))) {
      assertThatThrownBy(() -> run(fabric, workload, options))
          .isInstanceOf(SimulationException.class)
          .hasMessageContaining("credit deadlock")
          .hasMessageContaining("4096 B")
          .hasMessageContaining("node0.switch -> node0.nic0")
          .hasMessageContaining("burst");
    }
    assertThat(metric(run(fabric, workload, SimulationOptions.defaults()), "messages.delivered")).isEqualTo(16.0);
  }

  @Test
  void shouldSayWhichBufferHasTooFewHeadersForAUnit() {
    // The receiver holds any number of bytes but few packets.
    Link fewHeaders = new Fixtures.Derived(link(100, 10, 1000, 0, 0)) {
      @Override
      public List<Credits> credits() {
        return List.of(new Credits(Credits.UNLIMITED, 3, 1, false, latencyPs()));
      }
    };
    assertThatThrownBy(() -> oneMessage(node(2, direct(fewHeaders)), 0, 1, 4000, SimulationOptions.defaults()))
        .isInstanceOf(SimulationException.class)
        .hasMessageContaining("node.accelerator0 -> node.accelerator1")
        .hasMessageContaining("3 packets");
    assertThat(metric(oneMessage(node(2, direct(fewHeaders)), 0, 1, 3000, SimulationOptions.defaults()), "time"))
        .isCloseTo(0.25, within(1e-6));
  }

  // --- one wire for both directions ---

  @ParameterizedTest
  @CsvSource({"2000, 1000, 0, 200, 300", "1000, 1000, 0, 200, 200", "2000, 1000, 100, 300, 200",
      "2000, 500, 150, 250, 100"})
  void shouldTakeTurnsOnAHalfDuplexWire(long kilobytes, long back, long backAtMicros, double longestUs,
      double otherUs) {
    // 10 GB/s: a megabyte takes 100 us, and twice as long while the other direction has something to send.
    Link wire = Fixtures.halfDuplex(link(80, 0, 1000, 0, 0));
    Results results = run(
        node(2, direct(wire)),
        Fixtures.each(new Shot(0, 1, 1000 * kilobytes), new Shot(1000 * backAtMicros, 0, 1000 * back)),
        SimulationOptions.defaults().granularity(Granularity.PACKET, DataSize.ofKiB(4)));
    // A turn is a packet of 0.1 us.
    assertThat(metric(results, "fct") * 2).isCloseTo(longestUs + otherUs, within(0.5));
    assertThat(metric(results, "time")).isCloseTo((kilobytes + back) / 10.0, within(0.2));
    assertThat(results.links().stream().mapToDouble(Results.LinkUsage::utilization).sum()).isCloseTo(1, within(0.01));
  }

  // --- queues of a link by where its units come from ---

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldNotWaitBehindWhatCameByAnotherLinkWhenALinkQueuesByArrival(boolean byArrival) {
    // Behind the middle link 60 packets of the first rank wait for a link of 1 GB/s, on which a packet takes 4.096 us.
    Link fast = link(800, 0, 4096, 0, 0);
    Link slow = link(8, 0, 4096, 0, 0);
    Link middle = new GenericLinkProvider().create(new GenericLinkProvider.Settings(
        DataRate.ofGigabitsPerSecond(800), SimTime.ZERO, DataSize.ofKiB(4), DataSize.ZERO,
        Optional.of(DataSize.ofKiB(240)), Optional.empty(), 2));
    Topology ports = terminals -> {
      TierPlanBuilder plan = new TierPlanBuilder(terminals);
      int fabric = plan.addDevice("fabric", DeviceKind.SWITCH, device(0, Switching.CUT_THROUGH));
      int memory = plan.addDevice("memory", DeviceKind.MEMORY, device(0, Switching.WHOLE_UNIT));
      plan.connect(0, fabric, fast);
      plan.connect(1, fabric, fast);
      int toMemory = plan.connect(fabric, memory, middle);
      plan.connect(memory, 2, slow);
      if (byArrival) {
        plan.vcByInputPort(toMemory);
      }
      return plan.routeByShortestPaths().build();
    };
    Results results = run(
        node(3, ports), Fixtures.each(new Shot(0, 2, 1 << 20), new Shot(500_000, 2, 4096)),
        SimulationOptions.defaults().granularity(Granularity.PACKET, DataSize.ofKiB(4)));
    double shortest = results.distributions().stream().filter(found -> found.id().equals("fct")).findFirst()
        .orElseThrow().min();
    // The packet on the slow wire, in turn one packet of the other rank, and the message itself; or all that wait.
    assertThat(shortest).isBetween(byArrival ? 4.0 : 58 * 4.096, byArrival ? 3 * 4.2 : 63 * 4.096);
  }

  // --- determinism and granularity ---

  @ParameterizedTest
  @CsvSource({"2,1", "3,2", "8,2", "5,3"})
  void shouldYieldTheSameBitsForEveryDivisionIntoPartitionsAndThreads(int partitions, int threads) {
    Workload workload = Fixtures.openLoop(1 / 300.0, true, 4096, Fixtures::uniform);
    SimulationOptions options =
        SimulationOptions.defaults().window(SimTime.parse("20 us"), SimTime.parse("100 us"));
    Results one = run(mixed(), workload, options);
    Results many = run(mixed(), workload, options.parallel(partitions, threads));
    assertThat(many.run().fingerprint()).isEqualTo(one.run().fingerprint()).isNotZero();
    assertThat(many.metrics()).isEqualTo(one.metrics());
    assertThat(many.links()).isEqualTo(one.links());
    assertThat(many.distributions()).isEqualTo(one.distributions());
  }

  private static Fabric mixed() {
    return cluster(
        8, 4, star(link(128, 10, 128, 24, 16_384), device(50, Switching.CUT_THROUGH)),
        device(100, Switching.WHOLE_UNIT), star(link(100, 50, 4096, 64, 32_768), device(90, Switching.CUT_THROUGH)));
  }

  @ParameterizedTest
  @EnumSource(Buffering.class)
  void shouldAgreeBetweenTrainsAndPacketsUnderLoad(Buffering buffering) {
    Fabric fabric =
        node(
            8,
            star(
                link(128, 5, 128, 24, 16_384),
                device(20, Switching.CUT_THROUGH, buffering, Arbitration.ROUND_ROBIN)));
    // 4 KiB in 32 packets occupy 304 ns.
    Workload half = Fixtures.openLoop(0.4 / 304, true, 4096, Fixtures::uniform);
    Results bursts = run(fabric, half, WINDOW);
    Results packets = run(fabric, half, WINDOW.granularity(Granularity.PACKET, DataSize.ofKiB(4)));
    assertThat(metric(bursts, "intra.throughput"))
        .isCloseTo(metric(packets, "intra.throughput"), within(0.005 * metric(packets, "intra.throughput")));
    // Packets of different messages interleave, bursts do not: packets share the wire as a processor is shared, whose
    // sojourn 1 / (1 - load) exceeds that of first come, first served, 1 + load / (2 (1 - load)), by a quarter here. An
    // input queue is then held up by each packet of its head in turn, not once.
    double ratio = metric(bursts, "intra.latency") / metric(packets, "intra.latency");
    assertThat(ratio).isBetween(buffering == Buffering.INPUT ? 0.65 : 0.8, 1.02);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
  void shouldDeliverEverythingWhateverTheMachine(long seed) {
    RandomStream random = RandomStream.of(seed, "machine", "shape");
    Buffering buffering = Buffering.values()[random.nextInt(3)];
    Switching switching = Switching.values()[random.nextInt(3)];
    Arbitration arbitration = Arbitration.values()[random.nextInt(3)];
    int mtu = 256 << random.nextInt(5);
    Fabric fabric =
        cluster(
            2 + random.nextInt(4), 2 + random.nextInt(3),
            star(
                link(50 + random.nextInt(400), random.nextInt(50), 128, 24, 65_536),
                device(random.nextInt(100), switching, buffering, arbitration)),
            device(random.nextInt(100), Switching.WHOLE_UNIT),
            star(
                link(50 + random.nextInt(400), 1 + random.nextInt(50), mtu, 40, 8192 + random.nextInt(65_536)),
                device(random.nextInt(100), switching, buffering, arbitration)));
    int count = 20 + random.nextInt(50);
    long bytes = 1 + random.nextInt(20_000);
    Workload workload = Fixtures.burst(count, bytes, Fixtures::uniform);
    SimulationOptions options =
        SimulationOptions.defaults()
            .granularity(random.nextInt(2) == 0 ? Granularity.PACKET : Granularity.BURST, DataSize.ofKiB(4))
            .parallel(1 + random.nextInt(3), 1);
    Results results = new Simulation("seed " + seed, fabric, workload, options, seed).run();
    int ranks = fabric.terminals(DeviceKind.ACCELERATOR).length;
    assertThat(metric(results, "messages.delivered")).as("seed %d", seed).isEqualTo((double) ranks * count);
  }
}
