package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.p2p.PointToPoint;
import dev.heddle.collectives.nccl.search.ChannelGraph;
import dev.heddle.collectives.nccl.search.ClusterPlan;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.system.ClusterNode;
import dev.heddle.collectives.nccl.system.SystemDescription;
import dev.heddle.collectives.nccl.system.SystemXml;
import dev.heddle.collectives.nccl.tuner.Call;
import dev.heddle.collectives.nccl.tuner.Tuner;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of NCCL's planning on clusters of presets. */
class NcclClustersTest {
  private static final Registry REGISTRY = Registry.discover(NcclClustersTest.class.getClassLoader(), List.of());

  private static Cluster cluster(String preset) {
    return new ScenarioReader(REGISTRY).parse("cluster.yaml", """
        name: cluster
        fidelity: flow
        cluster: {preset: %s}
        workload: {type: traffic, pattern: shift, loop: closed, messages: 2, message-size: 64 KiB, shift: 3}
        """.formatted(preset), Map.of()).points().get(0).scenario().fabric();
  }

  private static CommunicatorTopology channels(Cluster cluster, int nodes, Map<String, String> variables) {
    return channels(cluster, nodes, "2.29.2", variables);
  }

  private static CommunicatorTopology channels(Cluster cluster, int nodes, String version,
      Map<String, String> variables) {
    int[] accelerators = cluster.terminals(DeviceKind.ACCELERATOR);
    int perNode = accelerators.length / cluster.nodes();
    return ClusterPlan.channels(cluster, Group.of(Arrays.copyOf(accelerators, nodes * perNode)),
        NcclConfig.of(NcclVersion.parse(version), variables));
  }

  private static String sizes(ChannelGraph graph) {
    return graph.channels() + "x" + graph.intraSpeed() + "/" + graph.interSpeed();
  }

  @ParameterizedTest
  @CsvSource({
      "hgx-h100, 1, 12x30.0/30.0, 24", "hgx-h200, 1, 12x30.0/30.0, 24", "hgx-b200, 1, 16x45.0/45.0, 32",
      "dgx-a100, 1, 12x20.0/20.0, 24", "v100-deepops, 1, 6x20.0/20.0, 12", "gb200-nvl72, 1, 16x45.0/45.0, 32",
      "hgx-h100, 2, 8x48.0/48.0, 16", "hgx-b200, 2, 8x48.0/48.0, 16", "dgx-a100, 2, 8x24.0/24.0, 16"})
  void shouldFindDocumentedRingsWhenClusterIsPreset(String preset, int nodes, String ring, int count) {
    CommunicatorTopology channels = channels(cluster(preset), nodes, Map.of());

    assertThat(sizes(channels.node(0).ring())).isEqualTo(ring);
    assertThat(channels.count()).isEqualTo(count);
  }

  // The formulas of the tuning model, evaluated in another language, for 8 rings of 24 and trees of 24 or more.
  @Test
  void shouldPredictKnownTimesWhenNodesAreTwoDgxA100() {
    Tuner tuner = Tuner.of(channels(cluster("dgx-a100"), 2, Map.of()));

    assertThat(List.of(1L << 10, 1L << 16, 1L << 20, 1L << 24, 1L << 28, 1L << 33).stream()
        .map(bytes -> "" + Math.round(tuner.choose(Call.of(CollectiveOp.ALL_REDUCE, bytes)).best().timeUs()))
        .collect(Collectors.joining(" "))).isEqualTo("25 35 70 275 2908 84172");
  }

  // From aws-samples/awsome-distributed-training, slurm-104.out: "8 p2p channels, 2 p2p channels per peer"; rank 0
  // sends to its neighbours on channels 00 and 01, to the others on 04 and 05, "via NET/AWS Libfabric/1(2)": by NIC 1
  // of rank 2.
  @Test
  void shouldSendByTheChannelsNicsAndGpusThatALogOfAScatterReports() {
    CommunicatorTopology channels = channels(cluster("a100-aws-p4d"), 2, "2.18.3", Map.of("NCCL_PROTO", "simple"));
    PointToPoint pairs = PointToPoint.of(channels);
    assertThat(channels.count()).isEqualTo(8);
    assertThat(pairs.channels()).isEqualTo(8);
    assertThat(pairs.channelsPerPeer()).isEqualTo(2);
    int[] rounds = IntStream.range(0, 16).map(round -> pairs.order().sendsTo(0, round)).toArray();
    for (int round = 0; round < 16; round++) {
      int peer = rounds[round];
      int first = peer < 8 ? 0 : 4;
      assertThat(List.of(pairs.channel(round, 0), pairs.channel(round, 1))).as("peer %d", peer)
          .containsExactly(first, first + 1);
      if (peer >= 8) {
        assertThat(pairs.sendingNet(0, peer, first)).as("peer %d", peer).isEqualTo((peer - 8) / 2);
        assertThat(pairs.relay(0, peer, first)).as("peer %d", peer).isEqualTo((peer - 8) / 2 * 2);
      }
    }
    assertThat(pairs.rails(0)).isEqualTo(4);
  }

