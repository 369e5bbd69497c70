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
  /** The software that was measured: the variant without version and part, such as {@code trtllm}. */
  public String software() {
    return software(variant);
  }

  /** The software of a variant; empty for none. */
  static String software(String variant) {
    int end = variant.indexOf('-');
    return end < 0 ? variant : variant.substring(0, end);
  }

  // Written out, as maps of names are made when the library starts, where a record's own methods cost a tenth of it.
  @Override
  public boolean equals(Object other) {
    return other instanceof TableId that && kind == that.kind && format == that.format && gpu.equals(that.gpu)
        && variant.equals(that.variant);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * (31 * gpu.hashCode() + kind.ordinal()) + format.ordinal()) + variant.hashCode();
  }

  @Override
  public String toString() {
    return gpu + " " + kind + " " + format + " " + variant;
  }
}
