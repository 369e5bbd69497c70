package dev.heddle.service;

import dev.heddle.batch.BatchJob;
import dev.heddle.batch.SlurmJob;
import dev.heddle.batch.SlurmScript;
import dev.heddle.cli.ShellWords;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Provides a runner that submits a job to Slurm for each task. Data folder, inputs and Heddle must be on a file system
 * that the nodes share.
 */
@Plugin(id = "slurm", description = "A job of Slurm for each task")
public final class SlurmTaskRunnerProvider implements TaskRunnerProvider<SlurmTaskRunnerProvider.Settings> {
  /**
   * The resources of a task.
   *
   * @param partition of the cluster
   * @param account that is charged
   * @param time limit of a task, as sbatch writes it
   * @param memory of a task, as sbatch writes it
   * @param options of sbatch
   */
  public record Settings(
      @Setting("partition; without it, the cluster's default") Optional<String> partition,
      @Setting("account that is charged; without it, the user's default") Optional<String> account,
      @Setting("time limit of a task, such as 04:00:00; without it, the partition's") Optional<String> time,
      @Setting("memory of a task, such as 8G; without it, the cluster's default") Optional<String> memory,
      @Setting("more options of sbatch, such as --qos=low") List<String> options) {}

  @Override
  public TaskRunner create(Settings settings) {
    return new BatchTaskRunner(new Slurm(new SlurmScript.Resources(
        settings.partition(), settings.account(), settings.time(), settings.memory(), settings.options())));
  }

  private record Slurm(SlurmScript.Resources resources) implements BatchTaskRunner.BatchSystem {
    @Override
    public String id() {
      return "slurm";
    }

    @Override
    public BatchJob submit(TaskRunner.Command command) {
      List<String> words = new ArrayList<>(List.of("env", "-i"));
      command.launch().environment().forEach((name, value) -> words.add(name + "=" + value));
      words.addAll(command.words(List.of()));
      return SlurmJob.submit(new SlurmScript()
          .option("--job-name=heddle-" + command.folder().getFileName())
          .option("--ntasks=1")
          .option("--cpus-per-task=1")
          .option("--output=" + command.folder().resolve("slurm.log"))
          .option("--requeue")
          .resources(resources)
          .running(BatchTaskRunner.shell(command, ShellWords.quoted(words))));
    }

    @Override
    public BatchJob find(String id) {
      return new SlurmJob(id);
    }
  }
}
