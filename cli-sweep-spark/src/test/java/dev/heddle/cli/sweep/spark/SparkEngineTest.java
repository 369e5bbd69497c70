package dev.heddle.cli.sweep.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.cli.SweepEngine;
import dev.heddle.cli.SweepJob;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.testkit.contract.SweepEngineContract;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sweeps on Spark's local cluster: a master, three workers, and an executor process on each. */
class SparkEngineTest extends SweepEngineContract {
  @TempDir
  private Path bin;

  @Override
  protected String engine() {
    try {
      return "{type: spark, master: \"local-cluster[3,1,1024]\", submit: " + SparkHome.submit(bin) + "}";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The process of the worker at first, and the executor that started it the second time. */
  @Override
  protected ProcessHandle victim(ProcessHandle worker, int kill) {
    return kill == 0 ? worker : worker.parent().orElseThrow();
  }

  private static SweepEngine engine(Optional<String> master, String submit) {
    return new SparkEngineProvider().create(
        new SparkEngineProvider.Settings(master, Optional.of("4g"), submit, List.of("--queue=low")));
  }

  private SweepJob job(Path program) {
    return new SweepJob("My study", 2, 1, bin, List.of(program.toString()), List.of("a b.yaml", "it's"));
  }

  @Test
  void shouldPrintTheCommandThatSparkTakes() {
    String manifest = engine(Optional.of("spark://host:7077"), "spark-submit").manifest(job(Path.of("/opt/heddle")))
        .orElseThrow();
    assertThat(manifest).startsWith("spark-submit --master spark://host:7077 --deploy-mode client --name"
        + " 'heddle-My study' --conf spark.task.cpus=1 ")
        .contains(" --conf spark.executor.memoryOverhead=4g --queue=low --class " + SparkWorkers.class.getName() + " ")
        .endsWith(" 2 " + Path.of("").toAbsolutePath() + " " + bin
            + " /opt/heddle -Dheddle.ends-with-input=true 'a b.yaml' 'it'\\''s'\n");
  }

  @Test
  void shouldRefuseOptionsAndMissingPrograms() {
    assertThatThrownBy(() -> new SparkEngineProvider().create(
        new SparkEngineProvider.Settings(Optional.empty(), Optional.empty(), "spark-submit", List.of("queue=low"))))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("is no option of spark-submit");
    assertThatThrownBy(() -> engine(Optional.empty(), "heddle-no-such-program").start(job(bin)))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("heddle-no-such-program is not installed");
  }

  @Test
  @Timeout(120)
  void shouldEndWorkersAndExecutorsWhenCancelled() throws Exception {
    Path program = Files.writeString(bin.resolve("program"), "#!/bin/sh\necho $$ >>'" + bin + "/pids'\nexec cat\n");
    assertThat(program.toFile().setExecutable(true)).isTrue();
    Path pids = bin.resolve("pids");
    SweepEngine engine = new SparkEngineProvider().create(
        new SparkEngineProvider.Settings(Optional.of("local-cluster[2,1,1024]"), Optional.empty(),
            SparkHome.submit(bin).toString(), List.of()));
    SweepEngine.Workers workers = engine.start(job(program));
    while (!Files.exists(pids) || Files.readAllLines(pids).size() < 2) {
      assertThat(workers.running()).as(Files.readString(bin.resolve(SparkEngineProvider.LOG))).isTrue();
      TimeUnit.MILLISECONDS.sleep(50);
    }
    workers.cancel();
    assertThat(workers.running()).isFalse();
    for (String pid : Files.readAllLines(pids)) {
      Optional<ProcessHandle> left = ProcessHandle.of(Long.parseLong(pid));
      if (left.isPresent()) {
        left.get().onExit().get(10, TimeUnit.SECONDS);
      }
    }
    workers.cancel();
  }
}
