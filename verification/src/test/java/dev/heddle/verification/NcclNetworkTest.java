package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.registry.Registry;
import dev.heddle.results.Results;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of NCCL's variables of queue pairs on RDMA networks: two nodes of H100 below one switch per rail. */
class NcclNetworkTest {
  private static final String RAILS = "{type: rail-fat-tree, rails: 8, ";
  private static final String TREE = "{type: fat-tree, radix: 16, routing: ecmp, ";

  private static Results run(String link, Map<String, String> environment) {
    return run(RAILS + "link: " + link, environment, "1 MiB", Fidelity.PACKET);
  }

  private static Results run(String network, Map<String, String> environment, String size, Fidelity fidelity) {
    try (Registry registry = Registry.discover(NcclNetworkTest.class.getClassLoader(), List.of())) {
      String variables = environment.toString().replace("=", ": ");
      String text = "{name: network, cluster: {tiers: [{preset: hgx-h100-node}, {name: cluster, size: 2,"
          + " topology: " + network + ", forwarding: {preset: infiniband-switch-ndr}}}]},"
          + " workload: {type: collective, size: " + size + "},"
          + " collectives: {type: nccl, environment: " + variables + ", timing: {gpu: {preset: nccl-hopper},"
          + " host: {launch: 8 us}, network: {node: 1000 GB/s, latency: 5 us}}}}";
      return new ScenarioReader(registry).parse("network", text, Map.of()).points().get(0).scenario().simulation()
          .at(fidelity).run();
    }
  }

  private static double ethernet(String network, String size, Fidelity fidelity, Map<String, String> variables) {
    return rings(network + "link: {preset: roce-400}", size, fidelity, variables);
  }

  private static double rings(String network, String size, Fidelity fidelity, Map<String, String> variables) {
    Map<String, String> ring = new LinkedHashMap<>(Map.of("NCCL_ALGO", "Ring", "NCCL_PROTO", "Simple"));
    ring.putAll(variables);
    return micros(run(network, ring, size, fidelity));
  }

  // The switches of a rack send and receive on all channels of 72 GPUs.
  @Test
  void shouldReduceInSwitchesWithPacketsWhenARackHas72Gpus() {
    try (Registry registry = Registry.discover(NcclNetworkTest.class.getClassLoader(), List.of())) {
      String text = "{name: rack, cluster: {tiers: [{preset: gb200-nvl72-node}]}, workload: {type: collective,"
          + " size: 64 KiB}, collectives: {type: nccl, environment: {NCCL_ALGO: NVLS}}}";
      Simulation rack = new ScenarioReader(registry).parse("rack", text, Map.of()).points().get(0).scenario()
          .simulation();
      double formula = micros(rack.at(Fidelity.ANALYTIC).run());
      assertThat(micros(rack.at(Fidelity.PACKET).run())).isCloseTo(formula, within(0.3 * formula));
    }
  }

  private static String losing(double share) {
    return "{preset: infiniband-ndr, loss: " + share + "}";
  }

  private static double micros(Results results) {
    return results.metric("collective.all_reduce.time").orElseThrow().value();
  }

  // With a path for each packet, messages spread over all paths, at both fidelities.
  @ParameterizedTest
  @ValueSource(strings = {"random", "adaptive"})
  void shouldSpreadOverTheFabricWhenSwitchesRoutePacketByPacket(String routing) {
    String tree = TREE.replace("ecmp", routing);
    double flow = ethernet(tree, "64 MiB", Fidelity.FLOW, Map.of());
    double hashed = ethernet(TREE, "64 MiB", Fidelity.FLOW, Map.of("NCCL_IB_QPS_PER_CONNECTION", "1"));
    assertThat(flow).isLessThan(0.8 * hashed);
    assertThat(ethernet(tree, "64 MiB", Fidelity.PACKET, Map.of())).isCloseTo(flow, within(0.15 * flow));
  }

