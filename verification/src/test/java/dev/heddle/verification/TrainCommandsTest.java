package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.ObjectArrays;
import dev.heddle.cli.train.TrainCommands;
import dev.heddle.results.Timeline.Lane;
import dev.heddle.workload.megatron.kernel.KernelDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the commands for training on the installed presets. */
class TrainCommandsTest {
  @RegisterExtension
  static final InstalledCommands COMMANDS = new InstalledCommands(new TrainCommands());
  private static final Pattern ROW =
      Pattern.compile(
          "^([* ]) +(\\d+) +(\\d+) +(\\d+) +\\d+ +\\d+ +(\\d+) +(\\d+) +(\\w+) +([\\d.]+) +(\\S+) "
              + "+([\\d.]+) +([\\d.]+)$");

  private final StringBuilder out = COMMANDS.out();

  private static int run(String... args) {
    return COMMANDS.run(args);
  }

  private double[] figures(String line) {
    Matcher matcher = Pattern.compile("^ +" + Pattern.quote(line) + " +([\\d.,]+) +([\\d.,]+)$", Pattern.MULTILINE)
        .matcher(out.toString());
    assertThat(matcher.find()).as("a line '%s' in:\n%s", line, out).isTrue();
    return new double[] {
        Double.parseDouble(matcher.group(1).replace(",", "")), Double.parseDouble(matcher.group(2).replace(",", ""))
    };
  }

  @Test
  void shouldSayWhatAnIterationTakesWhenItIsTrained() {
    assertThat(run("train", "--model", "gpt3-6b7", "--cluster", "hgx-h100", "--nodes", "2", "--tp", "4", "--pp", "2",
        "--global-batch", "16")).as(COMMANDS.failure()).isZero();
    assertThat(out)
        .contains("GPT-3 6.7B, 6.7 billion parameters, on 16 x H100 SXM: tp 4 x pp 2 x cp 1 x dp 2, 8 micro-batches")
        .contains("Memory of an accelerator of stage");
    double[] seconds = figures("Iteration, s");
    assertThat(seconds[0]).isCloseTo(seconds[1], withinPercentage(5));
    // Tokens, operations and the peak rate make the MFU.
    double perAccelerator = 16 * 2048 / seconds[0] * (6 * 6.65e9 + 12.0 * 32 * 4096 * 2048) / 16;
    assertThat(figures("Model operations per accelerator, Tflop/s")[0]).isCloseTo(perAccelerator / 1e12,
        withinPercentage(3));
    assertThat(figures("MFU of the 16-bit peak, %")[0]).isCloseTo(100 * perAccelerator / 989.4e12, withinPercentage(3));
  }

  @Test
  void shouldTakeLessTimeAndMemoryWhenAdaptersAloneAreTrained() {
    String[] job = {"train", "--model", "gpt3-6b7", "--cluster", "hgx-h100", "--nodes", "1", "--tp", "2",
        "--global-batch", "16", "--fidelity", "estimate"};
    assertThat(run(job)).as(COMMANDS.failure()).isZero();
    double[] all = {figure("Iteration, s"), figure("Memory of the fullest accelerator, GiB")};
    out.setLength(0);
    assertThat(run(ObjectArrays.concat(job, new String[] {"--lora", "32"}, String.class))).as(COMMANDS.failure())
        .isZero();
    // Gradients of weights are a third of the products; parameters stay, gradients and states go.
    assertThat(figure("Iteration, s")).isBetween(0.6 * all[0], 0.8 * all[0]);
    assertThat(figure("Memory of the fullest accelerator, GiB")).isLessThan(0.6 * all[1]);
  }

