package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sweeps by an engine: points, messages, and options that do not go together. */
class SweepEngineTest {
  private static final int POINTS = 20;

  @TempDir
  private Path folder;
  private Path scenario;
  private Path out;

  @BeforeEach
  void writeScenario() throws IOException {
    scenario = Files.writeString(folder.resolve("tiny.yaml"), Cli.sweep(POINTS));
    out = folder.resolve("out");
  }

  private Cli sweep(String... more) {
    return Cli.sweep(new EchoRunner(), scenario, out, more);
  }

  private void requireRefused(String message, String... more) {
    Cli cli = sweep(more);
    assertThat(cli.exitCode()).isEqualTo(2);
    assertThat(cli.err()).contains(message);
    assertThat(out).doesNotExist();
  }

  @Test
  @Timeout(60)
  void shouldEqualOneProcessWhenAnEngineStartsWorkers() throws IOException {
    Cli cli = sweep("--engine", "echo", "--workers", "3");
    assertThat(cli.exitCode()).as(cli.err()).isZero();
    assertThat(cli.out()).contains("value by variant");
    Path whole = folder.resolve("whole");
    assertThat(Cli.sweep(new EchoRunner(), scenario, whole).exitCode()).isZero();
    for (String name : List.of("results.json", "results.csv", "links.csv", "report.html")) {
      assertThat(Files.readAllBytes(out.resolve(name))).as(name).isEqualTo(Files.readAllBytes(whole.resolve(name)));
    }
    assertThat(out.resolve("shards")).isEmptyDirectory();
  }

  @Test
  @Timeout(60)
  void shouldGiveUpAndSayWhatIsLeftWhenWorkersFinishNothing() {
    Cli cli = sweep("--engine", "{type: echo, idle: true}", "--workers", "3");
    assertThat(cli.exitCode()).isEqualTo(2);
    assertThat(cli.err()).contains("all workers ended, and 20 of 20 points are left");
    assertThat(sweep("--engine", "echo", "--workers", "2").exitCode()).isZero();
  }

  @Test
  void shouldPrintTheManifestAndRunNothing() {
    Cli cli = sweep("--engine", "echo", "--workers", "3", "--threads", "2", "--set", "seed=7", "--manifest");
    assertThat(cli.exitCode()).as(cli.err()).isZero();
    assertThat(cli.out()).isEqualTo("sweep " + scenario + " --set seed=7 --out " + out
        + " --threads 2 --quiet --shard \"$I/3\"\n");
    assertThat(out).doesNotExist();
    requireRefused("this engine starts workers by itself", "--engine", "{type: echo, idle: true}", "--workers", "3",
        "--manifest");
  }

  @Test
  void shouldSuggestTheEngineWhenItsNameIsMisspelt() {
    requireRefused("--engine ecko: there is no such engine; write one of echo; did you mean 'echo'?", "--engine",
        "ecko", "--workers", "3");
    requireRefused("did you mean 'idle'?", "--engine", "{type: echo, idel: true}", "--workers", "3");
  }

  @Test
  void shouldRefuseOptionsThatDoNotGoTogether() {
    requireRefused("--workers: is missing", "--engine", "echo");
    requireRefused("--workers 0: must be from 1 to 100000", "--engine", "echo", "--workers", "0");
    requireRefused("--workers: needs an --engine; there are echo", "--workers", "3");
    requireRefused("--manifest: needs an --engine", "--manifest");
    requireRefused("--shard: is for one worker", "--engine", "echo", "--workers", "3", "--shard", "1/3");
  }
}
