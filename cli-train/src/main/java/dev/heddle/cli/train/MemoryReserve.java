package dev.heddle.cli.train;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.training.TrainingSearch;
import dev.heddle.workload.megatron.job.Training;
import picocli.CommandLine.Option;

/** Option for the memory that a search leaves free. */
final class MemoryReserve {
  @Option(
      names = "--memory-reserve",
      paramLabel = "PERCENT",
      description = "Memory that is kept free for the context, NCCL's buffers and fragments (default: 10).")
  private double reserve = 10;

  /** Refuses a reserve that leaves nothing, or is negative. */
  void check() {
    if (!(reserve >= 0 && reserve < 100)) {
      throw new InvalidSettingException("", "--memory-reserve " + reserve + ": must be at least 0 and below 100");
    }
  }

  /** Estimates of all divisions of a job that leave the reserve free. */
  TrainingSearch.Outcome search(Machine machine, Training base) {
    return new TrainingSearch(machine.cluster(), machine.algorithm(), 1 - reserve / 100).search(base);
  }

  /** The refusal of a job of which no division fits. */
  String refusal(Machine machine, TrainingSearch.Outcome outcome) {
    if (outcome.tooLarge() == 0 && outcome.refusal().isPresent()) {
      return "no way to cut the job is possible: " + outcome.refusal().get();
    }
    return "nothing fits: " + outcome.tried() + " ways to cut the job were tried, " + outcome.tooLarge()
        + " of them need more memory than " + machine.accelerator().name() + " has, " + machine.accelerator().memory()
        + " less the reserve of " + reserve + " %";
  }
}
