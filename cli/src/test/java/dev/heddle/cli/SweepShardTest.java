package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.sim.SimulationException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Workers that share a folder: each point is finished by someone, and results equal those of one process. */
class SweepShardTest {
  private static final int POINTS = 60;

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

  /** The files of results of a sweep in one process; their only times are zero, as the stand-in takes none. */
  private void requireTheResultsOfOneProcess() throws IOException {
    Path whole = folder.resolve("whole");
    assertThat(Cli.sweep(new EchoRunner(), scenario, whole).exitCode()).isZero();
    for (String name : List.of("results.json", "results.csv", "links.csv", "report.html")) {
      assertThat(Files.readAllBytes(out.resolve(name))).as(name).isEqualTo(Files.readAllBytes(whole.resolve(name)));
    }
  }

  @Test
  void shouldShareThePointsAndJoinThemWhenEachShardRuns() throws IOException {
    Cli first = sweep(new EchoRunner(), "--shard", "1/1");
    assertThat(first.exitCode()).isZero();
    assertThat(first.err()).contains("shard 1/1: settled 60 points, of which 0 of other shards")
        .contains("all points are settled");
    requireTheResultsOfOneProcess();
  }

  @Test
  void shouldRunThePointsOfWorkersThatNeverStarted() throws IOException {
    Cli only = sweep(new EchoRunner(), "--shard", "2/3");
    assertThat(only.exitCode()).isZero();
    assertThat(only.err()).contains("settled 60 points, of which 40 of other shards");
    assertThat(Files.readAllLines(out.resolve("shards/2-of-3.jsonl"))).hasSize(POINTS + 1);
    requireTheResultsOfOneProcess();
    AtomicInteger runs = new AtomicInteger();
    Cli later = sweep(point -> {
      runs.incrementAndGet();
      return EchoRunner.results(point);
    });
    assertThat(later.exitCode()).isZero();
    assertThat(runs).hasValue(0);
    assertThat(out.resolve("shards/2-of-3.jsonl")).doesNotExist();
    requireTheResultsOfOneProcess();
  }

  @ParameterizedTest
  @ValueSource(longs = 11)
  @Timeout(120)
  void shouldLoseNoPointWhenTwoOfThreeWorkersAreKilled(long seed) throws Exception {
    Random random = new Random(seed);
    List<Process> workers = new ArrayList<>();
    for (int i = 1; i <= 3; i++) {
      workers.add(worker(i));
    }
    for (int killed = 0; killed < 2; killed++) {
      begin(workers.get(killed), 1 + random.nextInt(12));
      workers.get(killed).destroyForcibly();
      workers.get(killed).waitFor();
    }
    List<String> before = new ArrayList<>();
    for (int i = 1; i <= 2; i++) {
      String text = Files.readString(out.resolve("shards/" + i + "-of-3.jsonl"));
      before.addAll(text.substring(0, text.lastIndexOf('\n') + 1).lines().toList());
    }
    begin(workers.get(2), 3 * POINTS);
    assertThat(workers.get(2).waitFor()).as("seed %s", seed).isZero();
    assertThat(Files.readAllLines(out.resolve(PointStore.FILE))).as("seed %s: finished points", seed)
        .containsAll(before)
        .hasSize(POINTS + 1).doesNotHaveDuplicates();
    requireTheResultsOfOneProcess();
  }

