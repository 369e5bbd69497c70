package dev.heddle.workload.megatron.kernel;

import dev.heddle.kernel.KernelLibrary;

/** The library of kernels, read once per process when the first job needs it. */
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