  // A connection holds four slices. Notices of room that waited for the data of a NIC, two channels to each, made rings
  // of most of these sizes 3 to 17 % longer. Packets of both channels leave slice by slice, where a NIC would serve
  // them in turn, which makes them up to 4.2 % shorter.
  @ParameterizedTest
  @ValueSource(ints = {16, 32, 48, 64, 96, 112, 128, 160, 192, 256})
  void shouldNotDelayNoticesOfRoomBehindDataOfTheirNic(int mebibytes) {
    double flow = ethernet(RAILS, mebibytes + " MiB", Fidelity.FLOW, Map.of());
    assertThat(ethernet(RAILS, mebibytes + " MiB", Fidelity.PACKET, Map.of()) / flow).isBetween(0.955, 1.02);
  }

  // A ring's last GPU of a node is not next to the NIC of its channel. By its own NIC, two to four channels left by
  // one, and an all_gather of 64 MiB on Alps took 1.8 and 1.9 times the closed form.
  @ParameterizedTest
  @CsvSource({"alps, Ring, 1.05", "alps, Tree, 1.15", "hgx-h100, Ring, 1.1", "dgx-a100, Ring, 1.1",
      "polaris, Ring, 1.1", "leonardo, Ring, 1.1"})
  void shouldLeaveNodesByTheNicOfTheChannel(String preset, String algorithm, double most) {
    try (Registry registry = Registry.discover(NcclNetworkTest.class.getClassLoader(), List.of())) {
      String text = "{name: exits, cluster: {preset: " + preset + "}, workload: {type: collective, size: 64 MiB},"
          + " collectives: {type: nccl, environment: {NCCL_ALGO: " + algorithm + ", NCCL_PROTO: Simple}}}";
      Map<String, String> two = Map.of("cluster.tiers[1].size", "2");
      var simulation = new ScenarioReader(registry).parse("exits", text, two).points().get(0).scenario().simulation();
      double formula = micros(simulation.at(Fidelity.ANALYTIC).run());
      assertThat(micros(simulation.at(Fidelity.FLOW).run())).isCloseTo(formula, within(0.01 * formula));
      assertThat(micros(simulation.at(Fidelity.PACKET).run()) / formula).isBetween(1 / most, most);
    }
  }

  // Proxies of EFA hold NVLSTree up more than NICs do. Packets took 0.67 of the closed form, which waited for all sends
  // of a loop at each crossing between nodes, and for the NIC besides.
  @Test
  void shouldPostTheFirstChunksOfNvlsTreeAlike() {
    try (Registry registry = Registry.discover(NcclNetworkTest.class.getClassLoader(), List.of())) {
      String text = "{name: proxies, cluster: {preset: b200-aws-p6}, workload: {type: collective, size: 64 MiB},"
          + " collectives: {type: nccl, version: 2.29.2, environment: {NCCL_ALGO: NVLSTree}}}";
      Map<String, String> two = Map.of("cluster.tiers[1].size", "2");
      var simulation = new ScenarioReader(registry).parse("proxies", text, two).points().get(0).scenario()
          .simulation();
      double formula = micros(simulation.at(Fidelity.ANALYTIC).run());
      assertThat(micros(simulation.at(Fidelity.PACKET).run()) / formula).isBetween(0.8, 1.2);
    }
  }