  @Test
  void shouldSplitARackWhenNvlinkBeyondHostsIsOff() {
    Cluster rack = cluster("gb200-nvl72");

    assertThat(channels(rack, 1, Map.of()).placement().nodes()).isEqualTo(1);
    CommunicatorTopology split = channels(rack, 1, Map.of("NCCL_MNNVL_ENABLE", "0"));
    assertThat(split.placement().nodes()).isEqualTo(18);
    assertThat(split.placement().ranks(5)).isEqualTo(4);
    int rank = 0;
    for (int i = 0; i < 72; i++) {
      rank = split.ringNext(0, rank);
    }
    assertThat(rank).isZero();
  }

  @Test
  void shouldPlanARackWhenTheCallersStackIsSmall() throws InterruptedException {
    Cluster rack = cluster("gb200-nvl72");
    AtomicReference<CommunicatorTopology> planned = new AtomicReference<>();
    // The version and its variable are of this test alone: plans of a process are kept.
    Thread caller = new Thread(null,
        () -> planned.set(channels(rack, 1, "2.28.3", Map.of("NCCL_MNNVL_ENABLE", "1"))), "small", 256 << 10);
    caller.start();
    caller.join();

    assertThat(planned.get()).isNotNull();
    assertThat(planned.get().placement().ranks(0)).isEqualTo(72);
  }

  @ParameterizedTest
  @CsvSource({"all_gather, false", "reduce_scatter, false", "all_reduce, true"})
  void shouldLeaveBlocksToRingsWhenARackHasMoreRanksThanNvlsHasHeads(String op, boolean reduces) {
    CommunicatorTopology rack = channels(cluster("gb200-nvl72"), 1, Map.of());
    List<String> why = Tuner.of(rack).choose(Call.of(CollectiveOp.valueOf(op.toUpperCase(Locale.ROOT)), 1L << 30))
        .candidates().stream().filter(each -> each.algorithm() == Algorithm.NVLS)
        .flatMap(each -> each.excluded().stream()).toList();
    assertThat(why).isEqualTo(reduces ? List.of() : List.of("more than 32 ranks on a node"));
  }

  @ParameterizedTest
  @CsvSource({"hgx-h100", "dgx-a100", "v100-deepops", "gb200-nvl72", "gh200-alps"})
  void shouldBeTheSameWhenWrittenAsTopologyFile(String preset) {
    SystemDescription node = ClusterNode.of(cluster(preset), 0);

    assertThat(SystemXml.read("node.xml",
        new ByteArrayInputStream(SystemXml.write(node).getBytes(StandardCharsets.UTF_8)))).isEqualTo(node);
  }

  @Test
  void shouldPlanWithTheFileWhenOneIsNamed(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("node.xml");
    Cluster h100 = cluster("hgx-h100");
    Files.writeString(file, SystemXml.write(ClusterNode.of(cluster("hgx-b200"), 0)));

    CommunicatorTopology channels = channels(h100, 1, Map.of("NCCL_TOPO_FILE", file.toString()));
    assertThat(sizes(channels.node(0).ring())).isEqualTo("16x45.0/45.0");
    Files.writeString(file, SystemXml.write(ClusterNode.of(cluster("gh200-alps"), 0)));
    assertThatThrownBy(() -> channels(h100, 1, Map.of("NCCL_TOPO_FILE", file.toString())))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage("NCCL_TOPO_FILE has no GPU with dev 4, but a node has 8 accelerators");
  }

  @Test
  void shouldPlanAlikeWhenScenarioTakesItsNodeFromAFile(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("node.xml");
    Files.writeString(file, SystemXml.write(ClusterNode.of(cluster("hgx-h100"), 0)));
    Cluster found = fromFile(file, "");

    ChannelGraph expected = channels(cluster("hgx-h100"), 2, Map.of()).node(0).ring();
    assertThat(channels(found, 2, Map.of()).node(0).ring()).hasToString(expected.toString());
  }

