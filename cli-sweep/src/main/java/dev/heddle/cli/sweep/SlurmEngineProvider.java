package dev.heddle.cli.sweep;

import dev.heddle.cli.SweepEngine;
import dev.heddle.cli.SweepEngineProvider;
import dev.heddle.cli.SweepJob;
import dev.heddle.spi.InvalidSettingException;
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
    for (String option : settings.options()) {
      if (!option.startsWith("-") || option.contains("\n")) {
        throw new InvalidSettingException("options", "'" + option + "' is no option of sbatch, such as --qos=low");
      }
    }
    return new SlurmEngine(settings);
  }

  private record SlurmEngine(Settings settings) implements SweepEngine {
    @Override
    public Optional<String> manifest(SweepJob job) {
      StringBuilder script = new StringBuilder("#!/bin/sh\n");
      option(script, "--job-name=heddle-" + job.name());
      option(script, "--array=1-" + job.workers() + settings.atOnce().map(tasks -> "%" + tasks).orElse(""));
      option(script, "--ntasks=1");
      option(script, "--cpus-per-task=" + job.threads());
      option(script, "--output=" + job.folder().resolve("slurm-%A-%a.log"));
      option(script, "--requeue");
      option(script, "--open-mode=append");
      settings.partition().ifPresent(partition -> option(script, "--partition=" + partition));
      settings.account().ifPresent(account -> option(script, "--account=" + account));
      settings.time().ifPresent(time -> option(script, "--time=" + time));
      settings.memory().ifPresent(memory -> option(script, "--mem=" + memory));
      settings.options().forEach(option -> option(script, option));
      List<String> words = new ArrayList<>(job.program());
      words.addAll(job.arguments());
      return Optional.of(script + "exec " + job.shell(words, "$SLURM_ARRAY_TASK_ID") + "\n");
    }

    /** A line of the script that sbatch reads; quoted where it has blanks, as sbatch splits lines at them. */
    private static void option(StringBuilder script, String option) {
      script.append("#SBATCH ").append(option.contains(" ") ? "\"" + option + "\"" : option).append('\n');
    }

    @Override
    public Workers start(SweepJob job) {
      String output = ExternalCommand.require(List.of("sbatch", "--parsable"), manifest(job).orElseThrow());
      // "ID", or "ID;CLUSTER" of a federation; sbatch may warn on lines before.
      String last = output.substring(output.lastIndexOf('\n') + 1);
      String id = last.contains(";") ? last.substring(0, last.indexOf(';')) : last;
      if (!id.matches("\\d+")) {
        throw new InvalidSettingException("", "--engine slurm: sbatch gave no job id but '" + output + "'");
      }
      return new SlurmWorkers(id);
    }
  }

  private static final class SlurmWorkers extends FollowedJob {
    private final String id;

    SlurmWorkers(String id) {
      super("slurm");
      this.id = id;
    }

    @Override
    public String name() {
      return "Slurm's job " + id;
    }

    @Override
    List<String> question() {
      return List.of("squeue", "--noheader", "--array", "--format=%T", "--jobs=" + id);
    }

    @Override
    boolean runs(String answer) {
      return !answer.isEmpty();
    }

    // The controller forgets jobs some minutes after their end.
    @Override
    boolean forgotten(String failure) {
      return failure.contains("Invalid job id");
    }

    @Override
    public void cancel() {
      ExternalCommand.call(List.of("scancel", "--quiet", id), "");
    }
  }
}
