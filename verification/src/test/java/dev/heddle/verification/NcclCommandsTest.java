package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.heddle.cli.nccl.NcclCommands;
import dev.heddle.collectives.nccl.system.SystemXml;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the commands for NCCL on the installed presets. */
class NcclCommandsTest {
  @RegisterExtension
  static final InstalledCommands COMMANDS = new InstalledCommands(new NcclCommands());
  // The fields of a row of nccl-tests that users' scripts search for.
  private static final Pattern ROW = Pattern.compile(
      "^ +(\\d+) +(\\d+) +(\\w+) +(\\w+) +(-?\\d+) +([\\d.]+) +([\\d.]+) +([\\d.]+) +(0|N/A)"
          + " +([\\d.]+) +([\\d.]+) +([\\d.]+) +(0|N/A)$");

  private final StringBuilder out = COMMANDS.out();

  private static int run(String... args) {
    return COMMANDS.run(args);
  }

  @Test
  void shouldPrintTheTableByteForByte() {
    assertThat(run("nccl-tests", "all_reduce_perf", "-b", "1G", "-e", "2G", "-f", "2", "--cluster", "hgx-h100",
        "--nodes", "1", "--nccl", "2.29.2", "--timing",
        "{gpu: {preset: nccl-hopper, slice: 0 s, seen: 0 s, nvls: {copy: 18 GB/s, fill: 0 s}}, host: {launch: 0 s}}"))
        .isZero();
    // 16 channels of 18 GB/s move 256 GB/s of the call: 4194.304 us and twice that; two loops of 1 MiB per channel
    // for the first result, 131.072 us; and 15 channels of 0.05 us to start.
    String[] lines = out.toString().split("\n");
    assertThat(lines[0]).isEqualTo("# Times of Heddle: closed form: GPUs, NICs in use and their PCIe");
    assertThat(lines[1]).isEqualTo("# nccl-tests version 2.17.0 nccl-headers=22902 nccl-library=22902");
    assertThat(lines[2]).isEqualTo("# Collective test starting: all_reduce_perf");
    assertThat(lines[3]).isEqualTo("# nThread 1 nGpus 1 minBytes 1073741824 maxBytes 2147483648 step: 2(factor) "
        + "warmup iters: 1 iters: 20 agg iters: 1 validation: 1 graph: 0");
    assertThat(lines[4]).isEqualTo("#");
    assertThat(lines[5]).isEqualTo("# Using devices");
    assertThat(lines[6]).isEqualTo("#  Rank  0 Group  0 Pid   1000 on      node0 device  0 [0000:01:00] H100 SXM");
    assertThat(lines[14]).isEqualTo("#");
    assertThat(out.toString()).endsWith("""
        #
        #                                                              out-of-place                       in-place         \s
        #       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong\s
        #        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)        \s
          1073741824     268435456     float     sum      -1  4326.13  248.20  434.35       0  4326.13  248.20  434.35       0
          2147483648     536870912     float     sum      -1  8520.43  252.04  441.07       0  8520.43  252.04  441.07       0
        # Out of bounds values : 0 OK
        # Avg bus bandwidth    : 437.709\s
        #
        # Collective test concluded: all_reduce_perf
        #
        """);
  }

