package dev.heddle.kernel;

/**
 * The name of a table of measured kernels.
 *
 * @param gpu id of the accelerator in {@link GpuCatalog}
 * @param kind of kernel
 * @param format of its numbers
 * @param variant library or kernel that was measured, such as {@code trtllm} or {@code cudnn}
 */
public record TableId(String gpu, KernelKind kind, NumberFormat format, String variant) {
  @Override
  public String toString() {
    return gpu + " " + kind + " " + format + " " + variant;
  }
}
