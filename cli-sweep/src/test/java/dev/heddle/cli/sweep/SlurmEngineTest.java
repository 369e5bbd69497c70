package dev.heddle.cli.sweep;

import dev.heddle.testkit.contract.SweepEngineContract;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Sweeps on a real Slurm; {@code cli-sweep/slurm-test.sh} starts a controller. */
@EnabledIfSystemProperty(named = "heddle.slurm", matches = "true")
class SlurmEngineTest extends SweepEngineContract {
  @Override
  protected String engine() {
    return "slurm";
  }
}
