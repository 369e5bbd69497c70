package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.hash.Hashing;
import dev.heddle.report.JsonReport;
import dev.heddle.results.Results;
import dev.heddle.results.Results.LinkUsage;
import dev.heddle.scenario.Scenario;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Points of an earlier sweep are reused only when the same program computed them from the same input, and undamaged.
 */
class SweepIntegrityTest {
  private static final int POINTS = 5;

  @TempDir
  private Path folder;
  private Path scenario;
  private Path out;

  @BeforeEach
  void writeScenario() throws IOException {
    scenario = Files.writeString(folder.resolve("tiny.yaml"), Cli.sweep(POINTS));
    out = folder.resolve("out");
  }

  private Cli sweep(PointRunner runner, String... more) {
    return Cli.sweep(runner, scenario, out, more);
  }

  private int finished() throws IOException {
    return JsonReport.readSweep(Files.readString(out.resolve("results.json"))).points().size();
  }

  private Process child(String... options) throws IOException {
    List<String> command = new ArrayList<>(
        List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1"));
    Collections.addAll(command, options);
    Collections.addAll(
        command, "-cp", System.getProperty("java.class.path"), KillableSweep.class.getName(),
        folder.resolve("journal").toString(), "sweep", scenario.toString(), "--out", out.toString(), "--threads", "1",
        "--quiet");
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  @Test
  void shouldRefuseAFolderThatAnotherProcessWritesTo() throws Exception {
    Process other = child();
    try (BufferedReader begun =
        new BufferedReader(new InputStreamReader(other.getInputStream(), StandardCharsets.UTF_8));
        OutputStream permits = other.getOutputStream()) {
      permits.write(1);
      permits.flush();
      assertThat(begun.readLine()).isEqualTo("1");
      byte[] before = Files.readAllBytes(out.resolve(PointStore.FILE));
      for (String option : new String[] {"--quiet", "--fresh"}) {
        Cli cli = sweep(new EchoRunner(), option);
        assertThat(cli.exitCode()).isEqualTo(2);
        assertThat(cli.err()).contains("another sweep is writing to it");
      }
      assertThat(Files.readAllBytes(out.resolve(PointStore.FILE))).startsWith(before);
      permits.write(new byte[POINTS]);
    }
    assertThat(other.waitFor()).isZero();
    assertThat(finished()).isEqualTo(POINTS);
  }

  @Test
  void shouldRefusePointsOfAnotherContentOfAFileThatTheScenarioNames() throws IOException {
    Path input = Files.writeString(folder.resolve("input.goal"), "131072b");
    Files.writeString(
        scenario, Cli.sweep(POINTS).replace("{type: idle}", "{type: idle, file: input.goal}"));
    sweep(new EchoRunner());
    assertThat(sweep(new EchoRunner()).exitCode()).isZero();
    Files.writeString(input, "1000000b");
    Cli cli = sweep(new EchoRunner());
    assertThat(cli.exitCode()).isEqualTo(2);
    assertThat(cli.err()).contains("files that it names").contains("--fresh");
  }

  @Test
  void shouldRefusePointsOfAnotherContentOfAFilePerRank() throws IOException {
    Files.writeString(folder.resolve("t0.et"), "a");
    Path second = Files.writeString(folder.resolve("t1.et"), "b");
    Files.writeString(
        scenario, Cli.sweep(POINTS).replace("{type: idle}", "{type: idle, file: 't{rank}.et'}"));
    sweep(new EchoRunner());
    assertThat(sweep(new EchoRunner()).exitCode()).isZero();
    Files.writeString(second, "c");
    assertThat(sweep(new EchoRunner()).exitCode()).isEqualTo(2);
  }

  @Test
  void shouldRefusePointsOfAnotherPlugin() throws IOException {
    Path plugins = Files.createDirectory(folder.resolve("more"));
    sweep(new EchoRunner(), "--plugin-path", plugins.toString());
    assertThat(sweep(new EchoRunner(), "--plugin-path", plugins.toString()).exitCode()).isZero();
    Files.writeString(plugins.resolve("notes.txt"), "another model");
    Cli cli = sweep(new EchoRunner(), "--plugin-path", plugins.toString());
    assertThat(cli.exitCode()).isEqualTo(2);
    assertThat(cli.err()).contains("another build of Heddle or of its plug-ins");
  }

  @Test
  void shouldRefuseAPointOfWhichOneDigitHasFlipped() throws IOException {
    sweep(new EchoRunner());
    Path file = out.resolve(PointStore.FILE);
    String text = Files.readString(file);
    Files.writeString(file, text.replaceFirst("\"value\":1.0", "\"value\":7.0"));
    assertThat(Files.readString(file)).isNotEqualTo(text);
    Cli cli = sweep(new EchoRunner());
    assertThat(cli.exitCode()).isEqualTo(2);
    assertThat(cli.err()).containsPattern("points.jsonl:\\d+: is damaged: its checksum does not fit")
        .doesNotContain("java.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"unit", "fidelity"})
  void shouldRefuseAPointOfWhichAFieldIsNull(String field) throws IOException {
    sweep(new EchoRunner());
    Path file = out.resolve(PointStore.FILE);
    List<String> lines = new ArrayList<>(Files.readAllLines(file));
    int prefix = lines.get(2).indexOf(",") + 1;
    String rest = lines.get(2).substring(prefix).replaceFirst("\"" + field + "\":\"[^\"]*\"", "\"" + field + "\":null");
    String checksum = Hashing.crc32c().hashString(rest, StandardCharsets.UTF_8).toString();
    lines.set(2, "{\"crc32c\":\"" + checksum + "\"," + rest);
    Files.write(file, lines);
    Cli cli = sweep(new EchoRunner());
    assertThat(cli.exitCode()).as(cli.err()).isEqualTo(2);
    assertThat(cli.err()).contains("points.jsonl:3: is no finished point; use --fresh to begin anew");
  }

  @Test
  void shouldGoOnWithTheOthersWhenAPointRunsOutOfMemory() throws IOException {
    Cli cli = sweep(point -> {
      if (variant(point) == 3) {
        throw new OutOfMemoryError("Java heap space");
      }
      return EchoRunner.results(point);
    }, "--threads", "2");
    assertThat(cli.exitCode()).isEqualTo(2);
    assertThat(cli.err()).contains("1 of the points cannot be carried out: out of memory")
        .contains("workload.variant=3").doesNotContain("bug").doesNotContain("\tat ");
    assertThat(finished()).isEqualTo(POINTS - 1);
    assertThat(sweep(new EchoRunner()).exitCode()).isZero();
    assertThat(finished()).isEqualTo(POINTS);
  }

  @Test
  void shouldRunAPointAloneWhenItRanOutOfMemoryBesideOthers() throws IOException {
    AtomicInteger failures = new AtomicInteger();
    Cli cli = sweep(point -> {
      if (variant(point) % 2 == 0 && failures.getAndIncrement() < 2) {
        throw new OutOfMemoryError("Java heap space");
      }
      return EchoRunner.results(point);
    }, "--threads", "2");
    assertThat(cli.exitCode()).isZero();
    assertThat(finished()).isEqualTo(POINTS);
  }

  @Test
  void shouldHoldOnePointInMemoryAtATimeWhenResultsAreLarge() throws Exception {
    // 120 points of 1 MB of links each, in a heap of 64 MB.
    Files.writeString(scenario, Cli.sweep(120));
    Process sweep = new ProcessBuilder(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx64m", "-XX:TieredStopAtLevel=1",
        "-cp", System.getProperty("java.class.path"), SweepIntegrityTest.class.getName(),
        "sweep", scenario.toString(), "--out", out.toString(), "--threads", "2", "--quiet")
        .redirectErrorStream(true).start();
    String said = new String(sweep.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(sweep.waitFor()).as(said).isZero();
    assertThat(Files.size(out.resolve("results.json"))).isGreaterThan(60_000_000L);
    try (BufferedReader lines = Files.newBufferedReader(out.resolve("links.csv"))) {
      assertThat(lines.lines().count()).isEqualTo(1 + 120 * 5_000);
    }
  }

  /** Sweeps with results of 5,000 links a point. */
  public static void main(String[] args) {
    System.setProperty("guice_bytecode_gen_option", "DISABLED");
    Cli cli = Cli.run(point -> {
      List<LinkUsage> links = new ArrayList<>();
      for (int i = 0; i < 5_000; i++) {
        links.add(new LinkUsage("a" + i + " -> b", "node", 1, 1, 1, i, 0, 0));
      }
      Results plain = EchoRunner.results(point);
      return new Results(plain.run(), plain.metrics(), plain.distributions(), links, plain.series());
    }, args);
    System.out.print(cli.err());
    System.out.flush();
    System.exit(cli.exitCode());
  }

  private static int variant(Scenario scenario) {
    return ((IdleWorkloadProvider.Idle) scenario.workload()).settings().variant();
  }
}
