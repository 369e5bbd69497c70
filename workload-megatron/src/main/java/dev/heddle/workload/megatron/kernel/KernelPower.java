package dev.heddle.workload.megatron.kernel;

import dev.heddle.kernel.KernelEstimate;
import dev.heddle.kernel.SustainedClock;
import java.util.List;

/**
 * Mean power of an accelerator, without its host and its network [power.csv of the library of kernels].
 *
 * @param computing in W while kernels run
 * @param waiting in W while a program holds the accelerator and no kernel runs
 */
public record KernelPower(double computing, double waiting) {
  /**
   * The power of a job's kernels.
   *
   * @param clock of the accelerator, with its limit of power
   * @param kernels of the job, as often as they run; at least one
   */
  static KernelPower of(SustainedClock clock, List<Kernel> kernels, LibraryTimes times) {
    double joules = 0;
    double seconds = 0;
    for (Kernel kernel : kernels) {
      KernelEstimate time = times.estimate(kernel);
      joules += times.joules(clock, kernel, time);
      seconds += time.seconds();
    }
    return new KernelPower(joules / seconds, clock.idleWatts());
  }

  /**
   * Energy in J of an accelerator in an iteration.
   *
   * @param kernelSeconds in which kernels run
   * @param seconds of the iteration
   */
  public double joules(double kernelSeconds, double seconds) {
    return computing * kernelSeconds + waiting * (seconds - kernelSeconds);
  }
}
