package dev.heddle.kernel;

import dev.heddle.spi.InvalidSettingException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * A kernel whose time is asked for.
 *
 * @param gpu the accelerator
 * @param kind of kernel
 * @param format of its numbers
 * @param variant library or kernel; empty for whichever is known best
 * @param shape sizes in the order of {@link KernelKind#sizes}
 */
public record KernelQuery(GpuSpec gpu, KernelKind kind, NumberFormat format, String variant, long[] shape) {
  /**
   * Checks the shape and copies it.
   *
   * @throws InvalidSettingException when it has too few or too many sizes, or one is not positive
   */
  public KernelQuery {
    if (shape.length != kind.sizes().size()) {
      throw new InvalidSettingException("", kind + " has the sizes " + String.join(" x ", kind.sizes()) + ", but "
          + shape.length + " are given");
    }
    for (int i = 0; i < shape.length; i++) {
      if (shape[i] < (kind.mayBeZero(i) ? 0 : 1)) {
        throw new InvalidSettingException(
            "", kind + ": " + kind.sizes().get(i) + " is " + shape[i] + "; it must be positive");
      }
    }
    shape = shape.clone();
  }

  /** A query for the best known variant. */
  public static KernelQuery of(GpuSpec gpu, KernelKind kind, NumberFormat format, long... shape) {
    return new KernelQuery(gpu, kind, format, "", shape);
  }

  /** Its sizes. */
  @Override
  public long[] shape() {
    return shape.clone();
  }

  /** The same kernel on another accelerator. */
  public KernelQuery on(GpuSpec other) {
    return new KernelQuery(other, kind, format, variant, shape);
  }

  /** Its sizes as formulas of work take them. */
  public double[] sizes() {
    double[] sizes = new double[shape.length];
    for (int i = 0; i < sizes.length; i++) {
      sizes[i] = shape[i];
    }
    return sizes;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KernelQuery that && gpu.equals(that.gpu) && kind == that.kind && format == that.format
        && variant.equals(that.variant) && Arrays.equals(shape, that.shape);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * gpu.id().hashCode() + kind.ordinal()) + Arrays.hashCode(shape);
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%s %s %s on %s", kind, format,
        LongStream.of(shape).mapToObj(Long::toString).collect(Collectors.joining("x")), gpu.name());
  }
}
