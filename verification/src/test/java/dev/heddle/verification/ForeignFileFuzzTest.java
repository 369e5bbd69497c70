package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.google.common.primitives.Bytes;
import dev.heddle.cli.nccl.NcclCommands;
import dev.heddle.collectives.nccl.system.ClusterNode;
import dev.heddle.collectives.nccl.system.SystemXml;
import dev.heddle.hpl.HplInputReader;
import dev.heddle.kernel.GpuCatalog;
import dev.heddle.kernel.convert.KernelFile;
import dev.heddle.registry.RegistryException;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.testkit.fixture.FuzzCampaign;
import dev.heddle.text.TextFile;
import dev.heddle.workload.megatron.kernel.KernelDatabase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Mutated samples of the formats of other tools, of measured tables and of plug-in jars. {@link FuzzCampaign} has the
 * properties of a long campaign.
 */
class ForeignFileFuzzTest {
  @RegisterExtension
  static final InstalledCommands COMMANDS = new InstalledCommands(new NcclCommands());
  private static final int INPUTS = 20;
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final String TRACES = "workload-trace/src/test/resources/";
  private static final List<Class<? extends Exception>> REFUSALS = List.of(
      ScenarioException.class, InvalidSettingException.class, RegistryException.class);
  private static final String LOG = """
      # Collective test starting: all_reduce_perf
      # Rank  0 Group  0 Pid  1 on host0 device  0 [0x01] H100
      # Rank  1 Group  0 Pid  2 on host0 device  1 [0x02] H100
      #   size     count   type redop root  time algbw busbw #wrong   time algbw busbw #wrong
          65536         16384     float     sum      -1    20.10    3.26    3.26      0    20.00    3.28    3.28      0
        1048576        262144     float     sum      -1    40.10   26.15   26.15      0    40.00   26.21   26.21      0
      """;

  private static final String DATABASE = """
      # source: my own
      gpu,kernel,precision,shape,us,driver
      H100 SXM,gemm,bf16,4096x1024x512,12.5,570
      H100 SXM,attention-forward,bf16,2x16x4x2048x2048x128x128,90,570
      H100 SXM,memory,fp16,1048576,7,570
      """;
  private static final String STAR = "star, link: {type: generic, rate: 100 Gb/s, latency: 1 us}";
  private static final String IDLE = "{type: collective, op: all_reduce, size: 1 KiB}";

  @TempDir
  private Path folder;

  private enum Format {
    HPL_DAT("HPL.dat"), NCCL_LOG("run.log"), NCCL_TOPOLOGY("node.xml"), NCCL_GRAPH("graph.xml"),
    SIMAI_TOPOLOGY("rails.topo"), ASTRA_NETWORK("network.yml"), ASTRA_SYSTEM("system.json"),
    ASTRA_MEMORY("memory.json"), CHAKRA_JSON("trace.json"), CHAKRA_GROUPS("groups.json"), GOAL_BINARY("ring.bin"),
    HTSIM("flows.cm"), HTSIM_TOPOLOGY("tree.topo"), AICB_SCRIPT("gpt.txt"), KERNELS("kernels.csv"),
    KERNEL_DATABASE("database.csv"),
    MEASURED_TABLE("tables/mine.csv");

    private final String file;