  // Rings of three GPUs leave nodes by all three NICs, two of them through the GPU next to the NIC (PXN). By the NICs
  // of their own last GPUs, two of three channels left by one: 765 us as a flow and 828 with packets.
  @ParameterizedTest
  @ValueSource(ints = {3, 5, 7})
  void shouldLeaveByAllNicsThroughTheGpusNextToThem(int perNode) {
    try (Registry registry = Registry.discover(NcclNetworkTest.class.getClassLoader(), List.of())) {
      List<Integer> ranks = IntStream.range(0, 2).boxed()
          .flatMap(node -> IntStream.range(0, perNode).mapToObj(gpu -> 8 * node + gpu)).toList();
      String text =
          "{name: odd, cluster: {preset: hgx-h100}, workload: {type: collective, op: all_gather, size: 64 MiB,"
              + " groups: [" + ranks
              + "]}, collectives: {type: nccl, environment: {NCCL_ALGO: Ring, NCCL_PROTO: Simple}}}";
      Map<String, String> two = Map.of("cluster.tiers[1].size", "2");
      var simulation = new ScenarioReader(registry).parse("odd", text, two).points().get(0).scenario().simulation();
      double formula = time(simulation.at(Fidelity.ANALYTIC));
      assertThat(time(simulation.at(Fidelity.FLOW))).isCloseTo(formula, within(0.01 * formula));
      assertThat(time(simulation.at(Fidelity.PACKET)) / formula).isBetween(0.92, 1.1);
    }
  }

  // The GPUs of a DGX-1V have two links, one or none to one another, and none is a message through a neighbour. An
  // all_to_all took 150 us in closed form, as if each pair had all six links, and 1,305 as a flow, by PCIe.
  @ParameterizedTest
  @ValueSource(strings = {"all_to_all", "send_recv", "gather", "scatter"})
  void shouldSendByTheLinksOfEachPairWhereNoSwitchJoinsGpus(String op) {
    try (Registry registry = Registry.discover(NcclNetworkTest.class.getClassLoader(), List.of())) {
      String text =
          "{name: mesh, cluster: {tiers: [{preset: dgx-1v-node}]}, workload: {type: collective, size: 16 MiB, op: "
              + op + "}, collectives: {type: nccl, timing: {gpu: {preset: nccl-volta}, host: {launch: 5 us}}}}";
      var simulation = new ScenarioReader(registry).parse("mesh", text, Map.of()).points().get(0).scenario()
          .simulation();
      double packet = time(simulation.at(Fidelity.PACKET));
      assertThat(time(simulation.at(Fidelity.ANALYTIC)) / packet).isBetween(0.88, 1.12);
      assertThat(time(simulation.at(Fidelity.FLOW)) / packet).isBetween(0.88, 1.12);
    }
  }

  private static double time(Simulation simulation) {
    return simulation.run().metric("time").orElseThrow().value();
  }

  // Rings leave and enter nodes on the rails of their channels, so that links between rails carry nothing.
  @ParameterizedTest
  @EnumSource(value = Fidelity.class, names = {"FLOW", "PACKET"})
  void shouldStayOnRailsWhenLinksBetweenThemAreFew(Fidelity fidelity) {
    String rails = RAILS + "link: {preset: infiniband-ndr}";
    double full = rings(rails, "64 MiB", fidelity, Map.of());
    assertThat(rings(rails + ", oversubscription: 32", "64 MiB", fidelity, Map.of())).isEqualTo(full);
  }

  // NCCL plans for eight channels, of which a limit leaves fewer.
  @ParameterizedTest
  @CsvSource({"NCCL_MAX_NCHANNELS, 1", "NCCL_MAX_NCHANNELS, 2", "NCCL_MAX_CTAS, 4"})
  void shouldRunOnFewerChannelsThanPlanned(String variable, String channels) {
    Map<String, String> limit = Map.of(variable, channels);
    double flow = rings(RAILS + "link: {preset: infiniband-ndr}", "1 MiB", Fidelity.FLOW, limit);
    assertThat(rings(RAILS + "link: {preset: infiniband-ndr}", "1 MiB", Fidelity.PACKET, limit))
        .isCloseTo(flow, within(0.1 * flow));
  }

  // A chain takes a path for each of its messages where switches spray, one where they hash.
  @ParameterizedTest
  @ValueSource(strings = {"random", "adaptive"})
  void shouldStartChainsAsSoonWhereSwitchesSpray(String routing) {
    double hashed = broadcast("ecmp");
    assertThat(broadcast(routing)).isCloseTo(hashed, within(0.02 * hashed));
  }

