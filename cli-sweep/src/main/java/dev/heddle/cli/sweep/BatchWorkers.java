package dev.heddle.cli.sweep;

import dev.heddle.batch.BatchJob;
import dev.heddle.cli.SweepEngine;

/** Workers that are one job of a batch system. */
record BatchWorkers(BatchJob job) implements SweepEngine.Workers {
  @Override
  public String name() {
    return job.name();
  }

  @Override
  public boolean running() {
    return job.running();
  }

  @Override
  public void cancel() {
    job.cancel();
  }
}
