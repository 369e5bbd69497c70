package dev.heddle.workload.megatron.kernel;

import dev.heddle.kernel.GpuSpec;
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
   * @param kernels of the job, as often as they run; at least one
   */
  static KernelPower of(GpuSpec gpu, List<Kernel> kernels, KernelTimes times) {
    SustainedClock clock = SustainedClock.of(gpu);
    double joules = 0;
    double seconds = 0;
    for (Kernel kernel : kernels) {
      double time = times.seconds(kernel);
      joules += clock.joules(LibraryTimes.format(kernel), kernel.flops(), kernel.bytes(), time);
      seconds += time;
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
