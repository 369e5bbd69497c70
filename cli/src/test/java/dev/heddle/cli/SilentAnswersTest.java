package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Scenarios that once gave a wrong figure without a message, on the simulator itself. */
class SilentAnswersTest {
  private static final String SCENARIO = """
      name: small
      cluster:
        tiers:
          - name: node
            terminals: {accelerator: 4}
            topology: {type: star, link: {type: generic, rate: 100 Gb/s, latency: 1 us}}
      workload: {type: collective, op: all_reduce, size: 1 MiB}
      """;

  @TempDir
  private Path folder;

  private Cli run(String text, String... more) throws IOException {
    return command("run", text, more);
  }

  private Cli command(String command, String text, String... more) throws IOException {
    Path scenario = Files.writeString(folder.resolve("small.yaml"), text);
    List<String> args = new ArrayList<>(List.of(command, scenario.toString()));
    Collections.addAll(args, more);
    return Cli.run(args.toArray(new String[0]));
  }

  private static void requireRefused(Cli cli, String message) {
    assertThat(cli.exitCode()).as(cli.err()).isEqualTo(2);
    assertThat(cli.err()).contains(message).doesNotContain("\tat ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"packet", "flow", "analytic"})
  void shouldRefuseAScheduleThatIsWrong(String fidelity) throws IOException {
    String wrong = SCENARIO + "collectives: {type: motionless}\n";
    Cli cli = run(wrong, "--set", "fidelity=" + fidelity);
    requireRefused(cli, "the schedule of motionless all_reduce");
    assertThat(cli.err()).contains("WRONG_RESULT").contains("--no-verify");
    assertThat(run(wrong, "--set", "fidelity=" + fidelity, "--no-verify").exitCode()).isZero();
  }

  @Test
  void shouldWarnOfAScheduleThatIsTooLargeToBeProved() throws IOException {
    String large = SCENARIO.replace("accelerator: 4", "accelerator: 65");
    Cli cli = run(large, "--set", "fidelity=flow");
    assertThat(cli.exitCode()).isZero();
    assertThat(cli.err()).contains("is not proved, as it has more than 64 ranks").hasLineCount(1);
    assertThat(run(large, "--set", "fidelity=flow", "--no-verify").err()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"collective.all_reduce.tim, collective.all_reduce.time", "fct.p98, fct.p99", "iteration.time, time"})
  void shouldRefuseAnUnknownMetricBeforeAnythingRuns(String key, String near) throws IOException {
    String report = "sweep: {workload.size: [1 MiB, 2 MiB]}\nreport:\n"
        + "  plots: [{title: A, metric: fct.p99, x: workload.size}]\n  rankings: [{title: B, metric: " + key + "}]\n";
    Cli cli = command("sweep", SCENARIO + report, "--out", folder.resolve("out").toString());
    requireRefused(cli, ": report.rankings[0].metric: no point has the metric '" + key + "'");
    assertThat(cli.err()).contains(".yaml:" + (SCENARIO + report).lines().count() + ": ");
    assertThat(cli.err()).contains(near);
    assertThat(folder.resolve("out")).doesNotExist();
  }

  @Test
  void shouldAcceptMetricsOfSeveralKindsOfCollectives() throws IOException {
    String report = "sweep: {workload.size: [1 MiB, 2 MiB]}\nreport:\n  rankings:\n"
        + "    - {title: A, metric: collective.all_reduce.busbw}\n    - {title: B, metric: fct.p999}\n";
    Cli cli = command("sweep", SCENARIO + report, "--out", folder.resolve("out").toString());
    assertThat(cli.exitCode()).as(cli.err()).isZero();
    assertThat(cli.out()).contains("A\n").contains("B\n");
  }

  @Test
  void shouldListMetricsOfScenarioWhenItsFileIsDescribed() throws IOException {
    Cli cli = command("describe", SCENARIO);
    assertThat(cli.exitCode()).as(cli.err()).isZero();
    assertThat(cli.out()).contains("    collective.all_reduce.busbw\n    ", "    messages.delivered\n",
        "    inter.fct\n");
  }

  @Test
  void shouldSayAfterwardsWhenNoPointHadAMetric() throws IOException {
    String report = "sweep: {workload.size: [1 MiB, 2 MiB]}\n"
        + "report: {rankings: [{title: A, metric: collective.broadcast.time}]}\n";
    Cli cli = command("sweep", SCENARIO + report, "--out", folder.resolve("out").toString());
    requireRefused(cli, "no point has the metric 'collective.broadcast.time'");
    assertThat(folder.resolve("out/results.json")).exists();
  }

  @ParameterizedTest
  @CsvSource({
      "run.warmup=2000 h, run.warmup: '2000 h' is above the most allowed",
      "run.limit=2562 h, run.limit: '2562 h' is above the most allowed",
      "cluster.tiers[0].topology.link.latency=500 h, latency: '500 h' is above the most allowed",
      "cluster.tiers[0].topology.link.rate=1 b/s, rate: '1 b/s' is below the least allowed",
      "cluster.tiers[0].topology.link.loss=100 %, loss: '100 %' is above the most allowed",
      "workload.root=99, root: '99' has no meaning; all_reduce has no root"})
  void shouldRefuseQuantitiesOfNoUse(String setting, String message) throws IOException {
    requireRefused(run(SCENARIO, "--set", setting), message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"packet", "flow", "analytic"})
  void shouldSayThatTheClockWouldPassItsEnd(String fidelity) throws IOException {
    Cli cli = run(
        SCENARIO, "--set", "fidelity=" + fidelity, "--set", "workload.size=900 GiB", "--set",
        "cluster.tiers[0].topology.link.rate=1 Mb/s", "--set", "run.limit=1000 h", "--set", "run.burst=1 MiB");
    assertThat(cli.exitCode()).as(cli.err()).isEqualTo(2);
    assertThat(cli.err()).containsAnyOf("simulated time", "at most 1000 h").doesNotContain("stalled at 0 s")
        .doesNotContain("\tat ");
  }

  @Test
  void shouldWarnWhenCollectivesMoveNothing() throws IOException {
    Cli cli = run(SCENARIO.replace("accelerator: 4", "accelerator: 1"));
    assertThat(cli.err()).contains("has one rank: its collectives move nothing");
  }
}
