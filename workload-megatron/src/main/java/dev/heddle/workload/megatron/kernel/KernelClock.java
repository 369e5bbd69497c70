package dev.heddle.workload.megatron.kernel;

/** Clock of an accelerator's matrix units while kernels run, where the library of measured kernels has their times. */
public enum KernelClock {
  /** The clock that the limit of power leaves in a job that lasts. */
  SUSTAINED,
  /** The boost clock of a run of milliseconds, such as a benchmark of one layer. */
  BOOST
}
