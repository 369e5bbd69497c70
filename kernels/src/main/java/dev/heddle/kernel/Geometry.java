package dev.heddle.kernel;

/**
 * The relation between the sizes of a kind of kernel, the coordinates in which its times are interpolated, its
 * arithmetic and its traffic. Coordinates are logarithms to base 2 of the quantities that times depend on, so that a
 * unit is an octave; a kernel's sizes and those that its coordinates give back have the same work.
 */
interface Geometry {
  /** Coordinates of a kernel. */
  int dimensions();

  /**
   * Works out coordinates.
   *
   * @param sizes of the kernel
   * @param out receives {@link #dimensions} of them
   */
  void coordinates(double[] sizes, double[] out);

  /**
   * Works out sizes of the same work.
   *
   * @param coordinates as {@link #coordinates} gives them
   * @param out receives the sizes, which need not be whole
   */
  void sizes(double[] coordinates, double[] out);

  /** Floating-point operations; a fused multiply-add counts as two. */
  double flops(double[] sizes);

  /** Bytes read and written, each once. */
  double bytes(double[] sizes, NumberFormat format);

  /**
   * Octaves along a coordinate over which utilisation loses a share of 1 - 1/e of its correlation: set on folds of the
   * shipped tables, once for all accelerators and formats.
   */
  double reach(int dimension);
}
