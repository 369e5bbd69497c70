package dev.heddle.cli.sweep;

import dev.heddle.testkit.contract.SweepEngineContract;

class LocalEngineTest extends SweepEngineContract {
  @Override
  protected String engine() {
    return "local";
  }
}
