package dev.heddle.cli.sweep;

import dev.heddle.batch.SlurmJob;
import dev.heddle.batch.SlurmScript;
import dev.heddle.cli.SweepEngine;
import dev.heddle.cli.SweepEngineProvider;
import dev.heddle.cli.SweepJob;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Provides an engine that submits one job array to Slurm by {@code sbatch} and follows it by {@code squeue}, both as
 * documented in the manual pages of Slurm 22.05. Folder and scenario must be on a file system that the nodes share.
 */
@Plugin(id = "slurm", description = "A job array of Slurm, one task for each worker")
public final class SlurmEngineProvider implements SweepEngineProvider<SlurmEngineProvider.Settings> {
  /**
   * The resources of each task.
   *
   * @param partition of the cluster
   * @param account that is charged
   * @param time limit of a task, as sbatch writes it
   * @param memory of a task, as sbatch writes it
   * @param atOnce tasks that run at once
   * @param options of sbatch
   */
  public record Settings(
      @Setting("partition; without it, the cluster's default") Optional<String> partition,
      @Setting("account that is charged; without it, the user's default") Optional<String> account,
      @Setting("time limit of a task, such as 04:00:00; without it, the partition's") Optional<String> time,
      @Setting("memory of a task, such as 8G; without it, the cluster's default") Optional<String> memory,
      @Setting(value = "tasks that run at once; without it, all", min = "1") Optional<Integer> atOnce,
      @Setting("more options of sbatch, such as --qos=low") List<String> options) {}

  @Override
  public SweepEngine create(Settings settings) {
    return new SlurmEngine(settings, new SlurmScript.Resources(
        settings.partition(), settings.account(), settings.time(), settings.memory(), settings.options()));
  }

  private record SlurmEngine(Settings settings, SlurmScript.Resources resources) implements SweepEngine {
    @Override
    public Optional<String> manifest(SweepJob job) {
      List<String> words = new ArrayList<>(job.program());
      words.addAll(job.arguments());
      return Optional.of(new SlurmScript()
          .option("--job-name=heddle-" + job.name())
          .option("--array=1-" + job.workers() + settings.atOnce().map(tasks -> "%" + tasks).orElse(""))
          .option("--ntasks=1")
          .option("--cpus-per-task=" + job.threads())
          .option("--output=" + job.folder().resolve("slurm-%A-%a.log"))
          .option("--requeue")
          .option("--open-mode=append")
          .resources(resources)
          .running("exec " + job.shell(words, "$SLURM_ARRAY_TASK_ID")));
    }

    @Override
    public Workers start(SweepJob job) {
      return new BatchWorkers(SlurmJob.submit(manifest(job).orElseThrow()));
    }
  }
}
