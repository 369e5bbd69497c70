package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.Multiset;
import com.google.common.collect.TreeMultiset;
import dev.heddle.report.JsonReport;
import dev.heddle.results.SweepResults;
import dev.heddle.scenario.Problem;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.sim.SimulationException;
import dev.heddle.spi.InvalidSettingException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class SweepDurabilityTest {
  private static final int POINTS = 40;

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

  private List<String> lines() throws IOException {
    return Files.readAllLines(out.resolve(PointStore.FILE));
  }

  private SweepResults results() throws IOException {
    return JsonReport.readSweep(Files.readString(out.resolve("results.json")));
  }

  private void requireCompleteAndInOrder() throws IOException {
    assertThat(results().points()).hasSize(POINTS);
    for (int i = 0; i < POINTS; i++) {
      SweepResults.Point point = results().points().get(i);
      assertThat(point.parameters()).containsEntry("workload.variant", String.valueOf(i + 1));
      assertThat(point.results().metric("value").orElseThrow().value()).isEqualTo((i + 1) / 3.0);
    }
    assertThat(lines()).hasSize(POINTS + 1).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  @Timeout(180)
  void shouldNeitherLoseNorRepeatAPointWhenKilledAgainAndAgain(long seed) throws Exception {
    Random random = new Random(seed);
    Path journal = folder.resolve("journal");
    int kills = 0;
    int exitCode;
    do {
      int before = Files.exists(out.resolve(PointStore.FILE)) ? finished() : 0;
      Process child = start(journal);
      boolean killed = killAfter(child, 6 + random.nextInt(9));
      exitCode = child.waitFor();
      kills += killed ? 1 : 0;
      assertThat(finished()).as("seed %s, after %s kills", seed, kills).isGreaterThanOrEqualTo(before);
      assertThat(killed || exitCode == 0).as("exit code %s", exitCode).isTrue();
    } while (exitCode != 0);
    assertThat(kills).as("the test must have killed").isGreaterThan(1);
    requireCompleteAndInOrder();
    // A point may begin again only if a kill struck before it was on the disk: at most one per thread and kill.
    Multiset<String> begun = TreeMultiset.create(Files.readAllLines(journal));
    assertThat(begun.elementSet()).hasSize(POINTS);
    assertThat(begun.size() - POINTS).as("seed %s: points that began again", seed).isLessThanOrEqualTo(2 * kills);
    sweep(point -> {
      throw new SimulationException("no point may run again");
    });
    requireCompleteAndInOrder();
  }

  private Process start(Path journal) throws IOException {
    return new ProcessBuilder(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
        "-cp", System.getProperty("java.class.path"), KillableSweep.class.getName(), journal.toString(),
        "sweep", scenario.toString(), "--out", out.toString(), "--threads", "2", "--quiet")
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  /** Kills the program by SIGKILL after a number of points have begun; false when the program ended before. */
  private static boolean killAfter(Process child, int points) throws IOException, InterruptedException {
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8));
        OutputStream permits = child.getOutputStream()) {
      permits.write(new byte[points]);
      permits.flush();
      for (int i = 0; i < points; i++) {
        if (reader.readLine() == null) {
          child.waitFor();
          return false;
        }
      }
      return true;
    } finally {
      child.destroyForcibly();
    }
  }

  private int finished() throws IOException {
    String text = Files.readString(out.resolve(PointStore.FILE));
    return (int) text.chars().filter(letter -> letter == '\n').count() - 1;
  }

  @Test
  void shouldDropAndRunAgainWhenTheLastLineWasCutOffAnywhere() throws IOException {
    sweep(new EchoRunner());
    Path file = out.resolve(PointStore.FILE);
    byte[] whole = Files.readAllBytes(file);
    int lastLine = new String(whole, 0, whole.length - 1, StandardCharsets.UTF_8).lastIndexOf('\n') + 1;
    for (int length = lastLine; length < whole.length; length += 13) {
      Files.write(file, Arrays.copyOf(whole, length));
      AtomicInteger runs = new AtomicInteger();
      Cli cli = sweep(point -> {
        runs.incrementAndGet();
        return EchoRunner.results(point);
      });
      assertThat(cli.exitCode()).as("cut at %s: %s", length, cli.err()).isZero();
      assertThat(runs).as("cut at %s", length).hasValue(1);
      assertThat(Files.readAllBytes(file)).hasSize(whole.length);
    }
    requireCompleteAndInOrder();
  }

  @Test
  void shouldBeginAnewWhenEvenTheFirstLineWasCutOff() throws IOException {
    sweep(new EchoRunner());
    try (RandomAccessFile file = new RandomAccessFile(out.resolve(PointStore.FILE).toFile(), "rw")) {
      file.setLength(10);
    }
    assertThat(sweep(new EchoRunner()).exitCode()).isZero();
    requireCompleteAndInOrder();
  }

  @Test
  void shouldRefuseToResumeWhenTheScenarioHasChanged() throws IOException {
    sweep(new EchoRunner());
    Files.writeString(scenario, Cli.sweep(POINTS).replace("accelerator: 3", "accelerator: 4"));
    Cli cli = sweep(new EchoRunner());
    assertThat(cli.exitCode()).isEqualTo(2);
    assertThat(cli.err()).contains("points.jsonl: holds the points of a different content of this scenario")
        .contains("--fresh");
    assertThat(sweep(new EchoRunner(), "--fresh").exitCode()).isZero();
    requireCompleteAndInOrder();
  }

  @Test
  void shouldResumeWhenOnlyWordsForPeopleHaveChanged() throws IOException {
    sweep(new EchoRunner());
    Files.writeString(scenario, Cli.sweep(POINTS).replace("for tests", "for people"));
    AtomicInteger runs = new AtomicInteger();
    assertThat(sweep(point -> {
      runs.incrementAndGet();
      return EchoRunner.results(point);
    }).exitCode()).isZero();
    assertThat(runs).hasValue(0);
  }

  @Test
  void shouldNameTheLineWhenAFinishedPointIsDamaged() throws IOException {
    sweep(new EchoRunner());
    List<String> lines = new ArrayList<>(lines());
    lines.set(3, lines.get(3).substring(0, 40));
    Files.write(out.resolve(PointStore.FILE), lines);
    Cli cli = sweep(new EchoRunner());
    assertThat(cli.exitCode()).isEqualTo(2);
    assertThat(cli.err()).contains("points.jsonl:4: is damaged");
  }

  @Test
  @Timeout(60)
  void shouldRefuseWhenAnotherSweepWritesToTheFolder() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    Thread first = new Thread(() -> sweep(point -> {
      begun.countDown();
      try {
        release.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return EchoRunner.results(point);
    }));
    first.start();
    begun.await();
    Cli cli = sweep(new EchoRunner());
    release.countDown();
    first.join();
    assertThat(cli.exitCode()).isEqualTo(2);
    assertThat(cli.err()).contains("another sweep");
    requireCompleteAndInOrder();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7})
  void shouldGiveTheSameResultsWhateverTheThreads(int threads) throws IOException {
    assertThat(sweep(new EchoRunner(), "--threads", String.valueOf(threads)).exitCode()).isZero();
    requireCompleteAndInOrder();
  }

  private static Stream<RuntimeException> refusals() {
    return Stream.of(
        new SimulationException("deadlock: a waits for b"), new InvalidSettingException("", "deadlock: a waits for b"),
        new ScenarioException(List.of(new Problem("deadlock", 3, "a", "waits for b"))));
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void shouldKeepTheOthersAndSayWhyWhenAPointCannotBeCarriedOut(RuntimeException refusal) throws IOException {
    Cli cli = sweep(point -> {
      if (((IdleWorkloadProvider.Idle) point.workload()).settings().variant() == 7) {
        throw refusal;
      }
      return EchoRunner.results(point);
    });
    assertThat(cli.exitCode()).isEqualTo(2);
    assertThat(cli.err()).contains("1 of the points cannot be carried out: " + refusal.getMessage());
    JsonNode failed = new ObjectMapper().readTree(out.resolve("results.json").toFile()).path("failed");
    assertThat(failed).hasSize(1);
    assertThat(failed.at("/0/parameters/workload.variant").asText()).isEqualTo("7");
    assertThat(failed.at("/0/reason").asText()).isEqualTo(refusal.getMessage());
    assertThat(out.resolve("report.html")).content().contains("Failed points");
    assertThat(results().points()).hasSize(POINTS - 1);
    assertThat(sweep(new EchoRunner()).exitCode()).isZero();
    requireCompleteAndInOrder();
  }

  @Test
  void shouldStopWithOurExitCodeWhenAPointFailsByABug() {
    Cli cli = sweep(point -> {
      throw new IllegalStateException("negative credits");
    });
    assertThat(cli.exitCode()).isEqualTo(70);
    assertThat(cli.err()).contains("negative credits");
  }
}
