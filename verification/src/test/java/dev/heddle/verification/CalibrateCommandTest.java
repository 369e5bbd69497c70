package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.heddle.cli.nccl.NcclCommands;
import dev.heddle.collectives.nccl.timing.MachineTiming;
import dev.heddle.scenario.ScenarioReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of calibration and comparison on logs of machines whose constants are known, and on samples of each tool. */
class CalibrateCommandTest {
  @RegisterExtension
  static final InstalledCommands COMMANDS = new InstalledCommands(new NcclCommands());
  private static final Path SAMPLES = Path.of("../collectives-nccl/src/test/resources/measured");
  private static final String KNOWN = "{gpu: {preset: nccl-hopper}, host: {launch: 7.5 us},"
      + " network: {preset: nccl-infiniband, efficiency: 0.88, latency: 6.2 us}}";

  @TempDir
  private Path folder;

  private static String run(String... args) {
    COMMANDS.forget();
    assertThat(COMMANDS.run(args)).as(COMMANDS.failure()).isZero();
    return COMMANDS.out().toString();
  }

  // The output of a test on two nodes, or on one, with the known times.
  private Path log(String test, int nodes, String least) throws IOException {
    return Files.writeString(folder.resolve(test + "-" + nodes + ".log"), run("nccl-tests", test, "-b", least, "-e",
        "1G", "-f", "8", "--cluster", "hgx-h100", "--nodes", Integer.toString(nodes), "--timing", KNOWN));
  }

  private static double fitted(String report, String constant) {
    Matcher row = Pattern.compile("(?m)^" + constant + " +[\\d.]+ +([\\d.]+) .*").matcher(report);
    assertThat(row.find()).as(report).isTrue();
    return Double.parseDouble(row.group(1));
  }

  @Test
  void shouldFindTheConstantsOfAMachineAgain() throws IOException {
    Path preset = folder.resolve("mine.yaml");
    String report = run("calibrate", "nccl", log("all_reduce_perf", 2, "8").toString(),
        log("all_gather_perf", 2, "64K").toString(), log("alltoall_perf", 2, "8M").toString(),
        log("all_reduce_perf", 1, "8").toString(), "--cluster", "hgx-h100", "--nodes", "2", "--out",
        preset.toString());
    assertThat(fitted(report, "launch")).isCloseTo(7.5, withinPercentage(6));
    assertThat(fitted(report, "efficiency")).isCloseTo(0.88, withinPercentage(1));
    assertThat(fitted(report, "latency")).isCloseTo(6.2, withinPercentage(6));
    assertThat(report).contains("every constant is identified; next").doesNotContain("at its bound");
    String text = Files.readString(preset);
    assertThat(text).contains("all_reduce_perf-2.log with NCCL 2.30.7", "rows of all_to_all", "was 0.97");
    String value = text.substring(text.indexOf("value: ") + "value: ".length());
    MachineTiming read = new ScenarioReader(COMMANDS.registry()).record(MachineTiming.class, "mine.yaml", value);
    assertThat(read.network().orElseThrow().efficiency()).isCloseTo(0.88, withinPercentage(1));
  }

  @Test
  void shouldKeepOneOfLaunchAndLatencyWhereCallsSeeTheirSum() throws IOException {
    // Calls of one operation between nodes see one sum of both.
    String report = run("calibrate", "nccl", log("all_reduce_perf", 2, "8").toString(), "--cluster", "hgx-h100",
        "--nodes", "2");
    boolean launch = Pattern.compile("launch .* calls").matcher(report).find();
    String kept = launch ? "latency" : "launch";
    assertThat(report).containsPattern((launch ? "launch" : "latency") + " .* calls")
        .containsPattern(kept + " .* not identifiable, kept")
        .contains("next, for " + kept + ": measure all_reduce from 8 B to 32 KiB");
  }

  @Test
  void shouldPrintNoErrorsBesideItsOwnTimes() throws IOException {
    Path log = log("all_gather_perf", 2, "8");
    String report = run("nccl-tests", "all_gather_perf", "--cluster", "hgx-h100", "--nodes", "2", "--timing", KNOWN,
        "--compare", log.toString());
    Matcher means = Pattern.compile("# mean absolute error (.*): ([\\d.]+) % .*, (\\d+) rows\\)").matcher(report);
    int rows = 0;
    while (means.find()) {
      assertThat(Double.parseDouble(means.group(2))).as(means.group(1)).isCloseTo(0, within(0.2));
      rows += Integer.parseInt(means.group(3));
    }
    assertThat(rows).isEqualTo(8);
  }

