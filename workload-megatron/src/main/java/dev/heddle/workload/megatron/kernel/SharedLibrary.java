package dev.heddle.workload.megatron.kernel;

import dev.heddle.kernel.KernelLibrary;

/** The library of kernels that all jobs of a process ask, read when the first one does. */
public final class SharedLibrary {
  private SharedLibrary() {}

  private static final class Holder {
    private static final KernelLibrary LIBRARY = KernelLibrary.load(SharedLibrary.class.getClassLoader());
  }

  /** The library. */
  public static KernelLibrary get() {
    return Holder.LIBRARY;
  }
}