  @ParameterizedTest
  @CsvSource({
      "all_reduce_perf, 16777216, sum, -1, 1.875", "all_gather_perf, 1048576, none, -1, .9375",
      "reduce_scatter_perf, 1048576, sum, -1, .9375", "broadcast_perf, 16777216, none, 3, 1",
      "reduce_perf, 16777216, sum, 3, 1", "alltoall_perf, 1048576, none, -1, .9375",
      "sendrecv_perf, 16777216, none, -1, 1", "gather_perf, 1048576, none, 3, .9375",
      "scatter_perf, 1048576, none, 3, .9375", "hypercube_perf, 1048576, none, -1, 1"
  })
  void shouldCountAsNcclTestsDoes(String test, long count, String redop, int root, double factor) {
    assertThat(run("nccl-tests", test, "-b", "64M", "-e", "64M", "-r", "3", "--cluster", "hgx-h100", "--nodes", "2"))
        .as(COMMANDS.failure()).isZero();
    Matcher row = out.toString().lines().map(ROW::matcher).filter(Matcher::matches).findFirst().orElseThrow();
    long size = test.equals("hypercube_perf") ? 15L * 4 * count : 64L << 20;
    assertThat(Long.parseLong(row.group(1))).isEqualTo(size);
    assertThat(Long.parseLong(row.group(2))).isEqualTo(count);
    assertThat(row.group(4)).isEqualTo(redop);
    assertThat(Integer.parseInt(row.group(5))).isEqualTo(root);
    double micros = Double.parseDouble(row.group(6));
    double algbw = Double.parseDouble(row.group(7));
    assertThat(algbw).isCloseTo(size / micros / 1e3, withinPercentage(1));
    assertThat(Double.parseDouble(row.group(8))).isCloseTo(
        factor * algbw, within(.02));
    assertThat(row.group(13)).isEqualTo(List.of("alltoall_perf", "sendrecv_perf", "hypercube_perf").contains(test)
        ? "N/A" : "0");
  }

  @Test
  void shouldPrintEverySizeOfEveryFactorOnce() {
    run("nccl-tests", "all_reduce_perf", "-b", "8", "-e", "8G", "-f", "2", "--cluster", "h100-ndr", "--nodes", "2");
    assertThat(out.toString().lines().filter(line -> ROW.matcher(line).matches())).hasSize(31);
    assertThat(out.toString().lines().filter(line -> line.startsWith("#  Rank"))).hasSize(16);
  }

  @ParameterizedTest
  @CsvSource({
      "reduce_perf, 2.30, -d all -o all -r all, 12, 6, 8", "reduce_perf, 2.10, -d all -o all -r -1, 10, 5, 8",
      "reduce_perf, 2.8, -d all -o all -r 2, 9, 4, 1", "broadcast_perf, 2.30, -r all -o all, 1, 1, 8",
      "all_gather_perf, 2.30, -d all -o all -r all, 12, 1, 1",
      "all_reduce_perf, 2.30, -d f8e5m2 -o mulsum -r all, 1, 1, 1"
  })
  void shouldPrintEveryTypeReductionAndRootThatIsAskedFor(
      String test, String version, String options, int types, int reductions, int roots) {
    List<String> call = new ArrayList<>(List.of(
        "nccl-tests", test, "-b", "1M", "-e", "4M", "-f", "4", "--cluster", "hgx-h100", "--nodes", "1", "--nccl",
        version));
    call.addAll(List.of(options.split(" ")));
    assertThat(run(call.toArray(new String[0]))).as(COMMANDS.failure()).isZero();
    List<Matcher> rows = out.toString().lines().map(ROW::matcher).filter(Matcher::matches).toList();
    assertThat(rows).hasSize(2 * types * reductions * roots);
    assertThat(rows.stream().map(row -> row.group(3)).distinct()).hasSize(types);
    assertThat(rows.stream().map(row -> row.group(4)).distinct()).hasSize(reductions);
    assertThat(rows.stream().map(row -> row.group(5)).distinct()).hasSize(roots);
    assertThat(rows.stream().map(row -> row.group(3) + row.group(4) + row.group(5) + row.group(1)).distinct())
        .hasSameSizeAs(rows);
  }

  // On several nodes a rank is near the root on some channels and far from it on others, so that consecutive calls
  // delay each other.
  @ParameterizedTest
  @CsvSource({
      "broadcast_perf, 1, LL, 256K", "broadcast_perf, 2, LL, 256K", "reduce_perf, 2, LL, 4M",
      "broadcast_perf, 2, LL128, 64K",
      "reduce_perf, 4, LL128, 1M", "broadcast_perf, 2, Simple, 1M", "reduce_perf, 2, Simple, 16M",
      "broadcast_perf, 4, Simple, 4M"
  })
  void shouldTakeAsLongFromCallToCallAsPacketsDo(String test, String nodes, String protocol, String size) {
    double[] micros = Stream.of("closed-form", "packet").mapToDouble(fidelity -> {
      out.setLength(0);
      assertThat(run("nccl-tests", test, "-b", size, "-e", size, "-n", "6", "--cluster", "hgx-h100", "--nodes", nodes,
          "--fidelity", fidelity, "--env", "NCCL_PROTO=" + protocol)).as(COMMANDS.failure()).isZero();
      return Double.parseDouble(
          out.toString().lines().map(ROW::matcher).filter(Matcher::matches).findFirst().orElseThrow().group(6));
    }).toArray();
    assertThat(micros[0]).isCloseTo(micros[1], withinPercentage(25));
  }

