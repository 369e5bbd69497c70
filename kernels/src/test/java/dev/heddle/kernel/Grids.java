package dev.heddle.kernel;

import java.util.function.ToDoubleFunction;

/** Tables of made-up kernels whose times follow a formula. */
final class Grids {
  static final GpuCatalog GPUS = GpuCatalog.bundled();
  static final GpuSpec H100 = GPUS.get("h100-sxm");
  static final TableId PRODUCTS = new TableId("h100-sxm", KernelKind.GEMM, NumberFormat.BF16, "made-up");
  static final Provenance MADE_UP = new Provenance("made up", "none", "none", "none");
  private static final long[] VALUES = {16, 64, 256, 1024, 4096};

  private Grids() {}

  /** Products of all sizes of a coarse grid. */
  static KernelTable products(ToDoubleFunction<long[]> seconds) {
    int side = VALUES.length;
    long[] shapes = new long[side * side * side * 3];
    double[] times = new double[side * side * side];
    for (int row = 0; row < times.length; row++) {
      long[] shape = {VALUES[row % side], VALUES[row / side % side], VALUES[row / side / side]};
      System.arraycopy(shape, 0, shapes, 3 * row, 3);
      times[row] = seconds.applyAsDouble(shape);
    }
    return KernelTable.of(H100, PRODUCTS, MADE_UP, shapes, times);
  }

  /** A start, and arithmetic at 600 Tflop/s. */
  static double simple(long[] shape) {
    return 4e-6 + 2.0 * shape[0] * shape[1] * shape[2] / 600e12;
  }
}
