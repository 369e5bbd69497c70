package dev.heddle.service;

import dev.heddle.spi.Plugin;

/** Provides the runner of processes on this machine. */
@Plugin(id = "local", description = "Processes on this machine, which end with the service")
public final class LocalTaskRunnerProvider implements TaskRunnerProvider<LocalTaskRunnerProvider.Settings> {
  /** The runner has no settings. */
  public record Settings() {}

  @Override
  public TaskRunner create(Settings settings) {
    return new LocalTaskRunner();
  }
}