  @ParameterizedTest
  @CsvSource({"1, all_reduce_perf", "2, all_reduce_perf", "2, reduce_scatter_perf"})
  void shouldRunRcclAtEveryFidelityWhenGpusAreOfAmd(String nodes, String test) {
    double[] micros = Stream.of("closed-form", "flow", "packet").mapToDouble(fidelity -> {
      out.setLength(0);
      assertThat(run("nccl-tests", test, "-b", "16M", "-e", "16M", "--cluster", "mi300x-oci", "--nodes", nodes,
          "--fidelity", fidelity)).as(COMMANDS.failure()).isZero();
      return Double.parseDouble(
          out.toString().lines().map(ROW::matcher).filter(Matcher::matches).findFirst().orElseThrow().group(6));
    }).toArray();
    assertThat(micros[1]).isCloseTo(micros[0], withinPercentage(1));
    assertThat(micros[2]).isCloseTo(micros[0], withinPercentage(1));
  }

  // Networks whose proxies take microseconds for a message, for a packet, or for what the host stages.
  @ParameterizedTest
  @CsvSource({
      "h100-aws-p5, 2, 8, alltoall_perf, 1K", "h100-aws-p5, 2, 8, alltoall_perf, 64M",
      "h100-aws-p5, 2, 4, all_gather_perf, 256K", "h100-aws-p5, 2, 4, all_reduce_perf, 4M",
      "h100-aws-p5, 2, 4, all_reduce_perf, 64M", "h100-aws-p5, 4, 1, all_reduce_perf, 4M",
      "h100-aws-p5, 4, 1, scatter_perf, 4M", "b200-aws-p6, 2, 8, reduce_scatter_perf, 4M",
      "b200-aws-p6, 2, 8, sendrecv_perf, 64M", "a100-aws-p4d, 2, 4, all_reduce_perf, 4M",
      "alps, 2, 4, all_reduce_perf, 256K", "alps, 2, 4, all_gather_perf, 256K",
      "alps, 4, 1, all_gather_perf, 16K", "a100-aws-p4d, 2, 8, all_gather_perf, 16M"
  })
  void shouldWaitForProxiesAsPacketsDo(String cluster, String nodes, String perNode, String test, String size) {
    double[] micros = Stream.of("closed-form", "packet").mapToDouble(fidelity -> {
      out.setLength(0);
      assertThat(run("nccl-tests", test, "-b", size, "-e", size, "--cluster", cluster, "--nodes", nodes,
          "--gpus-per-node", perNode, "--fidelity", fidelity)).as(COMMANDS.failure()).isZero();
      return Double.parseDouble(
          out.toString().lines().map(ROW::matcher).filter(Matcher::matches).findFirst().orElseThrow().group(6));
    }).toArray();
    assertThat(micros[1]).isCloseTo(micros[0], withinPercentage(10));
  }

  @ParameterizedTest
  @CsvSource({"broadcast_perf, flow, false", "broadcast_perf, packet, false", "all_gather_perf, flow, false",
      "gather_perf, flow, true"})
  void shouldSayWhereCallsOfARowDoNotOverlap(String test, String fidelity, boolean said) {
    run("nccl-tests", test, "-b", "4K", "-e", "4K", "--cluster", "hgx-h100", "--nodes", "1", "--fidelity", fidelity);
    assertThat(out.toString().lines().findFirst().orElseThrow().endsWith("calls with a root do not overlap"))
        .isEqualTo(said);
  }

