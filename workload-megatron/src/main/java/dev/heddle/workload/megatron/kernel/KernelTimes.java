package dev.heddle.workload.megatron.kernel;

/** How long kernels take on one accelerator. */
public interface KernelTimes {
  /**
   * The time of a kernel that has the accelerator to itself, from its start to the next kernel's, when kernels wait for
   * nothing else.
   *
   * @return seconds, positive
   */
  double seconds(Kernel kernel);
}