    Format(String file) {
      this.file = file;
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldReadOrRefuseAnyInput(Format format) throws Exception {
    FuzzCampaign.Reader reader = reader(format);
    Files.createDirectories(folder.resolve(format.file).getParent());
    System.out.println(new FuzzCampaign(REFUSALS, INPUTS).run(format.name(), sample(format),
        input -> {
          Files.write(folder.resolve(format.file), input);
          reader.read(input);
        }));
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "GOAL_BINARY")
  void shouldReadTextBehindAByteOrderMark(Format format) throws Exception {
    FuzzCampaign.Reader reader = reader(format);
    byte[] input = Bytes.concat(text("\uFEFF"), sample(format));
    Files.createDirectories(folder.resolve(format.file).getParent());
    Files.write(folder.resolve(format.file), input);
    assertThatCode(() -> reader.read(input)).doesNotThrowAnyException();
  }

  private byte[] sample(Format format) throws IOException {
    return switch (format) {
      case HPL_DAT -> file("scenarios/HPL.dat");
      case NCCL_LOG -> text(LOG);
      case NCCL_TOPOLOGY -> text(SystemXml.write(ClusterNode.of(new ScenarioReader(COMMANDS.registry()).parse(
          "hgx.yaml", "{name: hgx, cluster: {preset: hgx-h100}, workload: {type: collective, "
              + "op: all_reduce, size: 1 KiB}}",
          Map.of()).points().get(0).scenario().fabric(), 0)));
      case NCCL_GRAPH -> graph();
      case SIMAI_TOPOLOGY -> file("scenarios/traces/rails.topo");
      case ASTRA_NETWORK -> text("topology: [ Ring, FullyConnected, Switch ]\nnpus_count: [ 2, 4, 2 ]\n"
          + "bandwidth: [ 200.0, 100.0, 50.0 ]\nlatency: [ 50.0, 500.0, 2000.0 ]\n");
      case ASTRA_SYSTEM -> text("{\"scheduling-policy\": \"LIFO\", \"peak-perf\": 900, \"local-mem-bw\": 1600,"
          + " \"roofline-enabled\": 1, \"all-reduce-implementation\": [\"ring\"]}");
      case ASTRA_MEMORY -> text("{\"memory-type\": \"PER_NPU_MEMORY_EXPANSION\", \"remote-mem-bw\": 50,"
          + " \"remote-mem-latency\": 300}");
      case CHAKRA_JSON -> text("{\"workload_graph\": [{\"id\": 1, \"name\": \"a\", \"NodeType\": 4, \"runtime\": 5,"
          + " \"ctrl_deps\": [], \"data_deps\": []}, {\"id\": 2, \"name\": \"b\", \"NodeType\": 7, \"comm_type\": 0,"
          + " \"comm_size\": 1048576, \"involved_dim\": [true], \"data_deps\": [1]}]}");
      case CHAKRA_GROUPS -> file(TRACES + "chakra/stg/w.json");
      case GOAL_BINARY -> file(TRACES + "goal/ar_ring_8_1MiB.bin");
      case HTSIM -> file("verification/src/main/resources/dev/heddle/verification/networks/perm_16n_16c_2MB.cm");
      case HTSIM_TOPOLOGY -> text("Nodes 16\nTiers 2\nPodsize 16\n\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 8\n"
          + "Radix_Up 2\nOversubscribed 4\nDownlink_Latency_ns 1000\nSwitch_Latency_ns 0\n\nTier 1\n"
          + "Downlink_speed_Gbps 400\nRadix_Down 4\nDownlink_Latency_ns 1000\nBundle 2\n");
      case AICB_SCRIPT -> file(TRACES + "aicb/gpt13b_w128_tp8_ga1.txt");
      case KERNELS ->
        text("# source: mine\ngpu,kernel,precision,shape,us,variant\nh100-sxm,gemm,bf16,64x32x16,4.5,cublas\n");
      case KERNEL_DATABASE -> text(DATABASE);
      case MEASURED_TABLE -> file("verification/src/main/resources/dev/heddle/verification/aurora/1-scale-out.csv");
    };
  }

  private byte[] graph() throws IOException {
    Path written = folder.resolve("written.xml");
    assertThat(COMMANDS.run("nccl", "explain", "all_reduce", "--cluster", "hgx-h100", "--nodes", "1", "--env",
        "NCCL_GRAPH_DUMP_FILE=" + written)).as(COMMANDS.failure()).isZero();
    return Files.readAllBytes(written);
  }

  private FuzzCampaign.Reader reader(Format format) {
    Path file = folder.resolve(format.file);
    return switch (format) {
      case HPL_DAT -> input -> HplInputReader.read(format.file, read(file)).cases();
      case NCCL_LOG -> input -> COMMANDS.require("nccl-tests", "all_reduce_perf", "--cluster", "hgx-h100", "--nodes",
          "1", "--compare", file.toString());
      case NCCL_GRAPH ->
        input -> COMMANDS.require("nccl", "explain", "all_reduce", "--cluster", "hgx-h100", "--nodes", "1",
            "--env", "NCCL_GRAPH_FILE=" + file);
      case NCCL_TOPOLOGY -> input -> plan("{accelerator: 8, nic: 8, cpu: 2}, accelerator: {preset: h100-sxm}, "
          + "cpu: {preset: xeon-platinum-8480c}, nic: {type: generic, switching: whole-unit}",
          "nccl-topology", format, IDLE);
      case SIMAI_TOPOLOGY -> input -> plan("{accelerator: 8, nic: 8}, nic: {type: generic}", "simai, file: "
          + format.file + "}}\n    - {name: network, size: 2, topology: {type: simai", format, IDLE);
      case ASTRA_NETWORK -> input -> plan("{accelerator: 16}", "astra-sim", format, IDLE);
      case ASTRA_SYSTEM -> input -> workload("{type: chakra, ranks: 8, file: '" + ROOT.resolve(TRACES)
          + "/chakra/all_reduce_8npus_1MB.0.et', astra-sim: {system: " + format.file + "}}");
      case ASTRA_MEMORY -> input -> workload("{type: chakra, ranks: 8, file: '" + ROOT.resolve(TRACES)
          + "/chakra/all_reduce_8npus_1MB.0.et', astra-sim: {memory: " + format.file + "}}");
      case CHAKRA_JSON -> input -> workload("{type: chakra, ranks: 8, file: " + format.file + "}");
      case CHAKRA_GROUPS -> input -> workload("{type: chakra, ranks: 8, file: '" + ROOT.resolve(TRACES)
          + "/chakra/all_reduce_8npus_1MB.0.et', groups: " + format.file + "}");
      case GOAL_BINARY -> input -> workload("{type: goal, file: " + format.file + "}");
      case HTSIM -> input -> plan("{accelerator: 16}", STAR, "{type: htsim, file: " + format.file + "}");
      case HTSIM_TOPOLOGY -> input -> plan("{accelerator: 16}", "htsim", format, IDLE);
      case AICB_SCRIPT -> input -> workload("{type: aicb, ranks: 8, file: " + format.file + "}");
      case KERNELS -> input -> KernelFile.read(file, GpuCatalog.bundled());
      case KERNEL_DATABASE -> input -> KernelDatabase.read(file);
      case MEASURED_TABLE -> input -> new AuroraSuite().run(Optional.of(file.resolveSibling(".")));
    };
  }

  private void workload(String workload) throws IOException {
    plan("{accelerator: 8}", STAR, workload);
  }

  private void plan(String terminals, String topology, Format format, String workload) throws IOException {
    plan(terminals, topology + ", file: " + format.file, workload);
  }

  private void plan(String terminals, String topology, String workload) throws IOException {
    Path scenario = Files.writeString(folder.resolve("scenario.yaml"), "name: fuzz\ncluster:\n  tiers:\n"
        + "    - {name: node, terminals: " + terminals + ", topology: {type: " + topology + "}}\nworkload: "
        + workload + "\n");
    new ScenarioReader(COMMANDS.registry()).read(scenario, Map.of()).points().get(0).scenario().simulation();
  }

  private static byte[] file(String path) throws IOException {
    return Files.readAllBytes(ROOT.resolve(path));
  }

  private static String read(Path file) {
    return TextFile.read(file, message -> new InvalidSettingException("", message));
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
