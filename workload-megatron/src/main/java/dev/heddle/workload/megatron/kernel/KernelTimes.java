package dev.heddle.workload.megatron.kernel;

/** Times of kernels on one accelerator. */
public interface KernelTimes {
  /**
   * The time of a kernel that has the accelerator to itself, from its start to the next kernel's, when kernels follow
   * each other without waiting.
   *
   * @return seconds, positive
   */
  double seconds(Kernel kernel);
}
