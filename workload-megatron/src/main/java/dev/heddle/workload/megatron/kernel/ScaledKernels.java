package dev.heddle.workload.megatron.kernel;

import dev.heddle.spi.Accelerator;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Precision;

/**
 * Kernel times of an accelerator without measurements, scaled from a measured one: by the peak rates of arithmetic
 * where a kernel is bound by it, else by those of memory [SimAI §4.3, SimAI-CP-Model]. The paper prints both quotients
 * upside down; time falls as rates rise, and so it does here.
 *
 * @param known times on the measured accelerator
 * @param from the measured accelerator
 * @param to the other one
 * @param precision of the arithmetic
 */
public record ScaledKernels(KernelTimes known, Accelerator from, Accelerator to, Precision precision)
    implements KernelTimes {
  @Override
  public double seconds(Kernel kernel) {
    return known.seconds(kernel) * (kernel.kind() == KernelClass.MEMORY ? memory() : arithmetic());
  }

  private double memory() {
    return from.memoryBandwidth().bytesPerSecond() / to.memoryBandwidth().bytesPerSecond();
  }

  private double arithmetic() {
    return rate(from) / rate(to);
  }

  private double rate(Accelerator accelerator) {
    return accelerator.peak(precision).orElseThrow(() -> new InvalidSettingException(
        "precision", accelerator.name() + " has no stated rate of " + precision + "; it has "
            + accelerator.peak().keySet()))
        .flopPerSecond();
  }
}