  // A rank of a chain begins the next call when it is done: as a flow a row of reductions took a chain's length a call,
  // 138 us on 32 H100.
  @ParameterizedTest
  @CsvSource({"reduce_perf, hgx-h100, 4, 4K", "broadcast_perf, hgx-h100, 4, 4K", "broadcast_perf, hgx-h100, 1, 64K",
      "reduce_perf, hgx-h100, 1, 4M", "reduce_perf, mi300x-node, 1, 512K"})
  void shouldOverlapCallsOfARowWithARootAsFlows(String test, String cluster, String nodes, String size) {
    double[] micros = Stream.of("closed-form", "flow", "analytic").mapToDouble(fidelity -> {
      out.setLength(0);
      assertThat(run("nccl-tests", test, "-b", size, "-e", size, "--cluster", cluster, "--nodes", nodes,
          "--fidelity", fidelity)).as(COMMANDS.failure()).isZero();
      return Double.parseDouble(
          out.toString().lines().map(ROW::matcher).filter(Matcher::matches).findFirst().orElseThrow().group(6));
    }).toArray();
    // The first of twenty calls takes the length of the chain.
    assertThat(micros[1]).isBetween(micros[0], 1.9 * micros[0]);
    assertThat(micros[2]).isBetween(micros[0], 1.9 * micros[0]);
  }

  // A rank has one peer of seven, another one in each step.
  @ParameterizedTest
  @CsvSource({"hgx-h100, 8, 1, 4K", "hgx-h100, 8, 1, 50M", "alps, 4, 4, 4K"})
  void shouldExchangeWithOnePeerAtATimeAtEveryFidelity(String cluster, String nodes, String perNode, String size) {
    double[] micros = Stream.of("closed-form", "flow", "packet").mapToDouble(fidelity -> {
      out.setLength(0);
      assertThat(run("nccl-tests", "hypercube_perf", "-b", size, "-e", size, "--cluster", cluster, "--nodes", nodes,
          "--gpus-per-node", perNode, "--fidelity", fidelity)).as(COMMANDS.failure()).isZero();
      return Double.parseDouble(
          out.toString().lines().map(ROW::matcher).filter(Matcher::matches).findFirst().orElseThrow().group(6));
    }).toArray();
    assertThat(micros[1]).isCloseTo(micros[0], withinPercentage(10));
    assertThat(micros[2]).isCloseTo(micros[0], withinPercentage(10));
  }

  @Test
  void shouldWriteJsonWithTheKeysOfNcclTests(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("results.json");
    run("nccl-tests", "all_gather_perf", "-b", "1M", "-e", "3M", "-c", "0", "--json", "-J", file.toString(),
        "--cluster", "dgx-a100", "--nodes", "1");
    JsonNode root = new ObjectMapper().readTree(out.toString());
    assertThat(root).isEqualTo(new ObjectMapper().readTree(Files.readString(file)));
    assertThat(root.path("results")).hasSize(3);
    JsonNode first = root.path("results").get(0);
    assertThat(first.path("size").asLong()).isEqualTo(1 << 20);
    assertThat(first.path("out_of_place").path("nwrong").asText()).isEqualTo("N/A");
    assertThat(first.path("in_place").path("bus_bw").asDouble()).isPositive();
    assertThat(root.path("config").path("devices")).hasSize(8);
    assertThat(root.path("config").path("step_bytes").asLong()).isEqualTo(1 << 20);
  }

  @Test
  void shouldExplainSendAndReceiveWhenAskedForAllToAll() {
    assertThat(run("nccl", "explain", "all_to_all", "--size", "32M", "--cluster", "hgx-h100", "--nodes", "8",
        "--gpus-per-node", "1")).as(COMMANDS.failure()).isZero();
    assertThat(out.toString()).contains("all_to_all of 33554432 B on 8 ranks, 8 nodes", "no choice of algorithms",
        "in chunks of", "bound by", "the NIC with its PCIe link");
  }

