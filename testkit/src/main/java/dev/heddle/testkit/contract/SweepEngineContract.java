package dev.heddle.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.testkit.fixture.Seeds;
import dev.heddle.units.RandomStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The engines for sweeps that survive the death of workers: a sweep of simulations on three workers, of which two are
 * killed by SIGKILL, each at a random number of points, must give the results of one process. {@code
 * -Dheddle.sweep.points=10000} makes the sweep longer, {@code -Dheddle.test.seed} kills at other points.
 *
 * <p>The command line is started from the class path of the test, which must hold the module {@code cli}.
 */
public abstract class SweepEngineContract {
  private static final int WORKERS = 3;
  private static final int POINTS = Integer.getInteger("heddle.sweep.points", 100);
  // Few points take long enough that no worker ends before it is killed.
  private static final int LEAST_KIB = POINTS <= 1000 ? 32_768 : 0;
  private static final long SEED = Seeds.fixed();

  @TempDir
  private Path folder;

  /** The value of {@code --engine}. */
  protected abstract String engine();

  /**
   * The process to kill for a worker: its own unless overridden.
   *
   * @param worker process of the worker
   * @param kill number of the kill, from 0
   */
  protected ProcessHandle victim(ProcessHandle worker, int kill) {
    return worker;
  }

  @Test
  @Timeout(3600)
  void shouldEqualOneProcessWhenTwoOfThreeWorkersAreKilled() throws Exception {
    requireEqualResults(engine());
  }

  private void requireEqualResults(String engine) throws Exception {
    Path scenario = Files.writeString(folder.resolve("many.yaml"), String.format(Locale.ROOT, """
        name: many
        description: for tests
        cluster:
          tiers:
            - name: node
              terminals: {accelerator: 4}
              topology: {type: star, link: {type: generic, rate: 100 Gb/s, latency: 1 us}}
        collectives: ring
        workload: {type: collective, op: all_reduce, size: 64 KiB}
        sweep:
          workload.size: {from: %2$s KiB, to: %3$s KiB, steps: %1$s}
          cluster.tiers.node.topology.link.latency: {from: 100 ns, to: 2000 ns, steps: 20}
        """, POINTS / 20, LEAST_KIB + 1, LEAST_KIB + POINTS / 20));
    Path shared = folder.resolve("shared");
    Process sweep = heddle(scenario, shared, "--engine", engine, "--workers", "" + WORKERS);
    kill(sweep, shared);
    assertThat(sweep.waitFor()).as("seed %s: %s", SEED, Files.readString(folder.resolve("shared.log"))).isZero();
    assertThat(shared.resolve("shards")).isEmptyDirectory();
    Path whole = folder.resolve("whole");
    assertThat(heddle(scenario, whole).waitFor()).isZero();
    assertThat(lines(shared.resolve("points.jsonl"))).hasSize(1 + POINTS).doesNotHaveDuplicates();
    for (String name : List.of("results.csv", "links.csv")) {
      assertThat(Files.readAllBytes(shared.resolve(name))).as("seed %s: %s", SEED, name)
          .isEqualTo(Files.readAllBytes(whole.resolve(name)));
    }
    assertThat(timeless(shared)).as("seed %s", SEED).isEqualTo(timeless(whole));
  }

  /** Kills two workers, each when it has finished a random part of its shard; each must have run by then. */
  private void kill(Process sweep, Path shared) throws Exception {
    RandomStream random = RandomStream.of(SEED, "workers", "kills");
    int first = random.nextInt(WORKERS);
    Map<Integer, Integer> parts = new TreeMap<>();
    for (int kill = 0; kill < 2; kill++) {
      parts.put(1 + (first + kill) % WORKERS, POINTS / WORKERS * random.nextInt(20) / 100);
    }
    while (!parts.isEmpty()) {
      assertThat(sweep.isAlive()).as("seed %s: the sweep runs while workers %s are to be killed", SEED, parts).isTrue();
      for (int victim : List.copyOf(parts.keySet())) {
        Path file = shared.resolve("shards").resolve(victim + "-of-3.jsonl");
        if (Files.exists(file) && lines(file).size() > parts.getOrDefault(victim, 0)) {
          kill(shared, victim, 2 - parts.size());
          parts.remove(victim);
        }
      }
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  private void kill(Path shared, int victim, int kill) {
    List<ProcessHandle> found = worker(shared, victim);
    assertThat(found).as("seed %s: worker %s", SEED, victim).isNotEmpty();
    for (ProcessHandle worker : found) {
      victim(worker, kill).destroyForcibly();
    }
  }

  private static List<ProcessHandle> worker(Path shared, int worker) {
    return ProcessHandle.allProcesses().filter(process -> {
      String command = commandLine(process);
      return command.contains(shared.toString()) && command.contains("\0" + worker + "/" + WORKERS);
    }).toList();
  }

  // The JDK reads a page of a command line on Linux, less than a class path may take.
  private static String commandLine(ProcessHandle process) {
    try {
      return Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return String.join("\0", process.info().arguments().orElse(new String[0]));
    }
  }

  private Process heddle(Path scenario, Path out, String... more) throws IOException {
    List<String> command = new ArrayList<>(
        List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), "dev.heddle.cli.Main", "sweep",
            scenario.toString(), "--out", out.toString(), "--quiet"));
    Collections.addAll(command, more);
    return new ProcessBuilder(command).redirectErrorStream(true)
        .redirectOutput(folder.resolve(out.getFileName() + ".log").toFile()).start();
  }

  private static List<String> lines(Path file) throws IOException {
    String text = Files.readString(file);
    return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
  }

  /** The JSON results without the times that points took. */
  private static String timeless(Path out) throws IOException {
    String text = Files.readString(out.resolve("results.json"));
    String without = text.replaceAll("\"wallNanos\" ?: ?\\d+", "");
    assertThat(without.length()).as("times of the run are in the file").isLessThan(text.length());
    return without;
  }
}
