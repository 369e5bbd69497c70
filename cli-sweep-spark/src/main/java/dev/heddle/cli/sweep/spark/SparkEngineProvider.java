package dev.heddle.cli.sweep.spark;

import dev.heddle.cli.ShellWords;
import dev.heddle.cli.SweepEngine;
import dev.heddle.cli.SweepEngineProvider;
import dev.heddle.cli.SweepJob;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Provides an engine that submits one application to Apache Spark by {@code spark-submit}, in client mode, with one
 * task for each worker. Each task runs its worker as a process of the executor's machine, which must see folder,
 * scenario and program under the same paths; Spark runs tasks of killed executors again on others.
 */
@Plugin(id = "spark", description = "An application of Apache Spark, one task for each worker")
public final class SparkEngineProvider implements SweepEngineProvider<SparkEngineProvider.Settings> {
  /** Log of the application in the sweep's folder. */
  static final String LOG = "spark.log";

  /**
   * The application.
   *
   * @param master URL of the cluster
   * @param memory for each worker process
   * @param submit program that submits and follows the application
   * @param options of spark-submit
   */
  public record Settings(
      @Setting("URL of the cluster, such as spark://host:7077, yarn or local-cluster[3,1,1024]; without it, that of"
          + " Spark's configuration") Optional<String> master,
      @Setting("memory of an executor beside its own, for its worker's process, such as 4g; YARN and Kubernetes hold"
          + " executors to it; without it, Spark's default") Optional<String> memory,
      @Setting(value = "program that submits the application", def = "spark-submit") String submit,
      @Setting("more options of spark-submit, such as --queue=low") List<String> options) {}

  @Override
  public SweepEngine create(Settings settings) {
    for (String option : settings.options()) {
      if (!option.matches("--[a-z-]+=[^\n]+")) {
        throw new InvalidSettingException("options",
            "'" + option + "' is no option of spark-submit with its value, such as --queue=low");
      }
    }
    return new SparkEngine(settings);
  }

  /** The jar of this class, which Spark sends to executors. */
  static Path jar() {
    try {
      return Path.of(SparkEngineProvider.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException("the jar of the engine for Spark has no path", e);
    }
  }

  private record SparkEngine(Settings settings) implements SweepEngine {
    @Override
    public Optional<String> manifest(SweepJob job) {
      return Optional.of(ShellWords.quoted(command(job)) + "\n");
    }

    private List<String> command(SweepJob job) {
      List<String> command = new ArrayList<>(List.of(settings.submit()));
      settings.master().ifPresent(master -> command.addAll(List.of("--master", master)));
      command.addAll(List.of("--deploy-mode", "client", "--name", "heddle-" + job.name()));
      conf(command, "spark.task.cpus", "" + job.threads());
      conf(command, "spark.executor.cores", "" + job.threads());
      // Workers that are through run points of stragglers themselves; a second one of the same shard would be refused.
      conf(command, "spark.speculation", "false");
      conf(command, "spark.task.maxFailures", "" + SparkWorkers.MOST_FAILURES);
      conf(command, "spark.ui.enabled", "false");
      settings.memory().ifPresent(memory -> conf(command, "spark.executor.memoryOverhead", memory));
      command.addAll(settings.options());
      command.addAll(List.of("--class", SparkWorkers.class.getName(), jar().toString()));
      command.addAll(SparkWorkers.arguments(job.workers(), job.folder(), job.program(), job.arguments()));
      return command;
    }

    private static void conf(List<String> command, String key, String value) {
      command.addAll(List.of("--conf", key + "=" + value));
    }

    @Override
    public Workers start(SweepJob job) {
      File log = job.folder().resolve(LOG).toFile();
      try {
        return new SparkApplication(
            new ProcessBuilder(command(job)).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log)).start());
      } catch (IOException e) {
        throw new InvalidSettingException("",
            "--engine: " + settings.submit() + " is not installed here, or not on the path (" + e.getMessage()
                + "); --manifest prints the command to submit by hand");
      }
    }
  }

  /** The driver, a process of this machine: executors and their workers end with it. */
  private record SparkApplication(Process driver) implements SweepEngine.Workers {
    private static final long GRACE_SECONDS = 10;

    @Override
    public String name() {
      return "Spark's application of process " + driver.pid();
    }

    @Override
    public boolean running() {
      return driver.isAlive();
    }

    @Override
    public void cancel() {
      List<ProcessHandle> all = new ArrayList<>(driver.descendants().toList());
      driver.destroy();
      try {
        if (!driver.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)) {
          driver.destroyForcibly();
        }
      } catch (InterruptedException e) {
        driver.destroyForcibly();
        Thread.currentThread().interrupt();
      }
      all.forEach(ProcessHandle::destroyForcibly);
    }
  }
}
