package dev.heddle.service;

import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;

/** Provides the runner of processes on this machine. */
@Plugin(id = "local", description = "Processes on this machine, which end with the service")
public final class LocalTaskRunnerProvider implements TaskRunnerProvider<LocalTaskRunnerProvider.Settings> {
  /**
   * The claim of tasks on the processor.
   *
   * @param niceness that tasks add to the service's own, as in POSIX's {@code nice}; systems without it pass it over
   */
  public record Settings(
      @Setting(value = "niceness of tasks beside the service, which answers requests first; 0 for none", def = "10",
          min = "0", max = "19") int niceness) {}

  @Override
  public TaskRunner create(Settings settings) {
    return new LocalTaskRunner(settings.niceness());
  }
}