  // Of 16 accelerators the slowest keeps a clock 1.5 % x 1.77 below the mean, the mean of the largest of 16 normal
  // variates, so that a job at the limit of power gains at most that by equal clocks.
  @Test
  void shouldTakeEqualClocksAndALoadOfExperts() {
    String[] job = {"train", "--model", "gpt3-6b7", "--cluster", "hgx-h100", "--nodes", "2", "--global-batch", "64",
        "--fidelity", "estimate", "--ignore-memory"};
    assertThat(run(job)).as(COMMANDS.failure()).isZero();
    double apart = figure("Iteration, s");
    out.setLength(0);
    assertThat(run(ObjectArrays.concat(job, new String[] {"--variation", "{clock-deviation: 0}"}, String.class)))
        .as(COMMANDS.failure()).isZero();
    assertThat(figure("Iteration, s")).isBetween(apart * (1 - 0.015 * 1.77 - 0.001), apart * 0.999);
    String[] sparse = {"train", "--model", "qwen3-30b-a3b", "--cluster", "hgx-h100", "--nodes", "1", "--global-batch",
        "16", "--ep", "8", "--fidelity", "estimate", "--ignore-memory"};
    out.setLength(0);
    assertThat(run(sparse)).as(COMMANDS.failure()).isZero();
    double balanced = figure("Exposed expert-parallel communication, s");
    out.setLength(0);
    assertThat(run(ObjectArrays.concat(sparse, new String[] {"--skew", "1.5"}, String.class)))
        .as(COMMANDS.failure()).isZero();
    assertThat(figure("Exposed expert-parallel communication, s")).isBetween(1.2 * balanced, 1.6 * balanced);
  }

  @Test
  void shouldSayThatEstimatesLeaveOutStragglers() {
    String line = "Estimates leave out the jitter and the stragglers of --variation, which runs count";
    String job = " --model gpt3-6b7 --cluster hgx-h100 --nodes 1 --global-batch 8 ";
    for (String command : List.of("train --tp 8 --fidelity estimate", "search --confirm 0", "scaling")) {
      List<String> args = List.of((command + job + "--variation {\"stragglers\":1}").split(" "));
      assertThat(run(args.toArray(String[]::new))).as(COMMANDS.failure()).isZero();
      assertThat(out.toString().lines()).contains(line);
      COMMANDS.forget();
      assertThat(run((command + job).trim().split(" +"))).as(COMMANDS.failure()).isZero();
      assertThat(out).doesNotContain(line);
      COMMANDS.forget();
    }
  }

  @Test
  void shouldPointOutLaunchesWhereAcceleratorsWaitForTheHost() {
    String job = "train --model gpt-1b7 --cluster hgx-h100 --nodes 1 --tp 8 --sequence 512 --global-batch 16"
        + " --fidelity estimate";
    assertThat(run(job.split(" "))).as(COMMANDS.failure()).isZero();
    double share = 100 * figure("Waiting for the host, s") / figure("Iteration, s");
    assertThat(out).contains(String.format(Locale.ROOT, "launches by the host for %.0f %% of the iteration", share));
    COMMANDS.forget();
    assertThat(run((job + " --execution {\"graphs\":[\"full-iteration\"]}").split(" "))).as(COMMANDS.failure())
        .isZero();
    assertThat(out).doesNotContain("launches by the host");
  }

  @Test
  void shouldAnnounceAnEstimateThatTakesLong() {
    String job = "train --model gpt-1b7 --cluster hgx-h100 --nodes 1 --tp 8 --sequence 64 --fidelity estimate"
        + " --global-batch ";
    assertThat(run((job + "20834").split(" "))).as(COMMANDS.failure()).isZero();
    assertThat(out.toString() + COMMANDS.failure()).contains("20,834 micro-batches of 24 layers are 1,000,032 passes");
    COMMANDS.forget();
    assertThat(run((job + "200").split(" "))).as(COMMANDS.failure()).isZero();
    assertThat(out.toString() + COMMANDS.failure()).doesNotContain("passes");
  }

  private double figure(String line) {
    Matcher matcher =
        Pattern.compile("^ +" + Pattern.quote(line) + " +([\\d.,]+)$", Pattern.MULTILINE).matcher(out.toString());
    assertThat(matcher.find()).as("a line '%s' in:\n%s", line, out).isTrue();
    return Double.parseDouble(matcher.group(1).replace(",", ""));
  }

