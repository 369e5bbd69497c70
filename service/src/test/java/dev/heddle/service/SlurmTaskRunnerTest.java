package dev.heddle.service;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tasks on a real Slurm; {@code cli-sweep/slurm-test.sh} starts a controller. */
@EnabledIfSystemProperty(named = "heddle.slurm", matches = "true")
class SlurmTaskRunnerTest extends TaskRunnerContract {
  @Override
  TaskRunner runner() {
    return new SlurmTaskRunnerProvider().create(new SlurmTaskRunnerProvider.Settings(
        Optional.of("test"), Optional.empty(), Optional.of("00:10:00"), Optional.empty(), List.of()));
  }
}
