package dev.heddle.kernel;

/** The tables that are shipped: AIConfigurator's, thinned, AMD's, and those of the project's own script. */
public final class BundledKernels implements KernelSourceProvider {
  private static final String FOLDER = "tables";

  @Override
  public String id() {
    return "bundled";
  }

  @Override
  public String description() {
    return "NVIDIA AIConfigurator's kernels (Apache-2.0), AMD's (MIT), and the project's own measurements";
  }

  @Override
  public KernelSource open(GpuCatalog gpus) {
    return TableFolder.of(FOLDER, file -> Resources.bytes(FOLDER + "/" + file), gpus);
  }
}