  private static double broadcast(String routing) {
    try (Registry registry = Registry.discover(NcclNetworkTest.class.getClassLoader(), List.of())) {
      String text = "{name: chain, cluster: {preset: hgx-h100}, workload: {type: collective, op: broadcast,"
          + " size: 4 KiB}, collectives: {type: nccl}}";
      Map<String, String> four = Map.of("cluster.tiers[1].size", "4", "cluster.tiers[1].topology.routing", routing);
      return new ScenarioReader(registry).parse("chain", text, four).points().get(0).scenario().simulation()
          .at(Fidelity.FLOW).run().metric("collective.broadcast.time").orElseThrow().value();
    }
  }

  // Data between GPUs and NICs that pass the CPUs take longer than NICs, also where switches of NVLink reduce.
  @Test
  void shouldTakePathsThroughCpusWithNvlsTree() {
    String network = RAILS + "link: {preset: infiniband-ndr}";
    Map<String, String> tree = Map.of("NCCL_ALGO", "NVLSTree");
    Map<String, String> host = Map.of("NCCL_ALGO", "NVLSTree", "NCCL_NET_GDR_LEVEL", "LOC");
    double direct = micros(run(network, tree, "16 MiB", Fidelity.PACKET));
    assertThat(micros(run(network, host, "16 MiB", Fidelity.PACKET))).isGreaterThan(1.5 * direct);
  }

  // Two channels to a NIC carry 19.17 GB/s each, where the NIC would carry 24: a fifth of the time at 512 MiB.
  @ParameterizedTest
  @ValueSource(strings = {"1", "2"})
  void shouldKeepTheRateOfQueuePairsAtBothFidelities(String pairs) {
    try (Registry registry = Registry.discover(NcclNetworkTest.class.getClassLoader(), List.of())) {
      String text = "{name: pairs, cluster: {preset: hgx-h100}, workload: {type: collective, size: 512 MiB},"
          + " collectives: {type: nccl, environment: {NCCL_ALGO: Ring, NCCL_PROTO: Simple,"
          + " NCCL_IB_QPS_PER_CONNECTION: " + pairs + "}}}";
      Map<String, String> two = Map.of("cluster.tiers[1].size", "2");
      var simulation = new ScenarioReader(registry).parse("pairs", text, two).points().get(0).scenario().simulation();
      double flow = micros(simulation.at(Fidelity.FLOW).run());
      assertThat(micros(simulation.at(Fidelity.PACKET).run())).isCloseTo(flow, within(0.05 * flow));
    }
  }

  // Ranks of the first node beside the first four of the second.
  private static double rings(int first, Fidelity fidelity) {
    String ranks = IntStream.concat(IntStream.range(0, first), IntStream.range(8, 12)).boxed().toList().toString();
    return rings(RAILS + "link: {preset: infiniband-ndr}", "128 MiB, groups: [" + ranks + "]", fidelity, Map.of());
  }

  // Rings enter and leave every node by the NICs of its ranks, so that the smallest node limits all. Twelve ranks send
  // 22/12 of the bytes each, eight 14/8.
  @ParameterizedTest
  @EnumSource(value = Fidelity.class, names = {"FLOW", "PACKET"})
  void shouldRunRingsAtTheRateOfTheSmallestNode(Fidelity fidelity) {
    double even = rings(4, fidelity);
    double uneven = rings(8, fidelity);
    assertThat(uneven / even).isCloseTo(22 / 12.0 / (14 / 8.0), within(0.08));
  }

