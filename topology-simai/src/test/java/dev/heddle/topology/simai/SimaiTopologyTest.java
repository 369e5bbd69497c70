package dev.heddle.topology.simai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.fabric.Fabric;
import dev.heddle.fabric.Tier;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Switch;
import dev.heddle.spi.Terminal;
import dev.heddle.standard.collective.RingAlgorithmProvider;
import dev.heddle.standard.link.GenericSwitchProvider;
import dev.heddle.standard.workload.CollectiveWorkloadProvider;
import dev.heddle.testkit.contract.TopologyContract;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.testkit.fixture.Seeds;
import dev.heddle.tier.TierPlan;
import dev.heddle.tier.Topology;
import dev.heddle.topology.simai.SimaiTopologyProvider.Settings;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SimaiTopologyTest extends TopologyContract<Settings> {
  private static final String RAILS = "Spectrum-X_16g_8gps_200Gbps_A100";
  private static final String ONE_SERVER = "Spectrum-X_8g_8gps_200Gbps_A100";
  private static final String ONE_TOR = "DCN+SingleToR_64g_8gps_400Gbps_H100";
  private static final String TWO_PLANES = "AlibabaHPN_64g_8gps_DualToR_DualPlane_200Gbps_H100";
  private static final String NS3 = "8_nodes_1_switch_topology.txt";

  @TempDir
  private Path folder;

  private static Settings file(Path path) {
    Switch plain = new GenericSwitchProvider()
        .create(GenericSwitchProvider.Settings.of(SimTime.ZERO, Switch.Buffering.VIRTUAL_OUTPUT));
    return new Settings(path, DataSize.ofBytes(9000), DataSize.ZERO, Optional.empty(), plain, plain);
  }

  private static Settings sample(String name) {
    return file(Path.of("src/test/resources", name));
  }

  @Override
  protected Provider<Settings, Topology> provider() {
    return new SimaiTopologyProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(sample(RAILS), sample(NS3));
  }

  @Override
  protected List<Settings> refusedSettings() {
    Settings rails = sample(RAILS);
    return List.of(
        file(folder.resolve("none")),
        new Settings(
            rails.file(), rails.maxPayload(), rails.overhead(), Optional.of(DataSize.ofBytes(100)), rails.forwarding(),
            rails.nvswitch()));
  }

  @Override
  protected List<List<Terminal>> connectable(Settings settings) {
    if (settings.file().endsWith(NS3)) {
      return List.of(Fabrics.terminals(DeviceKind.ACCELERATOR, 8), Fabrics.terminals(DeviceKind.NIC, 8));
    }
    return List.of(
        Fabrics.terminals(DeviceKind.ACCELERATOR, 16), Fabrics.terminals(DeviceKind.NIC, 16), server());
  }

  @Override
  protected List<List<Terminal>> refused(Settings settings) {
    return List.of(
        Fabrics.terminals(DeviceKind.ACCELERATOR, 15), Fabrics.terminals(DeviceKind.NIC, 15),
        Fabrics.terminals(DeviceKind.CPU, 16));
  }

  private static List<Terminal> server() {
    List<Terminal> terminals = new ArrayList<>(Fabrics.terminals(DeviceKind.ACCELERATOR, 8));
    for (int i = 0; i < 8; i++) {
      terminals.add(new Terminal("nic" + i, DeviceKind.NIC, true));
    }
    return terminals;
  }

  private static TierPlan whole(String name, int accelerators) {
    return new SimaiTopologyProvider().create(sample(name))
        .plan(Fabrics.terminals(DeviceKind.ACCELERATOR, accelerators));
  }

  @ParameterizedTest
  @CsvSource({RAILS + ",16", ONE_TOR + ",64", TWO_PLANES + ",64", NS3 + ",8"})
  void shouldTakeExactlyTheShortestWaysWhenRouting(String name, int accelerators) {
    TierPlan plan = whole(name, accelerators);
    for (int to = 0; to < accelerators; to++) {
      int[] hops = hopsTo(plan, to);
      for (int from = 0; from < accelerators; from++) {
        if (from != to) {
          boolean inside = from / 8 == to / 8 && !name.equals(NS3);
          assertThat(walk(plan, from, to)).as("hops from %s to %s", from, to).isEqualTo(hops[from]);
          for (int channel : plan.candidates(from, to)) {
            String next = plan.name(plan.linkTarget(TierPlan.linkOf(channel)));
            assertThat(next.startsWith("nvswitch")).as("%s to %s by %s", from, to, next).isEqualTo(inside);
          }
          assertThat(plan.candidates(from, to)).hasSize(inside ? 1 : shortest(plan, from, hops));
        }
      }
    }
  }

  // Breadth first over devices that forward, from the destination.
  private static int[] hopsTo(TierPlan plan, int terminal) {
    int[] hops = new int[plan.devices()];
    Arrays.fill(hops, -1);
    hops[terminal] = 0;
    ArrayDeque<Integer> frontier = new ArrayDeque<>(List.of(terminal));
    while (!frontier.isEmpty()) {
      int at = frontier.remove();
      for (int link = 0; link < plan.links(); link++) {
        int from = plan.linkSource(link);
        if (plan.linkTarget(link) == at && hops[from] < 0 && (at == terminal || plan.forwarding(at) != null)) {
          hops[from] = hops[at] + 1;
          frontier.add(from);
        }
      }
    }
    return hops;
  }

  private static int shortest(TierPlan plan, int from, int[] hops) {
    int count = 0;
    for (int link = 0; link < plan.links(); link++) {
      if (plan.linkSource(link) == from && hops[plan.linkTarget(link)] == hops[from] - 1) {
        count++;
      }
    }
    return count;
  }

  private static int walk(TierPlan plan, int from, int to) {
    int at = from;
    int hops = 0;
    while (at != to) {
      int[] candidates = plan.candidates(at, to);
      at = plan.linkTarget(TierPlan.linkOf(candidates[candidates.length - 1]));
      hops++;
    }
    return hops;
  }

  // SimAI's ns-3 takes so long for an all_reduce of 8 A100 on one NVSwitch of 2,400 Gb/s, of which 14 steps of 3 us are
  // the time that AS_SEND_LAT adds.
  @ParameterizedTest
  @CsvSource({"16,141.5", "64,434.6", "256,1610", "1024,6307"})
  void shouldTakeAsLongAsSimaiWhenServerReduces(int mebibytes, double micros) {
    Fabric fabric = Fabric.of(List.of(Tier.inner(
        "server", Map.of(DeviceKind.ACCELERATOR, 8), sample(ONE_SERVER).forwarding(),
        new SimaiTopologyProvider().create(sample(ONE_SERVER)))));
    assertThat(allReduce(fabric, mebibytes) + 14 * 3).isCloseTo(micros, withinPercentage(1.2));
  }

  private static double allReduce(Fabric fabric, int mebibytes) {
    return new Simulation(
        "simai", fabric, new CollectiveWorkloadProvider().create(
            CollectiveWorkloadProvider.Settings.of(CollectiveOp.ALL_REDUCE, DataSize.ofKiB(1024L * mebibytes))),
        SimulationOptions.defaults(), 1).at(Fidelity.FLOW).with(RingAlgorithmProvider.single()).run().run()
        .simulatedPs() / 1e6;
  }

  @Test
  void shouldTakeAsLongAsOneTierWhenServersAndNetworkAreTwo() {
    Topology topology = new SimaiTopologyProvider().create(sample(RAILS));
    Fabric one = Fabric.of(List.of(
        Tier.inner("all", Map.of(DeviceKind.ACCELERATOR, 16), sample(RAILS).forwarding(), topology)));
    Fabric two = servers(RAILS, 2);
    assertThat(two.nodes()).isEqualTo(2);
    assertThat(allReduce(two, 64)).as("a NIC is the accelerator's own port").isCloseTo(
        allReduce(one, 64), withinPercentage(0.1));
  }

  private static Fabric servers(String name, int count) {
    Topology topology = new SimaiTopologyProvider().create(sample(name));
    Map<DeviceKind, Integer> terminals = new LinkedHashMap<>();
    terminals.put(DeviceKind.ACCELERATOR, 8);
    terminals.put(DeviceKind.NIC, 8);
    return Fabric.of(List.of(
        Tier.inner("server", terminals, sample(name).forwarding(), topology), Tier.outer("network", count, topology)));
  }

  /**
   * A ring of 64 ranks moves 1/64 of the data in each of 126 steps; each message crosses one port of 200 Gb/s, as the
   * planes of [Alibaba HPN §4] meet at the servers alone.
   */
  @Test
  void shouldSendAMessageByOnePortWhenANicHasTwoPlanes() {
    double step = (1 << 20) * 8 / 200e3;
    assertThat(allReduce(servers(TWO_PLANES, 8), 64)).isCloseTo(126 * step, withinPercentage(1));
  }

  @Test
  void shouldOfferBothToRsToANicWhenItHasTwoPorts() {
    TierPlan plan = new SimaiTopologyProvider().create(sample(TWO_PLANES))
        .plan(Fabrics.terminals(DeviceKind.NIC, 64));
    int[] candidates = plan.candidates(0, 8);
    assertThat(Arrays.stream(candidates).map(channel -> plan.linkTarget(TierPlan.linkOf(channel))).distinct())
        .hasSize(2);
    assertThat(walk(plan, 0, 8)).as("both NICs are below the same two ToRs").isEqualTo(2);
  }

  private static final String HEAD = "5 2 1 2 6 H100\n2 3 4\n";
  private static final String LINKS = "0 2 2880Gbps 0.000025ms 0\n1 2 2880Gbps 0.000025ms 0\n0 3 400Gbps 500ns 0\n"
      + "1 4 400Gbps 0.5us 0\n3 4 400Gbps 0.0005ms 0.0\n";

  @Test
  void shouldSayFileAndLineWhenTextIsWrong() {
    refused("", ":1: is empty");
    refused("5 9 1\n", ":1: the number of switches is 9");
    refused("5 2 1 2\n", "but here are 4 words");
    refused("-5 2 1 2 6 H100\n", ":1: the number of nodes is -5");
    refused("99999999999 2 1 2 6 H100\n", ":1: the number of nodes is 99999999999");
    refused("3 2 1 2 6 H100\n", ":1: 3 nodes less 1 NVSwitches and 2 switches leave no accelerator");
    refused("9000 8 0 5000 6 H100\n", ":1: the network has 5000 switches; at most 4096 are possible");
    refused("6 2 1 2 6 H100\n", ":1: 3 accelerators are no servers of 2 each");
    refused("5 2 1 2 6 H100\n", ":2: here must be the numbers of the switches, but the file ends");
    refused("5 2 1 2 6 H100\n2 3\n", ":2: here must be the numbers of 3 switches, but here are 2");
    refused("5 2 1 2 6 H100\n2 3 3\n", ":2: the switch 3 stands twice");
    refused("5 2 1 2 6 H100\n1 3 4\n", ":2: a switch has the number 1, but numbers below 2 are the accelerators'");
    refused("5 2 1 2 6 H100\n2 3 9\n", ":2: a switch is 9, but must be 0 to 4");
    refused(HEAD + LINKS, ":8: the file ends after 5 of 6 links");
    refused(HEAD + LINKS + LINKS, ":9: here must be the end of the file");
    refused(HEAD + "0 2 1Gbps\n",
        ":3: a link has two nodes, a rate, a latency and an error rate, but here are 3 words");
    refused(HEAD + link("0", "7", "1Gbps", "1ns", "0"), ":3: a node is 7, but must be 0 to 4");
    refused(HEAD + link("0", "0", "1Gbps", "1ns", "0"), ":3: the node 0 is linked to itself");
    refused(HEAD + link("0", "1", "1Gbps", "1ns", "0"), ":3: two accelerators, 0 and 1, are linked");
    refused(HEAD + link("2", "3", "1Gbps", "1ns", "0"), ":3: the NVSwitch 2 is linked to another switch, 3");
    refused(HEAD + link("0", "3", "1Gbit", "1ns", "0"), ":3: the rate is '1Gbit'; its unit must be one of Gbps, Kbps");
    refused(HEAD + link("0", "3", "Gbps", "1ns", "0"), ":3: the rate is 'Gbps', which is no number");
    refused(HEAD + link("0", "3", "-1Gbps", "1ns", "0"), ":3: the rate is -1Gbps, which is negative or too large");
    refused(HEAD + link("0", "3", "1e999999999Gbps", "1ns", "0"), ":3: the rate is 1e999999999Gbps, which is negative");
    refused(HEAD + link("0", "3", "0Gbps", "1ns", "0"), ":3: the rate is 0Gbps; a link has at least 1bps");
    refused(HEAD + link("0", "3", "1Gbps", "2000s", "0"), ":3: the latency is 2000s, which is negative or too large");
    refused(HEAD + link("0", "3", "1Gbps", "1ns", "0.01"),
        ":3: the packet error rate is 0.01; errors are not simulated");
    refused(HEAD + link("0", "3", "1Gbps", "1ns", "x"), ":3: the packet error rate is 'x', which is no number");
  }

  private static String link(String a, String b, String rate, String latency, String errors) {
    return String.join(" ", a, b, rate, latency, errors) + "\n";
  }

  private Path written(String text) {
    try {
      return Files.writeString(folder.resolve("topology"), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void refused(String text, String message) {
    assertThatThrownBy(() -> new SimaiTopologyProvider().create(file(written(text)))).as("%.60s", text)
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("topology").hasMessageContaining(message);
  }

  @Test
  void shouldSayThatNoWayLeadsWhenNetworkIsInParts() {
    Topology topology = new SimaiTopologyProvider().create(file(written(
        "6 1 0 2 4 H100\n4 5\n0 4 1Gbps 1ns 0\n1 4 1Gbps 1ns 0\n2 5 1Gbps 1ns 0\n3 5 1Gbps 1ns 0\n")));
    assertThatThrownBy(() -> topology.plan(Fabrics.terminals(DeviceKind.ACCELERATOR, 4)))
        .isInstanceOf(InvalidSettingException.class).hasMessage("no way leads from some accelerators to others");
  }

  @Test
  void shouldRefuseWhenSwitchesAreALongChain() {
    StringBuilder text = new StringBuilder("3002 3000 3001\n");
    for (int i = 2; i < 3002; i++) {
      text.append(i).append(' ');
    }
    text.append("\n0 2 1Gbps 1ns 0\n1 3001 1Gbps 1ns 0\n");
    for (int i = 2; i < 3001; i++) {
      text.append(i).append(' ').append(i + 1).append(" 1Gbps 1ns 0\n");
    }
    Topology topology = new SimaiTopologyProvider().create(file(written(text.toString())));
    assertThatThrownBy(() -> topology.plan(Fabrics.terminals(DeviceKind.ACCELERATOR, 2)))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage("switches lie up to 2999 hops apart; at most 100 are possible");
  }

  @ParameterizedTest
  @ValueSource(strings = {RAILS, TWO_PLANES})
  void shouldPlanOrRefuseWhenFileIsDamaged(String name) throws IOException {
    byte[] whole = Files.readAllBytes(Path.of("src/test/resources", name));
    Random random = new Random(Seeds.fixed());
    for (int i = 0; i < 100; i++) {
      byte[] damaged = Arrays.copyOf(whole, random.nextInt(3) == 0 ? random.nextInt(whole.length) : whole.length);
      for (int j = random.nextInt(4); j > 0 && damaged.length > 0; j--) {
        damaged[random.nextInt(damaged.length)] =
            (byte) (random.nextBoolean() ? '0' + random.nextInt(10) : random.nextInt());
      }
      Path file = written(new String(damaged, StandardCharsets.ISO_8859_1));
      try {
        new SimaiTopologyProvider().create(file(file))
            .plan(Fabrics.terminals(DeviceKind.ACCELERATOR, name.equals(RAILS) ? 16 : 64));
      } catch (InvalidSettingException e) {
        assertThat(e.component()).as("seed %s, case %s: %s", Seeds.fixed(), i, e.getMessage()).isEqualTo("file");
      }
    }
  }
}
