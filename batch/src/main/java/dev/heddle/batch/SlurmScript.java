package dev.heddle.batch;

import dev.heddle.spi.InvalidSettingException;
import java.util.List;
import java.util.Optional;

/** A batch script for {@code sbatch}, as documented in the manual page of Slurm 22.05. */
public final class SlurmScript {
  private final StringBuilder text = new StringBuilder("#!/bin/sh\n");

  /**
   * The resources that a user chooses.
   *
   * @param partition of the cluster
   * @param account that is charged
   * @param time limit
   * @param memory of a task
   * @param options of sbatch
   */
  public record Resources(
      Optional<String> partition, Optional<String> account, Optional<String> time, Optional<String> memory,
      List<String> options) {
    /**
     * Checks the options.
     *
     * @throws InvalidSettingException when one is none
     */
    public Resources {
      for (String option : options) {
        if (!option.startsWith("-") || option.contains("\n")) {
          throw new InvalidSettingException("options", "'" + option + "' is no option of sbatch, such as --qos=low");
        }
      }
    }
  }

  /** Adds an option; quoted where it has blanks, as sbatch splits lines at them. */
  public SlurmScript option(String option) {
    text.append("#SBATCH ").append(option.contains(" ") ? "\"" + option + "\"" : option).append('\n');
    return this;
  }

  /** Adds what a user chose. */
  public SlurmScript resources(Resources resources) {
    resources.partition().ifPresent(partition -> option("--partition=" + partition));
    resources.account().ifPresent(account -> option("--account=" + account));
    resources.time().ifPresent(time -> option("--time=" + time));
    resources.memory().ifPresent(memory -> option("--mem=" + memory));
    resources.options().forEach(this::option);
    return this;
  }

  /** The script that runs a shell's command. */
  public String running(String command) {
    return text + command + "\n";
  }
}
