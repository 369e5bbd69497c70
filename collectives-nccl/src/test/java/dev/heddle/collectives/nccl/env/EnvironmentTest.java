package dev.heddle.collectives.nccl.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.Clusters;
import dev.heddle.collectives.nccl.Machines;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.PathType;
import dev.heddle.collectives.nccl.p2p.DirectAccess;
import dev.heddle.collectives.nccl.p2p.PointToPoint;
import dev.heddle.collectives.nccl.rccl.MscclSchedules;
import dev.heddle.collectives.nccl.rccl.RcclGpu;
import dev.heddle.collectives.nccl.rccl.RcclRings;
import dev.heddle.collectives.nccl.search.ClusterPlan;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.search.Placement;
import dev.heddle.collectives.nccl.system.CpuModel;
import dev.heddle.collectives.nccl.system.SystemDescription;
import dev.heddle.collectives.nccl.system.SystemGraph;
import dev.heddle.collectives.nccl.system.SystemPaths;
import dev.heddle.collectives.nccl.system.SystemXml;
import dev.heddle.collectives.nccl.timing.Buffers;
import dev.heddle.collectives.nccl.timing.CommunicatorTiming;
import dev.heddle.collectives.nccl.timing.MachineTiming;
import dev.heddle.collectives.nccl.tuner.Call;
import dev.heddle.collectives.nccl.tuner.Candidate;
import dev.heddle.collectives.nccl.tuner.Tuner;
import dev.heddle.spi.InvalidSettingException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class EnvironmentTest {
  @TempDir
  private static Path folder;

  /** The effect of a variable: its value, other variables that are set, and the observed quantity. */
  private record Effect(
      Variable<?> variable, String value, Map<String, String> others, Function<NcclConfig, Object> look) {
    private Object under(boolean set) {
      Map<String, String> variables = new LinkedHashMap<>(others);
      if (set) {
        variables.put(variable.name(), value);
      }
      return look.apply(NcclConfig.of(NcclVersion.LATEST, variables));
    }

    @Override
    public String toString() {
      return variable + "=" + value;
    }
  }

  private static final RcclRings MI300 =
      new RcclRings(RcclGpu.GFX942, 8, 1, 0, 28, 336, new RcclRings.Use(1, 1), true);

  private static Effect effect(Variable<?> variable, String value, Function<NcclConfig, Object> look) {
    return new Effect(variable, value, Map.of(), look);
  }

  private static Effect with(Effect effect, String name, String value) {
    return new Effect(effect.variable, effect.value, Map.of(name, value), effect.look);
  }

  // Variables that affect networks only, with tests in the modules that run networks.
  private static Effect read(Variable<?> variable, String value) {
    return effect(variable, value, config -> config.get(variable));
  }

  private static Object nanos(NcclConfig config) {
    MachineTiming machine = dev.heddle.collectives.nccl.timing.Machines.cluster(
        dev.heddle.collectives.nccl.timing.Machines.gpu(400, 20, 700, 2000), 384);
    return CommunicatorTiming.of(channels(Machines.h100(), 2, 8, config), machine, 0)
        .time(CollectiveOp.ALL_REDUCE, 1 << 20, false).nanos();
  }

  // An all_to_all between nodes with a latency of a millisecond.
  private static double farNanos(NcclConfig config) {
    MachineTiming machine = dev.heddle.collectives.nccl.timing.Machines.cluster(
        dev.heddle.collectives.nccl.timing.Machines.gpu(400, 20, 700, 2000), 384);
    return CommunicatorTiming.of(channels(Machines.h100(), 2, 8, config), machine, 1_000_000_000)
        .time(CollectiveOp.ALL_TO_ALL, 1L << 30, false).nanos();
  }

  private static CommunicatorTopology channels(SystemDescription node, int nodes, int perNode, NcclConfig config) {
    return CommunicatorTopology.plan(Placement.even(nodes, perNode), rank -> node, config);
  }

  private static Function<NcclConfig, Object> onH100(int nodes, Function<CommunicatorTopology, Object> look) {
    return config -> look.apply(channels(Machines.h100(), nodes, 8, config));
  }

  private static Function<NcclConfig, Object> paths(SystemDescription node, Function<SystemPaths, Object> look) {
    return config -> look.apply(SystemPaths.of(SystemGraph.of(node, config), config));
  }

  private static Function<NcclConfig, Object> points(int nodes, Function<PointToPoint, Object> look) {
    return onH100(nodes, channels -> look.apply(PointToPoint.of(channels)));
  }

  private static Function<NcclConfig, Object> choice(int nodes, long bytes) {
    return onH100(nodes, channels -> Tuner.of(channels).choose(Call.of(CollectiveOp.ALL_REDUCE, bytes)).best());
  }

  private static Candidate candidate(CommunicatorTopology channels, CollectiveOp op, Algorithm algorithm) {
    return Tuner.of(channels).choose(Call.of(op, 1 << 20)).candidates().stream()
        .filter(each -> each.algorithm() == algorithm).findFirst().orElseThrow();
  }

  private static List<String> excludedOfRings(CommunicatorTopology channels) {
    return Tuner.of(channels).choose(Call.of(CollectiveOp.ALL_REDUCE, 1)).candidates().stream()
        .filter(each -> each.algorithm() == Algorithm.RING).flatMap(each -> each.excluded().stream()).toList();
  }

  private static SystemDescription dualPort() {
    return Machines.pair(List.of(SystemDescription.Net.of("mlx5_0", 0, 100_000), Machines.secondPort()));
  }

  static List<Effect> effects() {
    List<Effect> effects = new ArrayList<>(List.of(
        effect(Environment.ALGO, "Ring", choice(1, 1 << 28)),
        effect(Environment.PROTO, "Simple", choice(1, 1 << 10)),
        effect(Environment.MIN_NCHANNELS, "32", onH100(1, CommunicatorTopology::count)),
        effect(Environment.MAX_NCHANNELS, "8", onH100(1, CommunicatorTopology::count)),
        effect(Environment.MIN_NRINGS, "32", onH100(1, CommunicatorTopology::count)),
        effect(Environment.MAX_NRINGS, "8", onH100(1, CommunicatorTopology::count)),
        effect(Environment.MIN_CTAS, "32", onH100(1, CommunicatorTopology::count)),
        effect(Environment.MAX_CTAS, "8", onH100(1, CommunicatorTopology::count)),
        effect(Environment.NVLS_ENABLE, "0", choice(1, 1 << 28)),
        effect(Environment.NVLS_NCHANNELS, "8", choice(1, 1 << 28)),
        effect(Environment.COLLNET_ENABLE, "1",
            onH100(2, channels -> candidate(channels, CollectiveOp.ALL_REDUCE, Algorithm.COLLNET_CHAIN).excluded())),
        with(effect(Environment.COLLNET_NODE_THRESHOLD, "4", onH100(2, CommunicatorTopology::collNet)),
            "NCCL_COLLNET_ENABLE", "1"),
        effect(Environment.CROSS_NIC, "0", onH100(2, channels -> channels.ringExit(0, 0))),
        effect(Environment.MSCCL_ENABLE, "0", config -> MscclSchedules.of(MI300,
            NcclConfig.of(NcclVersion.parse("2.22.3"), config.texts()), CollectiveOp.ALL_REDUCE, 1 << 20)),
        effect(Environment.MNNVL_ENABLE, "0", config -> channelsOf(config).placement().nodes()),
        effect(Environment.PAT_ENABLE, "1",
            onH100(2, channels -> candidate(channels, CollectiveOp.ALL_GATHER, Algorithm.PAT).excluded())),
        with(effect(Environment.LL128_C2C, "0", onH100(2, EnvironmentTest::excludedOfRings)), "NCCL_CROSS_NIC", "0"),
        effect(Environment.NTHREADS, "256", choice(1, 1 << 20)),
        with(effect(Environment.LL128_NTHREADS, "320", choice(1, 1 << 28)), "NCCL_PROTO", "LL128"),
        effect(Environment.THREAD_THRESHOLDS, "-2 -2 -2 1000", choice(1, 1 << 20)),
        with(effect(Environment.NET_OVERHEAD, "9000", choice(2, 1 << 20)), "NCCL_ALGO", "Ring")));
    effects.addAll(pathEffects());
    effects.addAll(pointEffects());
    effects.addAll(transferEffects());
    effects.addAll(fileEffects());
    return effects;
  }

  private static List<Effect> pathEffects() {
    SystemDescription h100 = Machines.h100();
    return List.of(
        effect(Environment.PXN_DISABLE, "1", paths(h100, paths -> paths.gpuToNet(0, 1).type())),
        effect(Environment.PXN_C2C, "0", paths(h100, SystemPaths::relayLevel)),
        effect(Environment.P2P_LEVEL, "LOC", paths(h100, paths -> paths.gpuToGpu(0, 1).type())),
        effect(Environment.P2P_DISABLE, "1", paths(h100, paths -> paths.gpuToGpu(0, 1).type())),
        with(effect(Environment.SHM_DISABLE, "1", paths(h100, paths -> paths.throughNetwork(0, 1))),
            "NCCL_P2P_DISABLE", "1"),
        effect(Environment.NET_GDR_LEVEL, "LOC", paths(h100, paths -> paths.gpuDirect(0, 0, false))),
        effect(Environment.NET_GDR_READ, "0", paths(h100, paths -> paths.gpuDirect(0, 0, true))),
        effect(Environment.NVB_DISABLE, "1", paths(Machines.dgx1v(), paths -> paths.gpuToGpu(0, 7).type())),
        effect(Environment.NET_DISABLE_INTRA, "1",
            paths(Machines.withoutNvlink(), paths -> paths.throughNetwork(0, 1))),
        effect(Environment.IB_HCA, "mlx5_1", paths(h100, paths -> paths.graph().nets())),
        effect(Environment.IB_DISABLE, "1", paths(h100, paths -> paths.gpuDirect(0, 0, false))),
        effect(Environment.NET, "Socket", paths(h100, paths -> paths.gpuDirect(0, 0, false))),
        effect(Environment.IB_MERGE_NICS, "0", paths(dualPort(), paths -> paths.graph().nets())),
        effect(Environment.NET_MERGE_LEVEL, "LOC", paths(dualPort(), paths -> paths.graph().nets())),
        with(effect(Environment.NETDEVS_POLICY, "ALL", paths(dualPort(), paths -> paths.localNet(0, 1))),
            "NCCL_IB_MERGE_NICS", "0"));
  }

  private static List<Effect> pointEffects() {
    CpuModel amd = CpuModel.amd();
    return List.of(
        effect(Environment.P2P_NET_CHUNKSIZE, "262144", points(2, PointToPoint::chunkBytes)),
        effect(Environment.P2P_NVL_CHUNKSIZE, "262144", points(1, PointToPoint::chunkBytes)),
        effect(Environment.P2P_PCI_CHUNKSIZE, "65536",
            config -> PointToPoint.of(channels(Machines.pcieOnly(4, amd), 1, 4, config)).chunkBytes()),
        effect(Environment.P2P_LL_THRESHOLD, "0", points(1, point -> point.message(0, 1, 1024).protocol())),
        effect(Environment.NCHANNELS_PER_NET_PEER, "1", points(2, PointToPoint::channelsPerPeer)),
        effect(Environment.P2P_PER_CHANNEL_NET_BW, "50", points(2, PointToPoint::channelsPerPeer)),
        effect(Environment.MIN_P2P_NCHANNELS, "64", points(1, PointToPoint::channels)),
        effect(Environment.MAX_P2P_NCHANNELS, "4", points(1, PointToPoint::channels)),
        effect(Environment.P2P_SCHEDULE_GROUP_SIZE, "2", points(2, point -> point.order().sendsTo(0, 4))),
        effect(Environment.P2P_PXN_LEVEL, "0", points(2, point -> point.relay(0, 13, 0))),
        with(effect(Environment.NET_SHARED_BUFFERS, "0", EnvironmentTest::farNanos), "NCCL_PXN_DISABLE", "1"));
  }

  private static List<Effect> transferEffects() {
    return List.of(
        effect(Environment.NVLS_CHUNKSIZE, "65536", Buffers::of),
        effect(Environment.NVLSTREE_MAX_CHUNKSIZE, "65536", Buffers::of),
        effect(Environment.BUFFSIZE, "1048576", Buffers::of), effect(Environment.LL_BUFFSIZE, "131072", Buffers::of),
        effect(Environment.LL128_BUFFSIZE, "1228800", Buffers::of),
        effect(Environment.CHUNK_SIZE, "65536", points(1, point -> point.message(0, 1, 1 << 20).chunkBytes())),
        with(effect(Environment.NET_FORCE_FLUSH, "1", EnvironmentTest::nanos), "NCCL_PROTO", "Simple"),
        effect(Environment.P2P_DIRECT_DISABLE, "1",
            onH100(1, channels -> DirectAccess.of(channels, 8).between(0, 1))),
        effect(Environment.IB_RETRY_CNT, "3", NcclConfig::retransmission),
        effect(Environment.IB_TIMEOUT, "22", NcclConfig::retransmission),
        read(Environment.IB_GID_INDEX, "2"), read(Environment.IB_ROCE_VERSION_NUM, "1"),
        read(Environment.IB_ADDR_FAMILY, "AF_INET6"), read(Environment.IB_TC, "106"),
        read(Environment.IB_QPS_PER_CONNECTION, "4"),
        read(Environment.IB_FIFO_TC, "84"),
        effect(Environment.IB_SPLIT_DATA_ON_QPS, "1", NcclConfig::splitsMessages),
        effect(Environment.IB_AR_THRESHOLD, "0", config -> config.adaptiveAbove(true)),
        effect(Environment.IB_ADAPTIVE_ROUTING, "0", config -> config.adaptiveAbove(true)));
  }

  private static List<Effect> fileEffects() {
    try {
      Path node = folder.resolve("node.xml");
      Files.writeString(node, SystemXml.write(Machines.b200()));
      Path graphs = folder.resolve("graphs.xml");
      channels(Machines.h100(), 1, 8, NcclConfig.of(
          NcclVersion.LATEST, Map.of("NCCL_GRAPH_DUMP_FILE", graphs.toString(), "NCCL_NVLS_ENABLE", "0")));
      Files.writeString(graphs, Files.readString(graphs).replace("speedintra=\"30.0\"", "speedintra=\"25.0\""));
      return List.of(
          effect(Environment.TOPO_FILE, node.toString(), config -> channelsOf(config).node(0).ring().intraSpeed()),
          effect(Environment.GRAPH_FILE, graphs.toString(),
              onH100(1, channels -> channels.node(0).ring().intraSpeed())),
          dump(Environment.TOPO_DUMP_FILE, folder.resolve("dump.xml")),
          dump(Environment.GRAPH_DUMP_FILE, folder.resolve("graph-dump.xml")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Effect dump(Variable<?> variable, Path file) {
    return effect(variable, file.toString(), config -> {
      try {
        Files.deleteIfExists(file);
        channels(Machines.h100(), 1, 8, config);
        return Files.exists(file);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    });
  }

  private static CommunicatorTopology channelsOf(NcclConfig config) {
    return ClusterPlan.channels(Clusters.twoHosts(90), Group.of(0, 1, 2, 3), config);
  }

  @ParameterizedTest
  @MethodSource("effects")
  void shouldChangeWhatItSaysWhenVariableIsSet(Effect effect) {
    assertThat(effect.under(true)).isNotEqualTo(effect.under(false));
  }

  @Test
  void shouldShowAnEffectWhenVariableIsDeclared() {
    assertThat(effects().stream().<Variable<?>>map(Effect::variable).toList())
        .containsExactlyInAnyOrderElementsOf(Environment.ALL);
  }

  @Test
  void shouldReadBackGraphsWhenDumped() throws IOException {
    Path file = folder.resolve("again.xml");
    NcclConfig dump = NcclConfig.of(NcclVersion.LATEST, Map.of("NCCL_GRAPH_DUMP_FILE", file.toString()));
    NcclConfig read = NcclConfig.of(NcclVersion.LATEST, Map.of("NCCL_GRAPH_FILE", file.toString()));

    CommunicatorTopology searched = channels(Machines.h100(), 2, 8, dump);
    CommunicatorTopology given = channels(Machines.h100(), 2, 8, read);
    assertThat(given.node(0).ring()).hasToString(searched.node(0).ring().toString());
    assertThat(given.node(0).tree()).hasToString(searched.node(0).tree().toString());
    assertThat(IntStream.range(0, 16).map(rank -> given.ringNext(3, rank)).toArray())
        .isEqualTo(IntStream.range(0, 16).map(rank -> searched.ringNext(3, rank)).toArray());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "id=\"0\" | id=\"9\" | :2: id is 9, but must be 0 to 4",
      "pattern=\"4\" | pattern=\"ring\" | :2: pattern is 'ring', which is no whole number",
      "typeintra=\"NVL\" | typeintra=\"FAST\" | :2: typeintra is 'FAST'; it must be one of LOC, NVL",
      "speedintra=\"30.0\" | speedintra=\"x\" | :2: speedintra is 'x', which is no number",
      "dev=\"3\" | dev=\"33\" | :7: there is no <gpu> with dev 33 in the node",
      "dev=\"3\" | dev=\"2\" | a <channel> of this pattern names each of 8 <gpu> once",
      "nchannels=\"12\" | nchannels=\"11\" | there are 12 <channel>, but nchannels is 11"})
  void shouldNameFileAndLineWhenGraphsAreWrong(String part, String instead, String message) throws IOException {
    Path file = folder.resolve("wrong.xml");
    channels(Machines.h100(), 1, 8, NcclConfig.of(NcclVersion.LATEST, Map.of("NCCL_GRAPH_DUMP_FILE", file.toString())));
    Files.writeString(file, Files.readString(file).replaceFirst(part, instead));

    NcclConfig config = NcclConfig.of(NcclVersion.LATEST, Map.of("NCCL_GRAPH_FILE", file.toString()));
    assertThatThrownBy(() -> channels(Machines.h100(), 1, 8, config))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("wrong.xml:").hasMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "NCCL_BUFSIZE | 1 | NCCL has no variable NCCL_BUFSIZE that is known here; did you mean 'NCCL_BUFFSIZE'?",
      "NCCL_BUFFSIZE | lots | NCCL_BUFFSIZE='lots' is no whole number; it may be 65536 to 1073741824",
      "NCCL_BUFFSIZE | 5 | NCCL_BUFFSIZE='5' is out of range; it may be 65536 to 1073741824",
      "NCCL_PXN_DISABLE | 2 | NCCL_PXN_DISABLE='2' is out of range; it may be 0 or 1",
      "NCCL_NTHREADS | 100 | NCCL_NTHREADS='100' is no multiple of 32; it may be a multiple of 32 from 64 to 512",
      "NCCL_P2P_LEVEL | NVLINK | NCCL_P2P_LEVEL='NVLINK' is none of its words; it may be LOC, NVL, NVB",
      "NCCL_NETDEVS_POLICY | SOME | NCCL_NETDEVS_POLICY='SOME' is no policy; it may be AUTO, ALL or MAX:n",
      "NCCL_IB_HCA | a b | NCCL_IB_HCA='a b' names no device with 'a b'"})
  void shouldNameVariableValueAndRangeWhenSenseless(String name, String value, String message) {
    assertThatThrownBy(() -> NcclConfig.of(NcclVersion.LATEST, Map.of(name, value)))
        .isInstanceOf(InvalidSettingException.class).hasMessageStartingWith(message);
  }

  // The user guide's legacy levels of NCCL_P2P_LEVEL and NCCL_NET_GDR_LEVEL; those above 4 are SYS.
  @ParameterizedTest
  @CsvSource({"0, LOC", "1, PIX", "2, PXB", "3, PHB", "4, SYS", "5, SYS", "pxb, PXB"})
  void shouldTakeTheLevelOfAPathByItsOldNumber(String value, PathType path) {
    NcclConfig config =
        NcclConfig.of(NcclVersion.LATEST, Map.of("NCCL_P2P_LEVEL", value, "NCCL_NET_GDR_LEVEL", value));
    assertThat(config.get(Environment.P2P_LEVEL)).contains(path);
    assertThat(config.get(Environment.NET_GDR_LEVEL)).contains(path);
  }

  @Test
  void shouldSuggestWhenAlgorithmIsMistyped() {
    assertThatThrownBy(() -> NcclConfig.of(NcclVersion.LATEST, Map.of("NCCL_ALGO", "Rnig")))
        .hasMessageStartingWith("NCCL_ALGO='Rnig' is none of its words; did you mean 'Ring'?");
    assertThatThrownBy(() -> NcclConfig.of(NcclVersion.LATEST, Map.of("NCCL_ALGO", "allreducee:ring")))
        .hasMessageContaining("did you mean 'allreduce'?");
    assertThatThrownBy(() -> NcclConfig.of(NcclVersion.LATEST, Map.of("NCCL_PROTO", "^LL,LL128,Simple")))
        .hasMessageStartingWith("NCCL_PROTO='^LL,LL128,Simple' leaves nothing");
    assertThatThrownBy(() -> NcclConfig.of(
        NcclVersion.LATEST, Map.of("NCCL_MIN_CTAS", "9", "NCCL_MAX_CTAS", "8")))
        .hasMessage("NCCL_MIN_CTAS=9 is more than NCCL_MAX_CTAS=8");
  }

  @Test
  void shouldPassOverOthersWhenProcessHasThem() {
    NcclConfig config = NcclConfig.ofProcess(
        NcclVersion.LATEST,
        Map.of("PATH", "/bin", "NCCL_DEBUG", "INFO", "NCCL_BUFFSIZE", "0x100000", "NCCL_TESTS_SPLIT", "MOD 8"));

    assertThat(config.get(Environment.BUFFSIZE)).isEqualTo(1 << 20);
    assertThat(config.get(Environment.IB_TIMEOUT)).isEqualTo(20);
    assertThat(config.texts()).containsOnlyKeys("NCCL_DEBUG", "NCCL_BUFFSIZE");
  }

  @Test
  void shouldSplitMessagesByDefaultWhenVersionDid() {
    assertThat(NcclConfig.of(NcclVersion.parse("2.19")).splitsMessages()).isTrue();
    assertThat(NcclConfig.of(NcclVersion.parse("2.20")).splitsMessages()).isFalse();
    assertThatThrownBy(() -> NcclVersion.parse("2.31")).hasMessage("NCCL 2.31.0 is not modelled, only 2.8 to 2.30");
    assertThatThrownBy(() -> NcclVersion.parse("latest")).hasMessage("'latest' is no version of NCCL such as 2.29.2");
  }
}