  // Trees over 3, 5 and 6 nodes are as deep as over the next power of two, at both fidelities.
  @ParameterizedTest
  @CsvSource({"3, Tree", "5, Tree", "6, Tree", "3, NVLSTree"})
  void shouldTakeTheStepsOfTreesWhenNodesAreNoPowerOfTwo(int nodes, String algorithm) {
    try (Registry registry = Registry.discover(NcclNetworkTest.class.getClassLoader(), List.of())) {
      String text = "{name: trees, cluster: {preset: hgx-h100}, workload: {type: collective, size: 240 B},"
          + " collectives: {type: nccl, environment: {NCCL_ALGO: " + algorithm + "}}}";
      Map<String, String> size = Map.of("cluster.tiers[1].size", Integer.toString(nodes));
      var simulation = new ScenarioReader(registry).parse("trees", text, size).points().get(0).scenario().simulation();
      double packets = micros(simulation.at(Fidelity.PACKET).run());
      assertThat(micros(simulation.at(Fidelity.FLOW).run())).isCloseTo(packets, within(0.1 * packets));
    }
  }

  @Test
  void shouldWaitOutItsTimeWhenTheLastPacketOfAConnectionIsLost() {
    double lossless = micros(run(losing(0), Map.of("NCCL_PROTO", "LL")));
    Results ten = run(losing(0.01), Map.of("NCCL_PROTO", "LL", "NCCL_IB_TIMEOUT", "10"));
    Results twelve = run(losing(0.01), Map.of("NCCL_PROTO", "LL", "NCCL_IB_TIMEOUT", "12"));
    assertThat(ten.metric("packets.lost").orElseThrow().value()).isPositive();
    // 4.2 and 16.8 ms, each several times in sequence.
    double waits = Math.round((micros(ten) - lossless) / 4194.304);
    assertThat(waits).isPositive();
    assertThat(micros(ten)).isCloseTo(lossless + waits * 4194.304, within(0.2 * 4194.304));
    assertThat(micros(twelve)).isCloseTo(lossless + waits * 16777.216, within(0.2 * 16777.216));
  }

  @Test
  void shouldFailWhenAPacketIsLostOnceMoreThanItMayBeSentAgain() {
    assertThatThrownBy(() -> run(losing(0.01), Map.of("NCCL_IB_RETRY_CNT", "0", "NCCL_IB_TIMEOUT", "10")))
        .isInstanceOf(SimulationException.class).hasMessageContaining("lost a packet and all 0 that were sent");
    assertThat(micros(run(losing(0.01), Map.of("NCCL_IB_RETRY_CNT", "7", "NCCL_IB_TIMEOUT", "10")))).isPositive();
  }

  @ParameterizedTest
  @EnumSource(Fidelity.class)
  void shouldTakeLongerByWhatHeadersOfAnotherAddressTake(Fidelity fidelity) {
    String size = fidelity == Fidelity.PACKET ? "64 MiB" : "1 GiB";
    // Of thread blocks and links, links limit packets at half the rate.
    String network = RAILS + "link: {preset: " + (fidelity == Fidelity.PACKET ? "roce-200" : "roce-400") + "}";
    double shortest = rings(network, size, fidelity, Map.of());
    double longest = rings(network, size, fidelity, Map.of("NCCL_IB_GID_INDEX", "1"));
    double first = rings(network, size, fidelity, Map.of("NCCL_IB_GID_INDEX", "0"));
    // A packet of 4178 B on the wire has 20 more bytes with IPv6, and 12 more with RoCE 1; the wire takes a part of the
    // time only. At packet fidelity these bytes add to the message, and the last, partial packet waits for its own.
    double most = fidelity == Fidelity.PACKET ? 2 : 1.1;
    assertThat(longest / shortest - 1).isBetween(0.3 * 20 / 4178, most * 20 / 4178);
    assertThat(first / shortest - 1).isBetween(0.3 * 12 / 4178, most * 12 / 4178);
  }