  @Test
  void shouldPrintTheFiguresThatThePageOfTrainingQuotes() throws IOException {
    String page = Files.readString(Path.of("..", "docs", "training.md"));
    Matcher command = Pattern.compile("`heddle (train [^`]*)` prints [^:]*: ([\\d.]+) and ([\\d.]+) s").matcher(page);
    assertThat(command.find()).isTrue();

    assertThat(run(command.group(1).split(" "))).as(COMMANDS.failure()).isZero();

    double[] seconds = figures("Iteration, s");
    assertThat(List.of(command.group(2), command.group(3))).containsExactly(
        String.format(Locale.ROOT, "%.2f", seconds[0]), String.format(Locale.ROOT, "%.2f", seconds[1]));
  }

  @ParameterizedTest
  @CsvSource({"mi250x-slingshot, MI250X GCD", "mi300x-oci, MI300X", "aurora, PVC tile",
      "trn1-32xlarge-efa, Trainium core"})
  void shouldTrainWithoutFurtherSettingsWhenAcceleratorsAreNoneOfNvidias(String cluster, String accelerator) {
    assertThat(
        run("train", "--model", "gpt3-6b7", "--cluster", cluster, "--nodes", "2", "--tp", "2", "--micro-batch", "2",
            "--global-batch", "192", "--ignore-memory", "--fidelity", "estimate"))
        .as(COMMANDS.failure()).isZero();
    assertThat(out).contains(" x " + accelerator + ": tp 2 x pp 1");
    Matcher utilization = Pattern.compile("MFU of the 16-bit peak, % +([\\d.]+)").matcher(out);
    assertThat(utilization.find()).isTrue();
    assertThat(Double.parseDouble(utilization.group(1))).isBetween(5.0, 80.0);
  }

  // Accelerators of these nodes have a link to each other, so that the groups of a rank have no link in common.
  @ParameterizedTest
  @ValueSource(strings = {
      "--tp 4 --global-batch 8", "--tp 2 --global-batch 8", "--tp 4 --cp 2 --global-batch 4 --recompute full",
      "--tp 2 --cp 2 --pp 2 --global-batch 4"})
  void shouldEstimateTheTimeOfTheRunWhenGroupsShareNoLinks(String parallel) {
    assertThat(
        run(("train --model llama2-13b --cluster mi300x-oci --nodes 1 --ignore-memory --fidelity flow " + parallel)
            .split(" ")))
        .as(COMMANDS.failure()).isZero();
    double[] seconds = figures("Iteration, s");
    assertThat(seconds[0]).isCloseTo(seconds[1], withinPercentage(2));
  }

  // Collectives that leave room on a link run beside one another as if alone: on the one link between two MI300X, and
  // on the NICs of nodes.
  @ParameterizedTest
  @ValueSource(strings = {
      "llama2-13b --cluster mi300x-oci --nodes 1 --tp 4 --cp 2 --global-batch 4 --sharding parameters --recompute full",
      "gpt3-6b7 --cluster a100-aws-p4d --nodes 4 --tp 8 --cp 4 --cp-exchange a2a --micro-batch 2 --global-batch 2",
      "qwen3-32b --cluster b200-aws-p6 --nodes 2 --tp 8 --cp 2 --cp-exchange all-gather --global-batch 2"
          + " --sharding parameters",
      "llama4-scout --cluster hgx-b200 --nodes 1 --tp 4 --global-batch 8 --sharding gradients",
      "llama4-maverick --cluster a100-oci --nodes 4 --tp 8 --ep 16 --micro-batch 2 --global-batch 32"
          + " --sharding parameters --replicas 2"})
  void shouldEstimateTheTimeOfTheRunWhenCollectivesShareLinksThatTheyDoNotFill(String job) {
    assertThat(run(("train --ignore-memory --fidelity flow --model " + job).split(" "))).as(COMMANDS.failure())
        .isZero();
    double[] seconds = figures("Iteration, s");
    assertThat(seconds[0]).isCloseTo(seconds[1], withinPercentage(1));
  }