  @Test
  void shouldTakeMessagesAsBoundsWhenNoCallsTell() {
    String report = run("calibrate", "nccl", SAMPLES.resolve("perftest-24.01-write-bw.txt").toString(),
        SAMPLES.resolve("perftest-24.01-write-lat.txt").toString(), "--cluster", "hgx-h100", "--nodes", "2");
    // 48.83 of the NIC's 50 GB/s.
    assertThat(fitted(report, "efficiency")).isCloseTo(0.9766, within(1e-4));
    assertThat(report).containsPattern("efficiency .* messages without NCCL").contains("1.84 to 600 us")
        .containsPattern("launch .* not identifiable, kept")
        .contains("next, for launch: measure all_reduce from 8 B to 32 KiB on one node");
  }

  @Test
  void shouldTakeTimesInPlaceWhenAskedTo() {
    List<String> sizes = new ArrayList<>();
    for (String option : List.of("", "--in-place")) {
      List<String> call = new ArrayList<>(List.of("calibrate", "nccl",
          SAMPLES.resolve("nccl-tests-2.13-all_reduce_perf.log").toString(), "--cluster", "hgx-h100", "--nodes", "2"));
      if (!option.isEmpty()) {
        call.add(option);
      }
      sizes.add(run(call.toArray(new String[0])));
    }
    assertThat(sizes.get(0)).isNotEqualTo(sizes.get(1));
  }

  @Test
  void shouldRefuseLogsOfOneCallThatDiffer() throws IOException {
    Path one = log("all_reduce_perf", 2, "8M");
    Path other = Files.writeString(folder.resolve("slow.csv"),
        "# collective: all_reduce\n# gpus: 16\n# nodes: 2\nsize_bytes,time_us\n1073741824,9000\n");
    // The last size of 8 MiB by factors of 8 to 1 GiB is 512 MiB.
    String text = Files.readString(other).replace("1073741824", "536870912");
    Files.writeString(other, text);
    COMMANDS.forget();
    assertThat(COMMANDS.run("calibrate", "nccl", one.toString(), other.toString(), "--cluster", "hgx-h100", "--nodes",
        "2")).isEqualTo(2);
    assertThat(COMMANDS.failure()).contains("contradict each other", "536870912 B", "9000.0", "leave one of them out");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "calibrate nccl S/perftest-24.01-write-bw.txt --cluster h100-gcp-a3mega --nodes 2|48.83 GB/s|25.00 GB/s",
      "calibrate nccl S/osu-7.4-allreduce.txt --cluster hgx-h100|Allreduce|not NCCL's",
      "calibrate nccl S/README.md --cluster hgx-h100|README.md|no output of nccl-tests",
      "calibrate nccl S/missing.log --cluster hgx-h100|missing.log|",
      "calibrate nccl S/osu-7.4-xccl-allgather.txt --in-place --cluster hgx-h100|osu-7.4|no times in place",
      "calibrate nccl S/nccl-tests-2.13-all_reduce_perf.log --cluster hgx-h100 --nodes 1|16 ranks|--nodes 2",
      "calibrate nccl S/missing.log --cluster hgx-h100 --out S/none/p.yaml|--out|cannot be written: there is no folder",
      "nccl-tests all_reduce_perf --cluster hgx-h100 -n -1|-n -1|must be at least 1",
      "nccl-tests all_reduce_perf --cluster none -J S/|-J|cannot be written: it is a folder; name a file",
      "nccl-tests all_gather_perf --cluster hgx-h100 --compare S/nccl-tests-2.13-all_reduce_perf.log|all_reduce|"
          + "all_gather_perf",
      "nccl-tests all_reduce_perf --cluster hgx-h100 --fidelity flow --compare S/osu-5.9-bw.txt|--compare|--fidelity",
      "nccl-tests all_reduce_perf --cluster hgx-h100 --compare S/osu-5.9-bw.txt|osu-5.9-bw.txt|no collective"
  })
  void shouldSayWhatIsWrong(String line, String one, String other) {
    COMMANDS.forget();
    assertThat(COMMANDS.run(line.replace("S/", SAMPLES + "/").split(" "))).isEqualTo(2);
    assertThat(COMMANDS.failure()).contains(one).contains(other == null ? "" : other);
  }
}