  @Test
  void shouldExplainWhyOneWon() {
    assertThat(run("nccl", "explain", "all_reduce", "--size", "2M", "--cluster", "hgx-h100", "--nodes", "1"))
        .as(COMMANDS.failure()).isZero();
    assertThat(out.toString()).contains("* NVLS", "CollNetChain", "the network does not reduce", "Here it takes");
    assertThat(out.toString().lines().mapToInt(String::length).max().orElseThrow()).isLessThanOrEqualTo(80);
  }

  @Test
  void shouldTakeANodesPresetForAClusterOfOne() {
    String[] call = {"nccl-tests", "all_reduce_perf", "-b", "64M", "-e", "64M", "--nodes", "1", "--cluster", "dgx-1v"};
    assertThat(run(call)).as(COMMANDS.failure()).isZero();
    String ofCluster = out.toString();
    call[call.length - 1] = "dgx-1v-node";
    out.setLength(0);
    assertThat(run(call)).as(COMMANDS.failure()).isZero();
    assertThat(out.toString()).isEqualTo(ofCluster).contains("V100");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "--cluster h100-aws-p5 --nodes 4|aws-ofi-nccl's tuner", "--cluster h100-aws-p5 --nodes 2|",
      "--cluster h100-gcp-a3mega --nodes 2|Google's tuner file", "--cluster h100-gcp-a3high --nodes 2|NCCL_ALGO=Ring",
      "--cluster h100-gcp-a3high --nodes 2 --env NCCL_ALGO=Ring|", "--cluster hgx-h100 --nodes 4|"
  })
  void shouldNameTheTunerOfACloudThatChoosesOtherwise(String options, String note) {
    List<String> call = new ArrayList<>(List.of("nccl", "explain", "all_reduce"));
    call.addAll(List.of(options.split(" ")));
    assertThat(run(call.toArray(new String[0]))).as(COMMANDS.failure()).isZero();
    if (note == null) {
      assertThat(out.toString()).doesNotContain("note:");
    } else {
      assertThat(out.toString()).contains("note: ").contains(note);
    }
  }

  @Test
  void shouldTakeVariablesOfNccl() {
    run("nccl", "explain", "all_reduce", "--size", "64M", "--cluster", "hgx-h100", "--nodes", "1", "--env",
        "NCCL_NVLS_ENABLE=0", "--env", "NCCL_PROTO=Simple");
    assertThat(out.toString()).contains("NCCL_NVLS_ENABLE is 0", "not in NCCL_PROTO").doesNotContain("* NVLS");
  }

  @Test
  void shouldPrintANodeThatReadsBack() {
    assertThat(run("nccl", "topo", "--cluster", "dgx-a100")).as(COMMANDS.failure()).isZero();
    assertThat(SystemXml.read("topo.xml", new ByteArrayInputStream(out.toString().getBytes(StandardCharsets.UTF_8)))
        .cpus()).isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource({"flow, 1", "packet, 25"})
  void shouldComeNearTheClosedFormWhenTheNetworkCarriesTheCalls(String fidelity, double percent) {
    String[] options = {"--cluster", "hgx-h100", "--nodes", "2", "-b", "1M", "-e", "64M", "-f", "8"};
    List<Double> closed = times(options);
    List<Double> carried = times(
        Stream.concat(Arrays.stream(options), Stream.of("--fidelity", fidelity))
            .toArray(String[]::new));
    assertThat(closed).hasSize(3);
    for (int row = 0; row < 3; row++) {
      assertThat(carried.get(row)).as("row %s", row).isCloseTo(closed.get(row), withinPercentage(percent));
    }
  }

  @Test
  void shouldTakeAFidelityOfAThirdPartyWithItsSettings() {
    List<String> options = List.of("--cluster", "hgx-h100", "--nodes", "1", "-b", "1M", "-e", "1M");
    List<Double> micros = Stream.of("hockney", "{type: hockney, startup: 5 us}").map(fidelity -> times(
        Stream.concat(options.stream(), Stream.of("--fidelity", fidelity)).toArray(String[]::new)).get(0)).toList();
    assertThat(out.toString()).startsWith("# Times of Heddle: hockney model of the whole network\n");
    assertThat(micros.get(1)).isGreaterThan(micros.get(0) + 5);
  }

  private List<Double> times(String... options) {
    out.setLength(0);
    String[] all = Stream.concat(
        Stream.of("nccl-tests", "all_reduce_perf"), Arrays.stream(options)).toArray(String[]::new);
    assertThat(run(all)).as(COMMANDS.failure()).isZero();
    return out.toString().lines().map(ROW::matcher).filter(Matcher::matches)
        .map(row -> Double.valueOf(row.group(6))).toList();
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "nccl-tests all_reduce --cluster hgx-h100|did you mean|all_reduce_perf",
      "nccl-tests all_reduce_perf --cluster hgx-h10|hgx-h100|did you mean",
      "nccl-tests all_reduce_perf --cluster p5-48|did you mean|p5-48xlarge-node",
      "nccl-tests all_reduce_perf --cluster dgx-1v-node --nodes 2|--nodes 2|is one node",
      "nccl-tests all_reduce_perf --cluster hgx-h100 -b 8X|-b 8X|no size",
      "nccl-tests all_reduce_perf --cluster hgx-h100 -b 8G -e 8|-b 8G|more than",
      "nccl-tests all_reduce_perf --cluster hgx-h100 -b 0 -f 2|need|-b above 0",
      "nccl-tests all_reduce_perf --cluster hgx-h100 -b 0 -e 8G -i 1|rows|-i 1",
      "nccl-tests all_reduce_perf --cluster hgx-h100 -d flout|flout|did you mean",
      "nccl-tests all_reduce_perf --cluster hgx-h100 -o sam|sam|did you mean",
      "nccl-tests all_reduce_perf --cluster hgx-h100 --fidelity pakcet|pakcet|did you mean 'packet'",
      "nccl-tests all_reduce_perf --cluster hgx-h100 --fidelity closed|one of closed-form, analytic|'closed-form'",
      "nccl-tests all_reduce_perf --cluster hgx-h100 --fidelity {type: hockney, startup: 5}|--fidelity|startup",
      "nccl-tests broadcast_perf --cluster hgx-h100 --nodes 1 -r 8|-r 8|0 to 7",
      "nccl-tests all_reduce_perf --cluster hgx-h100 -g 16|-g 16|8 of a node",
      "nccl-tests all_reduce_perf --cluster hgx-h100 --gpus-per-node 9|9|1 to 8",
      "nccl-tests all_reduce_perf --cluster hgx-h100 --nodes 0|--nodes 0|1 to",
      "nccl-tests all_reduce_perf --cluster hgx-h100 --nccl 3.1|--nccl|3.1",
      "nccl-tests all_reduce_perf --cluster hgx-h100 --env NCCL_ALGOS=Ring|NCCL_ALGOS|NCCL_ALGO",
      "nccl-tests all_reduce_perf --cluster hgx-h100 --nodes 1 --timing {gpu: 1}|--timing|gpu",
      "nccl-tests hypercube_perf --cluster hgx-h100 --nodes 1 --gpus-per-node 6|power of two|6",
      "nccl-tests alltoall_perf --cluster mi300x-oci|not modelled for RCCL|--fidelity flow",
      "nccl-tests all_reduce_perf --cluster hgx-h100 -R 3|-R 3|0, 1 or 2",
      "nccl-tests all_reduce_perf --cluster hgx-h100 --nodes 1 -R 2 --fidelity flow|-R 2|closed-form",
      "nccl explain all_reduces --cluster hgx-h100|did you mean|all_reduce",
      "nccl explain alltoall --cluster hgx-h100|no operation|broadcast"
  })
  void shouldSayWhatIsWrongWhenInputIsBad(String line, String one, String other) {
    String[] words = line.contains("{")
        ? (line.substring(0, line.indexOf('{')).strip() + " \0").split(" ")
        : line.split(" ");
    if (line.contains("{")) {
      words[words.length - 1] = line.substring(line.indexOf('{'));
    }
    assertThat(run(words)).isEqualTo(2);
    assertThat(COMMANDS.failure().toLowerCase(Locale.ROOT)).contains(one.toLowerCase(Locale.ROOT))
        .contains(other.toLowerCase(Locale.ROOT));
  }

  @Test
  void shouldPrintRcclsTableOnGpusOfAmd() {
    assertThat(run("nccl-tests", "all_reduce_perf", "-b", "1G", "-e", "1G", "--cluster", "mi300x-oci", "--nodes", "2",
        "--nccl", "2.20.5")).as(COMMANDS.failure()).isZero();
    assertThat(out.toString()).contains("MI300X").containsPattern("1073741824 +268435456 +float +sum");
    // Eight NICs of 50 GB/s bound the bus bandwidth.
    Matcher row = out.toString().lines().map(ROW::matcher).filter(Matcher::matches).findFirst().orElseThrow();
    assertThat(Double.parseDouble(row.group(8))).isBetween(300.0, 400.0);
    assertThat(run("nccl", "explain", "all_reduce", "--cluster", "mi300x-oci", "--nodes", "2", "--size", "2M",
        "--nccl", "2.20.5")).as(COMMANDS.failure()).isZero();
    assertThat(out.toString()).contains("16 ranks, 2 nodes, RCCL 2.20.5").contains("* Tree");
  }

  @Test
  void shouldSayWhichScheduleOfMscclTakesTheChoicesPlace() {
    List<String> words = List.of("nccl", "explain", "all_reduce", "--cluster", "mi300x-oci", "--nodes", "1", "--size",
        "1M", "--nccl", "2.22.3", "--env", "RCCL_MSCCL_ENABLE=");
    for (int enabled = 0; enabled <= 1; enabled++) {
      out.setLength(0);
      List<String> line = new ArrayList<>(words);
      line.set(words.size() - 1, "RCCL_MSCCL_ENABLE=" + enabled);
      assertThat(run(line.toArray(String[]::new))).as(COMMANDS.failure()).isZero();
      assertThat(out.toString().contains("with Simple on 8 channels")).isEqualTo(enabled == 1);
    }
  }

  @Test
  void shouldTakeKernelsForSymmetricMemoryWhenWindowsAreRegistered() {
    List<Double> micros = new ArrayList<>();
    for (String registration : List.of("0", "1", "2")) {
      out.setLength(0);
      assertThat(run("nccl-tests", "all_reduce_perf", "-b", "64K", "-e", "64K", "--cluster", "hgx-h100", "--nodes", "1",
          "-R", registration)).as(COMMANDS.failure()).isZero();
      micros.add(out.toString().lines().map(ROW::matcher).filter(Matcher::matches)
          .map(row -> Double.parseDouble(row.group(6))).findFirst().orElseThrow());
    }
    assertThat(micros.get(1)).isEqualTo(micros.get(0));
    // NCCL expects 8.2 us of the kernel; the launch comes on top.
    assertThat(micros.get(2)).isBetween(8.2, 16.0).isLessThan(micros.get(0));
  }

  @ParameterizedTest
  @CsvSource({"h100-ndr, 2, 2.29.2, not all ranks are joined by NVLink", "hgx-h100, 1, 2.26.2, since NCCL 2.27",
      "dgx-a100, 1, 2.29.2, before Hopper", "mi300x-oci, 1, 2.29.2, RCCL's are not modelled"})
  void shouldSayWhenNcclHasNoKernelsForSymmetricMemory(String cluster, String nodes, String version, String why) {
    String[] call = {"nccl-tests", "all_reduce_perf", "-b", "1M", "-e", "1M", "--cluster", cluster, "--nodes", nodes,
        "--nccl", version};
    assertThat(run(call)).as(COMMANDS.failure()).isZero();
    String without = out.toString();
    out.setLength(0);
    List<String> registered = new ArrayList<>(List.of(call));
    registered.addAll(List.of("-R", "2"));
    assertThat(run(registered.toArray(new String[0]))).as(COMMANDS.failure()).isZero();
    assertThat(out.toString()).contains(why).contains(without);
  }
}