  @Test
  void shouldTakeAFidelityOfAThirdParty() {
    assertThat(run("train", "--model", "mpt-350m", "--cluster", "hgx-h100", "--nodes", "1", "--tp", "8",
        "--global-batch", "2", "--ignore-memory", "--fidelity", "hockney")).as(COMMANDS.failure()).isZero();
    assertThat(out).containsPattern("estimate +hockney");
    double[] seconds = figures("Iteration, s");
    assertThat(seconds[1]).isCloseTo(seconds[0], withinPercentage(50));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "--fidelity estimat | did you mean 'estimate'",
      "--tp 3 | 3 does not divide the 32 attention heads",
      "--fidelity quick | there is no such fidelity; write one of estimate, analytic, flow, hockney, hybrid, packet",
      "--pp 5 | --tp, --cp, --pp: 16 ranks are not divided by", "--pp 5 | = 5; the multiple below is --ranks 15",
      "--pp 5 --ranks 9 | = 5; the next multiple is 10", "--pp 32 | = 32; there are no more than 16",
      "--nodes 0 | must be 1 to 100000",
      "--tp 0 | --tp: must be from 1 to 65536, but is 0", "--pp -1 | --pp: must be from 1", "--cp 0 | --cp: must be",
      "--ep -1 | --ep: must be from 1", "--vp 0 | --vp: must be from 1 to 1024",
      "--ranks-per-node 0 | --ranks-per-node: must be at least 1, but is 0",
      "--out x --fidelity estimate | an estimate has no report",
      "--trace 3 | needs --out", "--memoization-tolerance 5us | write --fidelity packet, or leave it out",
      "--memoization-tolerance 5 | --memoization-tolerance: '5' has no unit",
      "--out x --trace 3,16 | --trace: rank 16 is not of the run's 16 ranks, from 0",
      "--recompute some | 'some'", "--lora few | --lora:1: rank", "--lora 0 | rank",
      "--skew 0.5 | --skew 0.5: must be from 1 to 1000", "--variation {jiter:1} | --variation:1: jiter:1: unknown key",
      "--micro-batch 536870912 | --global-batch, --micro-batch: 16 sequences are no multiple of 536870912 of a"
          + " micro-batch x 16 data-parallel ranks = 8589934592; a micro-batch of 1 needs a multiple of 16",
      "--micro-batch 8388608 | x 16 data-parallel ranks = 134217728; the next multiple is 134217728",
      "--sequence 2147483640 --ignore-memory | --sequence: an iteration of 16 sequences of 2147483640 tokens passes",
      "--variation {\"stragglers\":17} | --variation: 17 stragglers are more than the job's 16 ranks",
      "--ranks-per-node 9 | --ranks-per-node: 9 are more than the 8 accelerators of a node",
      "--skew 2 | --skew: is the load of expert-parallel ranks, and GPT-3 6.7B has no experts; it must be 1",
      "--model gpt3-13 | no preset is called 'gpt3-13'; heddle presets lists",
      "--cp-heads 3 | --cp-heads: takes effect with --cp-exchange a2a-p2p alone",
      "--cp 4 --cp-exchange a2a-p2p | --cp-heads: is needed by --cp-exchange a2a-p2p",
      "--cp 4 --cp-exchange a2a-p2p --cp-heads 3 | --cp-heads: must divide that of --cp, 4, from 2 to half"
          + " of it, but is 3",
      "--execution {\"fused-rotation\":true,\"norm\":\"fused\"} | --execution: fused-rotation: ",
      "--model gpt-oss-120b --execution {\"operation-fuser\":true} | --execution: operation-fuser: has no operation",
      "--cp-exchange a2a | --cp-exchange: is between the ranks of --cp, which is 1",
      "--tp 4 --etp 2 | --etp: must be 1 or that of --tp, 4, but is 2",
      "--sharding none --replicas 2 | --sharding must be optimizer, gradients or parameters, not none",
      "--model gpt-22b | the job does not fit: stage 0 needs", "--model gpt-22b | (--recompute), share more states"
          + " (--sharding), divide the model into more parts (--tp, --pp), or leave the check out (--ignore-memory)"})
  void shouldRefuseWithTheReasonWhenAJobCannotRun(String options, String reason) {
    List<String> args = new ArrayList<>(List.of("train", "--cluster", "hgx-h100", "--global-batch", "16"));
    if (!options.contains("--nodes")) {
      args.addAll(List.of("--nodes", "2"));
    }
    if (!options.contains("--model")) {
      args.addAll(List.of("--model", "gpt3-6b7"));
    }
    args.addAll(List.of(options.split(" ")));
    assertThat(run(args.toArray(String[]::new))).isEqualTo(2);
    assertThat(COMMANDS.failure()).contains(reason);
    assertThat(out).isEmpty();
  }

  // The cluster cannot be planned, so that a message of an option shows that the option was read first.
  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "--model gpt3-13 | no preset is called 'gpt3-13'", "--model gpt3-6b7 --lora few | --lora:1: rank",
      "--model gpt3-6b7 --tokens many | --tokens 'many'", "--model gpt3-6b7 --execution {precision:fp9} | --execution",
      "--model gpt3-6b7 --skew 0.5 | --skew 0.5", "--model gpt3-6b7 --kernels {preset:none} | --kernels",
      "--model gpt3-6b7 --collectives {type:nckl} | --collectives"})
  void shouldReadTheOptionsOfAJobBeforeTheClusterIsPlanned(String options, String reason) {
    for (String command : List.of("train", "search", "scaling")) {
      List<String> args = new ArrayList<>(List.of(command, "--cluster", "hgx-h100", "--nodes", "0", "--global-batch",
          "16"));
      args.addAll(List.of(options.split(" ")));
      assertThat(run(args.toArray(String[]::new))).isEqualTo(2);
      assertThat(COMMANDS.failure()).contains(reason);
      COMMANDS.forget();
    }
  }

  @Test
  void shouldPrintTheSameFiguresAsJsonAndKeepTheTimeOfEachStageWhenAsked() throws JsonProcessingException {
    String[] job = {"train", "--model", "gpt3-6b7", "--cluster", "hgx-h100", "--nodes", "2", "--tp", "8", "--pp", "2",
        "--global-batch", "8"};
    assertThat(run(job)).as(COMMANDS.failure()).isZero();
    double[] seconds = figures("Iteration, s");
    COMMANDS.forget();
    List<String> more = new ArrayList<>(List.of(job));
    more.addAll(List.of("--json", "--out", "anywhere", "--bottlenecks"));
    assertThat(run(more.toArray(String[]::new))).as(COMMANDS.failure()).isZero();
    JsonNode json = new ObjectMapper().readTree(out.toString());
    assertThat(json.at("/estimate/seconds").asDouble()).isCloseTo(seconds[0], within(5e-4));
    assertThat(json.at("/run/seconds").asDouble()).isCloseTo(seconds[1], within(5e-4));
    double spent = 0;
    for (JsonNode activity : json.at("/run/activities")) {
      spent += activity.asDouble();
    }
    assertThat(spent).isCloseTo(seconds[1], withinPercentage(1));
    assertThat(json.at("/memory/bytes").asLong()).isBetween(1L << 30, json.at("/memory/capacity").asLong());
    // Kernels of 512 columns a rank end before the next is launched.
    assertThat(json.at("/bottlenecks/0/resource").asText()).isEqualTo("host");
    assertThat(json.at("/bottlenecks/0/seconds").asDouble())
        .isCloseTo(seconds[0] * (1 - json.at("/bottlenecks/0/gain").asDouble()), withinPercentage(1));
    assertThat(COMMANDS.written()).hasSize(1)
        .allSatisfy(results -> assertThat(results.timeline().lanes()).extracting(Lane::rank).containsOnly(0, 8));
  }

  @Test
  void shouldFindNothingSlowerThanAGuessWhenItSearches() {
    assertThat(run("train", "--model", "gpt3-6b7", "--cluster", "hgx-h100", "--nodes", "2", "--tp", "8", "--pp", "2",
        "--global-batch", "16")).as(COMMANDS.failure()).isZero();
    double guess = figures("Iteration, s")[0];
    out.setLength(0);
    assertThat(run("search", "--model", "gpt3-6b7", "--cluster", "hgx-h100", "--nodes", "2", "--global-batch", "16",
        "--confirm", "2", "--top", "5")).as(COMMANDS.failure()).isZero();
    List<Matcher> rows = out.toString().lines().map(ROW::matcher).filter(Matcher::matches).toList();
    assertThat(rows).hasSize(5);
    assertThat(rows.stream().filter(row -> !row.group(9).equals("-"))).hasSize(2)
        .allSatisfy(row -> assertThat(Double.parseDouble(row.group(9))).isCloseTo(Double.parseDouble(row.group(8)),
            withinPercentage(8)));
    assertThat(rows).allSatisfy(row -> {
      assertThat(Double.parseDouble(row.group(8))).isLessThan(guess);
      assertThat(Double.parseDouble(row.group(11))).isLessThan(80);
    });
    assertThat(rows).extracting(row -> row.group(1)).contains("*");
  }

  @Test
  void shouldTryContextParallelRanksWhereAttentionHasWindows() {
    assertThat(run("search", "--model", "gpt-oss-20b", "--cluster", "hgx-h100", "--nodes", "1", "--global-batch", "2",
        "--sequence", "32768", "--confirm", "0", "--top", "20")).as(COMMANDS.failure()).isZero();
    List<Matcher> rows = out.toString().lines().map(ROW::matcher).filter(Matcher::matches).toList();
    int context = 3;
    assertThat(rows).extracting(row -> row.group().substring(1).trim().split(" +")[context]).contains("1", "2");
  }

  @Test
  void shouldSayWhyNoDivisionIsPossibleWhenAllAreRefused() {
    assertThat(run("search", "--model", "llama3-8b", "--cluster", "dgx-a100", "--nodes", "1", "--global-batch", "8",
        "--execution", "{norm: cudnn}")).isEqualTo(2);
    assertThat(COMMANDS.failure()).contains("no way to cut the job is possible: execution.norm: ",
        "the kernel figures know no cudnn; they know fused, persistent");
  }

  @Test
  void shouldSayThatNothingFitsWhenItSearchesInVain() {
    assertThat(run("search", "--model", "gpt-1t", "--cluster", "hgx-h100", "--nodes", "1", "--global-batch", "8"))
        .isEqualTo(2);
    assertThat(COMMANDS.failure()).contains("nothing fits").contains("80 GiB");
  }

  @Test
  void shouldWriteTheJobsKernelsWhenAsked(@TempDir Path folder) {
    Path file = folder.resolve("kernels.csv");
    assertThat(run("train", "--model", "gpt3-6b7", "--cluster", "hgx-h100", "--nodes", "1", "--tp", "8",
        "--global-batch", "8", "--fidelity", "estimate", "--list-kernels", file.toString())).as(COMMANDS.failure())
        .isZero();
    // GPT-3 6.7B over 8 ranks: 2,048 tokens, 3 x 4096 / 8 columns of queries, keys and values.
    assertThat(KernelDatabase.read(file).rows()).allSatisfy(row -> assertThat(row.gpu()).isEqualTo("H100 SXM"))
        .anySatisfy(
            row -> assertThat(row.cells()).containsEntry("kernel", "gemm").containsEntry("shape", "2048x1536x4096"));
    assertThat(run("train", "--model", "gpt3-6b7", "--cluster", "hgx-h100", "--nodes", "1", "--tp", "8",
        "--global-batch", "8", "--fidelity", "estimate", "--list-kernels", folder.toString())).isEqualTo(2);
    assertThat(COMMANDS.failure()).contains("--list-kernels " + folder + ": cannot be written: it is a folder");
  }
}
