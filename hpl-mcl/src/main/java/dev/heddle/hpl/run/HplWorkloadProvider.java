package dev.heddle.hpl.run;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadProvider;

/** Provides a run of HPL on all accelerators of a cluster. */
@Plugin(id = "hpl",
    description = "High-performance Linpack: panels factorised, sent along rows of processes, swapped and updated")
public final class HplWorkloadProvider implements WorkloadProvider<HplRun> {
  @Override
  public Workload create(HplRun settings) {
    if (settings.blockSize() > settings.order()) {
      throw new InvalidSettingException(
          "blockSize", "NB is " + settings.blockSize() + "; it must be 1 to N (" + settings.order() + ")");
    }
    return new HplWorkload(settings);
  }
}
