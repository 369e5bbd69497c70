package dev.heddle.kernel;

/**
 * A place that tables of measured kernels come from, found by {@link java.util.ServiceLoader}. Providers have a public
 * constructor without arguments that does no work.
 */
public interface KernelSourceProvider {
  /** An id in kebab case, unique among providers. */
  String id();

  /** One sentence. */
  String description();

  /**
   * Opens the source.
   *
   * @param gpus data sheets of all known accelerators
   */
  KernelSource open(GpuCatalog gpus);
}
