package dev.heddle.workload.trace.chakra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.protobuf.DynamicMessage;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.fabric.Fabric;
import dev.heddle.results.Results;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Provider;
import dev.heddle.spi.Workload;
import dev.heddle.standard.collective.BinomialTreeAlgorithmProvider;
import dev.heddle.standard.collective.DirectAlgorithmProvider;
import dev.heddle.standard.collective.RingAlgorithmProvider;
import dev.heddle.standard.workload.CollectiveWorkloadProvider;
import dev.heddle.testkit.contract.WorkloadContract;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.testkit.fixture.Seeds;
import dev.heddle.units.ComputeRate;
import dev.heddle.units.DataRate;
import dev.heddle.units.DataSize;
import dev.heddle.units.SimTime;
import dev.heddle.workload.trace.chakra.ChakraSchema.NodeText;
import dev.heddle.workload.trace.chakra.ChakraSchema.Trace;
import dev.heddle.workload.trace.chakra.ChakraWorkloadProvider.AstraSimFiles;
import dev.heddle.workload.trace.chakra.ChakraWorkloadProvider.Communication;
import dev.heddle.workload.trace.chakra.ChakraWorkloadProvider.Dependencies;
import dev.heddle.workload.trace.chakra.ChakraWorkloadProvider.Roofline;
import dev.heddle.workload.trace.chakra.ChakraWorkloadProvider.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ChakraWorkloadTest extends WorkloadContract<Settings> {
  private static final String SAMPLES = "src/test/resources/chakra/";
  private static final Roofline ROOFLINE =
      new Roofline(ComputeRate.parse("300 Tflop/s"), DataRate.parse("2000 GB/s"));
  private static final Settings LLAMA =
      Settings.of(SAMPLES + "stg/w.{rank}.et").groups(Path.of(SAMPLES + "stg/w.json")).roofline(ROOFLINE);

  @TempDir
  private Path folder;

  @Override
  protected Provider<Settings, Workload> provider() {
    return new ChakraWorkloadProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(
        Settings.of(SAMPLES + "all_reduce_8npus_1MB.0.et").ranks(8), LLAMA, LLAMA.communication(Communication.ONE));
  }

  @Override
  protected List<Settings> refusedSettings() {
    return List.of(
        Settings.of(SAMPLES + "all_reduce_8npus_1MB.0.et"), Settings.of(SAMPLES + "none.{rank}.et"),
        Settings.of(SAMPLES + "all_reduce_8npus_1MB.0.et").ranks(0),
        Settings.of(SAMPLES + "all_reduce_8npus_1MB.0.et").ranks(8).dimensions(List.of(4, 4)),
        Settings.of(SAMPLES + "all_reduce_8npus_1MB.0.et").ranks(8).dimensions(List.of(-4, -2)));
  }

  private static Results run(Settings settings, Fabric cluster) {
    return new Simulation(
        "chakra", cluster, new ChakraWorkloadProvider().create(settings),
        SimulationOptions.defaults(), 1).at(Fidelity.FLOW).with(algorithm()).run();
  }

  // A ring where there is one, else a tree or all directly.
  private static CollectiveAlgorithm algorithm() {
    CollectiveAlgorithm ring = RingAlgorithmProvider.single();
    CollectiveAlgorithm direct = new DirectAlgorithmProvider().create(new DirectAlgorithmProvider.Settings(1));
    CollectiveAlgorithm tree = new BinomialTreeAlgorithmProvider().create(new BinomialTreeAlgorithmProvider.Settings());
    return (cluster, group) -> collective -> (switch (collective.op()) {
      case ALL_TO_ALL -> direct;
      case GATHER, SCATTER -> tree;
      default -> ring;
    }).communicator(cluster, group).plan(collective);
  }

  private static long time(Settings settings, int ranks) {
    return run(settings, Fabrics.oneNode(Math.max(2, ranks))).run().simulatedPs();
  }

  private static long own(CollectiveOp op, long bytes, int ranks) {
    Workload workload = new CollectiveWorkloadProvider().create(
        CollectiveWorkloadProvider.Settings.of(op, DataSize.ofBytes(bytes)).ranks(ranks));
    return new Simulation("own", Fabrics.oneNode(ranks), workload, SimulationOptions.defaults(), 1)
        .at(Fidelity.FLOW).with(algorithm()).run().run().simulatedPs();
  }

  @ParameterizedTest
  @CsvSource({"all_reduce_8npus_1MB.0.et,ALL_REDUCE", "all_to_all_8npus_1MB.0.et,ALL_TO_ALL"})
  void shouldTakeAsLongAsOwnCollectiveWhenTraceHoldsOne(String file, CollectiveOp op) {
    assertThat(time(Settings.of(SAMPLES + file).ranks(8), 8)).isEqualTo(own(op, 1 << 20, 8));
  }

  // By CollectiveCommType, each rank's input; the operation defines the largest buffer.
  @ParameterizedTest
  @CsvSource({
      "0,ALL_REDUCE,1", "1,REDUCE,1", "2,ALL_GATHER,4", "3,GATHER,4", "4,SCATTER,1", "5,BROADCAST,1", "6,ALL_TO_ALL,1",
      "7,REDUCE_SCATTER,1", "8,REDUCE_SCATTER,1"})
  void shouldCountSizeAsInputOfRankWhenCollectiveIsRead(int type, CollectiveOp op, int buffers) {
    Path file = new Trace().add(NodeText.of(3, ChakraNames.COLLECTIVE).collective(type, 65536)).to(folder.resolve("c"));
    assertThat(time(Settings.of(file.toString()).ranks(4), 4)).isEqualTo(own(op, 65536L * buffers, 4));
  }

  @Test
  void shouldTakeSpeedsOfAstraSimsFilesWhenTheyAreNamed() throws IOException {
    Path system = Files.writeString(folder.resolve("system.json"), """
        {"scheduling-policy": "LIFO", "all-reduce-implementation": ["ring"], "local-mem-bw": 2000,
         "roofline-enabled": 1, "peak-perf": 300}
        """);
    Path memory = Files.writeString(folder.resolve("memory.json"), """
        {"memory-type": "PER_NPU_MEMORY_EXPANSION", "remote-mem-latency": 100, "remote-mem-bw": 40.0}
        """);
    Settings plain = Settings.of(SAMPLES + "stg/w.{rank}.et").groups(Path.of(SAMPLES + "stg/w.json"));
    assertThat(time(plain.astraSim(new AstraSimFiles(Optional.of(system), Optional.empty())), 8))
        .isEqualTo(time(LLAMA, 8));

    Files.writeString(system, Files.readString(system).replace("300", "9999999"));
    assertThatThrownBy(() -> time(plain.astraSim(new AstraSimFiles(Optional.of(system), Optional.empty())), 8))
        .hasMessageContaining("peak-perf is 9999999; it is a number from 1.0E-6 to 9000000.0");
    Files.writeString(system, Files.readString(system).replace("9999999", "300.00000000000001234567"));
    assertThat(time(plain.astraSim(new AstraSimFiles(Optional.of(system), Optional.empty())), 8))
        .as("rounded to whole operations").isEqualTo(time(LLAMA, 8));

    Path load = new Trace().add(NodeText.of(1, ChakraNames.MEMORY_LOAD).attribute("tensor_size", "int64_val", 4000L))
        .to(folder.resolve("m"));
    AstraSimFiles remote = new AstraSimFiles(Optional.empty(), Optional.of(memory));
    assertThat(time(Settings.of(load.toString()).ranks(2).astraSim(remote), 2)).isEqualTo(200_000);
    Files.writeString(memory, "{\"memory-type\": \"PER_NPU_MEMORY_EXPANSION\", \"remote-mem-bw\": 40.0,"
        + " \"remote-mem-latency\": \"0e-999999999\"}");
    assertThat(time(Settings.of(load.toString()).ranks(2).astraSim(remote), 2)).as("no text of 1 GB")
        .isEqualTo(100_000);
    Files.writeString(memory, "{\"memory-type\": \"MEMORY_POOL\"}");
    assertThatThrownBy(
        () -> new ChakraWorkloadProvider().create(Settings.of(load.toString()).ranks(2).astraSim(remote)))
        .hasMessageContaining("memory-type is 'MEMORY_POOL'; read are NO_MEMORY_EXPANSION and");
  }

  @Test
  void shouldComputeWhatRooflineSaysWhenTraceIsOfLlama() {
    Results results = run(LLAMA, Fabrics.oneNode(8));
    double most = 0;
    double sum = 0;
    for (int rank = 0; rank < 8; rank++) {
      double own = 0;
      for (DynamicMessage node : ChakraSchema.nodes(Path.of(SAMPLES + "stg/w." + rank + ".et"))) {
        if (ChakraSchema.get(node, "type").equals(ChakraNames.COMPUTE)) {
          own += Math.max(
              ChakraSchema.number(node, "num_ops") / 300e12, ChakraSchema.number(node, "tensor_size") / 2000e9);
        }
      }
      most = Math.max(most, own);
      sum += own;
    }
    assertThat(results.metric("activity.compute").orElseThrow().value() / 1e6).isCloseTo(sum / 8,
        within(132 * 0.5e-12));
    assertThat(results.run().simulatedPs() / 1e12).isGreaterThan(most);
    long one = time(LLAMA.communication(Communication.ONE), 8);
    assertThat(one).as("one communication at a time").isGreaterThanOrEqualTo(results.run().simulatedPs());
  }

  private Settings written(UnaryOperator<Trace> trace) {
    return Settings.of(trace.apply(new Trace()).to(folder.resolve("t." + System.nanoTime())).toString()).ranks(1);
  }

  @Test
  void shouldRunHostAndAcceleratorSideBySideWhenBothCompute() {
    Settings settings = written(trace -> trace
        .add(NodeText.of(1, ChakraNames.COMPUTE).micros(7))
        .add(NodeText.of(2, ChakraNames.COMPUTE).micros(5).attribute("is_cpu_op", "int32_val", 1))
        .add(NodeText.of(3, ChakraNames.COMPUTE).micros(4).attribute("is_cpu_op", "bool_val", true).after(2)));
    assertThat(time(settings, 1)).isEqualTo(9_000_000);
  }

  @Test
  void shouldReplayHostPartWhenCommunicationIsLaunched() {
    Settings settings = written(trace -> trace
        .add(NodeText.of(1, ChakraNames.COLLECTIVE).micros(30).attribute("is_cpu_op", "bool_val", true)));
    assertThat(time(settings, 1)).isEqualTo(30_000_000);
  }

  @ParameterizedTest
  @ValueSource(strings = {
      "double_val", "float_val", "int32_val", "int64_val", "uint32_val", "uint64_val", "sint32_val", "sint64_val",
      "fixed32_val", "fixed64_val", "sfixed32_val", "sfixed64_val"})
  void shouldTakeNumberWhenItsWidthDiffers(String kind) {
    Object value = switch (kind) {
      case "double_val" -> 8192.0;
      case "float_val" -> 8192.0f;
      default -> kind.contains("64") ? (Object) 8192L : (Object) 8192;
    };
    Settings settings = written(trace -> trace.add(NodeText.of(9, ChakraNames.COLLECTIVE)
        .attribute("comm_type", "int64_val", 0L).attribute("comm_size", kind, value))).ranks(4);
    assertThat(time(settings, 4)).isEqualTo(own(CollectiveOp.ALL_REDUCE, 8192, 4));
  }

  @Test
  void shouldLeaveControlOutWhenDataAloneCounts() {
    Settings settings = written(trace -> trace
        .add(NodeText.of(1, ChakraNames.COMPUTE).micros(7).set("ctrl_deps", List.of(2L, 88L)))
        .add(NodeText.of(2, ChakraNames.COMPUTE).micros(5).attribute("is_cpu_op", "bool_val", true).after(1)));
    assertThat(time(settings.dependencies(Dependencies.DATA), 1)).isEqualTo(12_000_000);
    refused(settings, "node 1 depends on node 88, which the file does not have; dependencies: data leaves out");
  }

  @Test
  void shouldGoBeyondAcceleratorWhenMemoryIsRemote() {
    Settings plain = written(trace -> trace
        .add(NodeText.of(1, ChakraNames.MEMORY_LOAD).attribute("tensor_size", "uint64_val", 1_000_000L))
        .add(NodeText.of(2, ChakraNames.COMPUTE).micros(3).after(1)));
    Settings remote = new Settings(
        plain.file(), plain.ranks(), plain.groups(), plain.dimensions(), plain.roofline(),
        Optional.of(new ChakraWorkloadProvider.RemoteMemory(
            DataRate.parse("100 GB/s"), SimTime.parse("1 us"))),
        plain.communication(), plain.dependencies(), plain.participants(), plain.limit(),
        Optional.empty());
    assertThat(time(remote, 1)).isEqualTo(1_000_000 + 10_000_000 + 3_000_000);
    refused(plain, "node 1 (n1) moves data from or to remote memory; the setting remote-memory");
  }

  @Test
  void shouldUseProcessGroupsOfPyTorchWhenMetadataHoldsThem() {
    for (int rank = 0; rank < 4; rank++) {
      new Trace()
          .add(NodeText.of(1, ChakraNames.METADATA).inputs(
              "['[{\"pg_name\": \"7\", \"ranks\": [0, 2], \"pg_desc\": {\"a\": [1]}}, "
                  + "{\"pg_name\": \"8\", \"ranks\": [1, 3]}]']"))
          .add(NodeText.of(2, ChakraNames.COLLECTIVE).collective(0, 1 << 16)
              .attribute("pg_name", "string_val", rank % 2 == 0 ? "7" : "8"))
          .to(folder.resolve("pg." + rank));
    }
    assertThat(time(Settings.of(folder + "/pg.{rank}"), 4)).isEqualTo(own(CollectiveOp.ALL_REDUCE, 1 << 16, 2));
  }

  @ParameterizedTest
  @CsvSource({"true,false,2", "false,true,4", "true,true,8"})
  void shouldTakeRanksAlongDimensionsWhenTraceNamesThem(boolean first, boolean second, int size) {
    for (int rank = 0; rank < 8; rank++) {
      new Trace().add(NodeText.of(2, ChakraNames.COLLECTIVE).collective(0, 1 << 16).dimensions(first, second))
          .to(folder.resolve("d." + rank));
    }
    Settings settings = Settings.of(folder + "/d.{rank}").dimensions(List.of(2, 4));
    assertThat(time(settings, 8)).isEqualTo(own(CollectiveOp.ALL_REDUCE, 1 << 16, size));
  }

  @Test
  void shouldSayWhichNodeWhenTraceIsInconsistent() {
    refused(written(t -> t.add(NodeText.of(1, ChakraNames.COMPUTE).after(5))),
        "node 1 depends on node 5, which the file does not have");
    refused(written(t -> t.add(NodeText.of(1, ChakraNames.COMPUTE)).add(NodeText.of(1, ChakraNames.COMPUTE))),
        "node 1 (n1) has the number of a node before it");
    refused(written(t -> t.add(NodeText.of(1, ChakraNames.COMPUTE).after(2)).add(NodeText.of(2, 4).after(1))),
        "waits for itself");
    refused(written(t -> t.add(NodeText.of(1, 9))), "node 1 (n1) has the type 9; types are 1 to 7");
    refused(written(t -> t.add(NodeText.of(1, ChakraNames.SEND).attribute("comm_size", "int64_val", 5L))),
        "node 1 (n1) has no comm_dst");
    refused(send(0, 5L).ranks(2), "node 1 (n1) passes a message from rank 0 to itself");
    refused(send(7, 5L).ranks(2), "node 1 (n1): comm_dst is 7, but must be 0 to 1");
    refused(send(1, -5L).ranks(2), "node 1 (n1): comm_size is -5, but must be 0 to");
    refused(send(1, Long.MAX_VALUE).ranks(2), "node 1 (n1): comm_size is 9223372036854775807, but must be 0 to");
    refused(send(1, 5L).ranks(2), "rank 0 sends 1 messages with the tag 0 to rank 1, which receives 0 such");
    refused(written(t -> t.add(NodeText.of(1, ChakraNames.COMPUTE).micros(-1))),
        "node 1 (n1) has a duration of 184467");
    refused(written(t -> t.add(NodeText.of(1, ChakraNames.COLLECTIVE).attribute("comm_type", "int64_val", 0L))),
        "node 1 (n1) has no comm_size");
    refused(written(t -> t.add(NodeText.of(1, ChakraNames.COLLECTIVE).collective(11, 8))), "comm_type is 11");
    refused(written(t -> t.add(NodeText.of(1, ChakraNames.COLLECTIVE).collective(0, 8)
        .attribute("pg_name", "string_val", "12"))), "names the group '12'; known are 0");
    refused(written(t -> t.add(NodeText.of(1, ChakraNames.COLLECTIVE).collective(0, 8).dimensions(true, false))),
        "the setting dimensions must say how large they are");
    refused(written(t -> t.add(NodeText.of(1, ChakraNames.COMPUTE).attribute("num_ops", "int64_val", 5L))),
        "says how much it computes, but not how long");
    refused(written(t -> t.add(NodeText.of(1, ChakraNames.COMPUTE).attribute("is_cpu_op", "string_val", "no"))),
        "is_cpu_op is 'no', but must be 0 to 1");
  }

  private Settings send(int to, long bytes) {
    return written(t -> t.add(NodeText.of(1, ChakraNames.SEND).attribute("comm_size", "int64_val", bytes)
        .attribute("comm_dst", "int32_val", to)));
  }

  @Test
  void shouldNameCircleWhenRanksWaitForEachOther() {
    new Trace()
        .add(NodeText.of(1, ChakraNames.RECEIVE).attribute("comm_src", "int32_val", 1))
        .add(NodeText.of(2, ChakraNames.COLLECTIVE).collective(0, 8).after(1)).to(folder.resolve("c.0"));
    new Trace()
        .add(NodeText.of(7, ChakraNames.COLLECTIVE).collective(0, 8))
        .add(NodeText.of(8, ChakraNames.SEND).attribute("comm_size", "int64_val", 8L)
            .attribute("comm_dst", "int32_val", 0).after(7))
        .to(folder.resolve("c.1"));
    refused(Settings.of(folder + "/c.{rank}"), "operations wait for each other in a circle: ");
    refused(Settings.of(folder + "/c.{rank}"), "c.0: node 1 (receive of rank 0) waits for ");
    refused(Settings.of(folder + "/c.{rank}"), "c.1: node 8 (send of rank 1); for ");
    refused(Settings.of(folder + "/c.{rank}"), "c.1: node 7 (all_reduce of rank 1); for ");
    refused(Settings.of(folder + "/c.{rank}"), "c.0: node 2 (all_reduce of rank 0); for ");
  }

  @Test
  void shouldSayWhichRankWhenMembersOfGroupDisagree() {
    new Trace().add(NodeText.of(1, ChakraNames.COLLECTIVE).collective(0, 8)).to(folder.resolve("x.0"));
    new Trace().add(NodeText.of(1, ChakraNames.COLLECTIVE).collective(0, 16)).to(folder.resolve("x.1"));
    refused(Settings.of(folder + "/x.{rank}"),
        "x.1: collective 1 of the group [0, 1] is all_reduce of 16 B, but that of rank 0 is all_reduce of 8 B");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "[1]|:1: must be an object",
      "{\"1\": 5}|:1: a group must be a list of ranks",
      "{\"1\": [0, 1, 2]}|a group must be a list of at most 2 ranks",
      "{\"1\": [0, 9]}|group '1' has the rank 9; ranks are 0 to 1",
      "{\"1\": [0, 0]}|group '1': a group's members are distinct",
      "{\"1\": [0, -1]}|group '1': a group's members are numbered from 0",
      "{\"1\": [0, 1|is no JSON",
      "{\"1\": [0, 99999999999]}|is no JSON",
      "{\"0\": [0]}|group '0' is [0], but elsewhere [0, 1]"})
  void shouldSayWhereWhenGroupsAreWrong(String json, String message) throws IOException {
    Path groups = Files.writeString(folder.resolve("groups.json"), json);
    refused(Settings.of(SAMPLES + "all_reduce_8npus_1MB.0.et").ranks(2).groups(groups), message);
  }

  @Test
  void shouldSayWhereWhenFileIsCutAnywhere() throws IOException {
    byte[] whole = Files.readAllBytes(Path.of(SAMPLES + "all_reduce_8npus_1MB.0.et"));
    for (int length = 0; length < whole.length; length++) {
      if (length == 8) {
        continue; // The metadata alone is a trace of nothing.
      }
      Path cut = Files.write(folder.resolve("cut.et"), Arrays.copyOf(whole, length));
      refused(Settings.of(cut.toString()).ranks(8), "cut.et: ");
    }
  }

  @Test
  void shouldSayWhereWhenLengthsAreHostile() throws IOException {
    refusedBytes("a message of 5 bytes begins, but only 1 follow", 5, 1);
    refusedBytes("byte 0: a message would have 4294967295 bytes", 0xff, 0xff, 0xff, 0xff, 0x0f);
    refusedBytes("byte 0: here must be the length of a message", 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1);
    refusedBytes("would have 18446744073709551615 bytes, but 0 are left of its message",
        0, 11, 0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1);
    refusedBytes("wire type 3", 0, 1, 0x5b);
    refusedBytes("no field has the number 0", 0, 1, 0);
  }

  private void refusedBytes(String message, int... bytes) throws IOException {
    byte[] raw = new byte[bytes.length];
    for (int i = 0; i < raw.length; i++) {
      raw[i] = (byte) bytes[i];
    }
    refused(Settings.of(Files.write(folder.resolve("raw.et"), raw).toString()).ranks(1), message);
  }

  @Test
  void shouldRunOrRefuseWhenBytesAreDamaged() throws IOException {
    byte[] whole = Files.readAllBytes(Path.of(SAMPLES + "stg/w.0.et"));
    Random random = new Random(Seeds.fixed());
    for (int i = 0; i < 300; i++) {
      byte[] damaged = whole.clone();
      for (int j = 0; j <= random.nextInt(4); j++) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      }
      Path file = Files.write(folder.resolve("damaged.et"), damaged);
      try {
        new ChakraWorkloadProvider().create(Settings.of(file.toString()).ranks(8).roofline(ROOFLINE));
      } catch (InvalidSettingException e) {
        assertThat(e.getMessage()).as("seed %s, case %s", Seeds.fixed(), i).contains("damaged.et");
      }
    }
  }

  private static void refused(Settings settings, String message) {
    assertThatThrownBy(() -> new ChakraWorkloadProvider().create(settings))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining(message);
  }
}