  private Process worker(int index) throws IOException {
    return new ProcessBuilder(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
        "-cp", System.getProperty("java.class.path"), KillableSweep.class.getName(),
        folder.resolve("journal-" + index).toString(), "sweep", scenario.toString(), "--out", out.toString(),
        "--threads", "1", "--quiet", "--shard", index + "/3").redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  /** Lets a worker begin a number of points, and waits until it has, or has ended. */
  private static void begin(Process worker, int points) throws IOException {
    OutputStream permits = worker.getOutputStream();
    permits.write(new byte[points]);
    permits.flush();
    BufferedReader begun =
        new BufferedReader(new InputStreamReader(worker.getInputStream(), StandardCharsets.UTF_8));
    for (int i = 0; i < points && begun.readLine() != null; i++) {
      continue;
    }
  }

  @Test
  @Timeout(120)
  void shouldRunAStragglersPointElsewhereAndNotWaitForIt() throws Exception {
    Process slow = worker(1);
    // The first worker has begun a point when it has taken its permit, and then waits for the next without end.
    begin(slow, 1);
    Cli fast = sweep(new EchoRunner(), "--shard", "2/3");
    assertThat(fast.exitCode()).isZero();
    assertThat(slow.waitFor()).as("the straggler ends, as nothing is left for it").isZero();
    requireTheResultsOfOneProcess();
  }

  @Test
  void shouldTellAllWorkersOnceWhenAPointCannotBeCarriedOut() throws IOException {
    AtomicInteger tries = new AtomicInteger();
    PointRunner failing = point -> {
      if (((IdleWorkloadProvider.Idle) point.workload()).settings().variant() == 7) {
        tries.incrementAndGet();
        throw new SimulationException("deadlock: a waits for b");
      }
      return EchoRunner.results(point);
    };
    assertThat(sweep(failing, "--shard", "1/2").exitCode()).isZero();
    assertThat(sweep(failing, "--shard", "2/2").exitCode()).isZero();
    assertThat(tries).hasValue(1);
    Cli whole = sweep(failing);
    assertThat(whole.exitCode()).isEqualTo(2);
    assertThat(whole.err()).contains("1 of the points cannot be carried out: deadlock: a waits for b");
  }

  @Test
  void shouldLeavePointsThatRunOutOfMemoryToWorkersWithMore() throws IOException {
    PointRunner small = point -> {
      if (((IdleWorkloadProvider.Idle) point.workload()).settings().variant() == 3) {
        throw new OutOfMemoryError("Java heap space");
      }
      return EchoRunner.results(point);
    };
    Cli cli = sweep(small, "--shard", "1/2", "--threads", "2");
    assertThat(cli.exitCode()).isEqualTo(2);
    assertThat(cli.err()).contains("1 points ran out of memory");
    assertThat(sweep(new EchoRunner(), "--shard", "2/2").exitCode()).isZero();
    requireTheResultsOfOneProcess();
  }

  @Test
  void shouldRefuseAWorkerWhoseShardOrScenarioIsAnothers() throws Exception {
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
    }, "--shard", "1/2"));
    first.start();
    begun.await();
    Cli second = sweep(new EchoRunner(), "--shard", "1/2");
    release.countDown();
    first.join();
    assertThat(second.exitCode()).isEqualTo(2);
    assertThat(second.err()).contains("1-of-2.jsonl: another sweep is writing to it");
    Files.writeString(scenario, Cli.sweep(POINTS).replace("accelerator: 3", "accelerator: 4"));
    Cli other = sweep(new EchoRunner(), "--shard", "2/2");
    assertThat(other.exitCode()).isEqualTo(2);
    assertThat(other.err()).contains("1-of-2.jsonl: holds the points of a different content of this scenario");
    assertThat(sweep(new EchoRunner(), "--fresh").exitCode()).isZero();
    requireTheResultsOfOneProcess();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0/3", "4/3", "3", "a/b", "1/0", "1/1000000", "-1/3", ""})
  void shouldRefuseShardsThatThereAreNot(String shard) {
    Cli cli = sweep(new EchoRunner(), "--shard=" + shard);
    assertThat(cli.exitCode()).isEqualTo(2);
    assertThat(cli.err()).contains("--shard " + shard + ": write I/N");
    assertThat(out).doesNotExist();
  }

  @Test
  void shouldRefuseToDropOtherWorkersPoints() {
    Cli cli = sweep(new EchoRunner(), "--shard", "1/2", "--fresh");
    assertThat(cli.exitCode()).isEqualTo(2);
    assertThat(cli.err()).contains("--fresh: would drop the points of other workers");
  }
}