  @ParameterizedTest
  @EnumSource(value = Fidelity.class, names = {"FLOW", "PACKET"})
  void shouldCarryHeadersOfAnotherAddressBetweenNodesOnly(Fidelity fidelity) {
    Map<String, String> ring = Map.of("NCCL_ALGO", "Ring", "NCCL_PROTO", "Simple");
    Map<String, String> longer = Map.of("NCCL_ALGO", "Ring", "NCCL_PROTO", "Simple", "NCCL_IB_GID_INDEX", "1");
    Results shortest = run(RAILS + "link: {preset: roce-400}", ring, "64 MiB", fidelity);
    Results longest = run(RAILS + "link: {preset: roce-400}", longer, "64 MiB", fidelity);
    assertThat(busyPs(longest, "nvswitch")).isPositive()
        .isCloseTo(busyPs(shortest, "nvswitch"), within(1e-6 * busyPs(shortest, "nvswitch")));
    assertThat(busyPs(longest, "leaf") / busyPs(shortest, "leaf") - 1).isBetween(0.9 * 20 / 4178, 1.2 * 20 / 4178);
  }

  // The total time for which the links of some devices are busy.
  private static double busyPs(Results results, String devices) {
    return results.links().stream().filter(link -> link.name().contains(devices))
        .mapToDouble(link -> link.utilization() * results.run().simulatedPs()).sum();
  }

  @Test
  void shouldTakeTheAddressThatIsNamedOrDescribed() {
    double described = ethernet(RAILS, "1 GiB", Fidelity.FLOW, Map.of());
    assertThat(ethernet(RAILS, "1 GiB", Fidelity.FLOW, Map.of("NCCL_IB_GID_INDEX", "3"))).isEqualTo(described);
    assertThat(ethernet(RAILS, "1 GiB", Fidelity.FLOW, Map.of("NCCL_IB_ROCE_VERSION_NUM", "1")))
        .isEqualTo(ethernet(RAILS, "1 GiB", Fidelity.FLOW, Map.of("NCCL_IB_GID_INDEX", "2"))).isNotEqualTo(described);
    assertThat(ethernet(RAILS, "1 GiB", Fidelity.FLOW, Map.of("NCCL_IB_ADDR_FAMILY", "AF_INET6")))
        .isEqualTo(ethernet(RAILS, "1 GiB", Fidelity.FLOW, Map.of("NCCL_IB_GID_INDEX", "1"))).isNotEqualTo(described);
    assertThatThrownBy(() -> ethernet(RAILS, "1 GiB", Fidelity.FLOW, Map.of("NCCL_IB_GID_INDEX", "9")))
        .isInstanceOf(ScenarioException.class).hasMessageContaining("NCCL_IB_GID_INDEX=9")
        .hasMessageContaining("addresses 0 to 3, v1-ipv6, v2-ipv6");
    Map<String, String> named = Map.of("NCCL_IB_GID_INDEX", "9");
    assertThat(micros(run(losing(0), named))).isEqualTo(micros(run(losing(0), Map.of())));
  }

  @ParameterizedTest
  @CsvSource({"FLOW, 1 GiB", "PACKET, 64 MiB"})
  void shouldKeepQueuePairsOnOneRouteWhenSwitchesCannotTellThemApart(Fidelity fidelity, String size) {
    Map<String, String> many = Map.of("NCCL_IB_QPS_PER_CONNECTION", "32");
    Map<String, String> first = Map.of("NCCL_IB_QPS_PER_CONNECTION", "32", "NCCL_IB_GID_INDEX", "2");
    assertThat(ethernet(TREE, size, fidelity, many)).isLessThan(0.9 * ethernet(TREE, size, fidelity, first));
  }

  @ParameterizedTest
  @CsvSource({"FLOW, 1 GiB", "PACKET, 4 MiB"})
  void shouldGainNothingByQueuePairsWhenSwitchesCannotTellThemApart(Fidelity fidelity, String size) {
    Map<String, String> many = Map.of("NCCL_IB_QPS_PER_CONNECTION", "32", "NCCL_IB_GID_INDEX", "2");
    Map<String, String> one = Map.of("NCCL_IB_GID_INDEX", "2");
    assertThat(ethernet(TREE, size, fidelity, many)).isEqualTo(ethernet(TREE, size, fidelity, one));
  }
}