  // In the form of Azure's ndv5-topo.xml: a PCIe switch per GPU and NIC, both by PCI class alone; or with all that NCCL
  // finds on such a machine.
  private static String ndv5(boolean complete) {
    StringBuilder text = new StringBuilder("<system version=\"1\">\n");
    for (int i = 0; i < 8; i++) {
      String link = " link_speed=\"32.0 GT/s PCIe\" link_width=\"16\">";
      String gpu = "<gpu dev=\"" + i + "\" sm=\"90\" rank=\"" + i
          + "\" gdr=\"1\"><nvlink target=\"0000:c0:00.0\" count=\"18\" tclass=\"0x068000\"/></gpu>";
      String nic = "<nic><net name=\"mlx5_" + i + "\" dev=\"" + i + "\" speed=\"400000\" port=\"1\" guid=\"" + i
          + "\" gdr=\"1\" coll=\"1\"/></nic>";
      text.append(i % 4 == 0
          ? "<cpu numaid=\"" + i / 4 + "\" arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"143\">\n"
          : "");
      text.append("<pci busid=\"ffff:ff:0" + (i + 1) + ".0\" class=\"0x060400\"" + link
          + "<pci busid=\"000" + (i + 1) + ":00:00.0\" class=\"0x030200\"" + link + (complete ? gpu : "") + "</pci>"
          + "<pci busid=\"010" + (i + 1) + ":00:00.0\" class=\"0x020700\"" + link + (complete ? nic : "")
          + "</pci></pci>\n");
      text.append(i % 4 == 3 ? "</cpu>\n" : "");
    }
    return text.append("</system>\n").toString();
  }

  private static Cluster fromFile(Path file, String gpus) {
    return new ScenarioReader(REGISTRY).parse("file.yaml", """
        name: file
        fidelity: flow
        cluster:
          tiers:
            - name: node
              terminals: {accelerator: 8, nic: 8, cpu: 2}
              accelerator: {preset: h100-sxm}
              cpu: {preset: xeon-platinum-8480c}
              nic: {type: generic, switching: whole-unit}
              topology: {type: nccl-topology, file: '%s'%s}
            - name: cluster
              size: 2
              topology: {type: star, link: {preset: infiniband-ndr}}
        workload: {type: traffic, pattern: shift, loop: closed, messages: 2, message-size: 64 KiB, shift: 3}
        """.formatted(file, gpus), Map.of()).points().get(0).scenario().fabric();
  }

  @Test
  void shouldPlanAsFromACompleteFileWhenFileHasDevicesByClassAlone(@TempDir Path folder) throws IOException {
    Path complete = Files.writeString(folder.resolve("complete.xml"), ndv5(true));
    Path byClass = Files.writeString(folder.resolve("ndv5.xml"), ndv5(false));
    Cluster machine = fromFile(complete, "");

    String expected = channels(machine, 2, Map.of()).node(0).ring().toString();
    assertThat(expected).contains("nChannels 8, bw 48");
    assertThat(channels(fromFile(byClass, ", gpus: {sm: 90, nvlinks: 18}"), 2, Map.of()).node(0).ring())
        .hasToString(expected);
    assertThat(channels(machine, 2, Map.of("NCCL_TOPO_FILE", byClass.toString())).node(0).ring())
        .hasToString(expected);
  }

  @Test
  void shouldRefuseWhenRanksAreNoGpusOfNvidia() {
    Cluster h100 = cluster("hgx-h100");
    int nic = h100.terminals(DeviceKind.NIC)[0];

    assertThatThrownBy(() -> ClusterPlan.channels(h100, Group.of(0, nic), NcclConfig.of(NcclVersion.LATEST)))
        .hasMessage("rank 1 is " + h100.name(nic) + ", but NCCL's ranks are accelerators");
    assertThatThrownBy(() -> channels(cluster("mi300x-oci"), 1, Map.of()))
        .hasMessage("'MI300X' has no compute-capability; NCCL knows GPUs of NVIDIA only");
  }

  // The plug-in of EFA states a latency, InfiniBand's none.
  @ParameterizedTest
  @CsvSource({"a100-aws-p4de, 75", "h100-aws-p5, 75", "b200-aws-p6, 35", "h100-ndr, 0"})
  void shouldStateTheLatencyOfANetworkWhenItsPlugInDoes(String preset, int us) {
    assertThat(SystemXml.write(ClusterNode.of(cluster(preset), 0))).contains("latency=\"" + us + ".000000\"");
  }

  // Between 8 MiB and 64 MiB, where a stated latency of 0 would leave LL128 below 256 KiB.
  @ParameterizedTest
  @CsvSource({"8, TREE", "64, NVLS_TREE"})
  void shouldLeaveLl128LateOverEfa(int mebibytes, Algorithm algorithm) {
    CommunicatorTopology channels = channels(cluster("h100-aws-p5"), 2, "2.22.3", Map.of());
    assertThat(Tuner.of(channels).choose(Call.of(CollectiveOp.ALL_REDUCE, (long) mebibytes << 20)).best().algorithm())
        .isEqualTo(algorithm);
  }
}
