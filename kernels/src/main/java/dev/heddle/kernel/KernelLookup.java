package dev.heddle.kernel;

/**
 * Reads times of one table and allocates nothing once the nodes around a shape are known. Not for use by two threads at
 * once. After {@link #seconds} the other methods tell of the same shape.
 */
public final class KernelLookup {
  /** Error that an octave beyond the measured range adds [AIConfigurator: 9 to 15 % over three octaves]. */
  private static final double PER_OCTAVE = 0.05;
  private static final double SHORTEST = 1e-12;

  private final KernelTable table;
  private final NodeGrid grid;
  private final Geometry geometry;
  private final int dimensions;
  private final double[] sizes;
  private final double[] clampedSizes;
  private final double[] point;
  private final int[] lower;
  private final double[] fraction;
  private final int[] active;
  private double beyond;
  private double relative;
  private Basis basis = Basis.MODELLED;

  KernelLookup(KernelTable table) {
    this.table = table;
    grid = table.grid();
    geometry = table.id().kind().geometry();
    dimensions = geometry.dimensions();
    sizes = new double[table.id().kind().sizes().size()];
    clampedSizes = new double[sizes.length];
    point = new double[dimensions];
    lower = new int[dimensions];
    fraction = new double[dimensions];
    active = new int[dimensions];
  }

  /**
   * The time of a shape.
   *
   * @param shape sizes in the order of {@link KernelKind#sizes}, positive
   * @return seconds, positive and finite
   */
  public double seconds(long[] shape) {
    int row = table.row(shape);
    if (row >= 0) {
      basis = Basis.MEASURED;
      relative = Math.sqrt(table.error().repeat()) * table.error().spread();
      return table.seconds(row);
    }
    for (int i = 0; i < sizes.length; i++) {
      sizes[i] = shape[i];
    }
    geometry.coordinates(sizes, point);
    int count = place();
    double logarithm = blend(count);
    if (beyond == 0) {
      basis = Basis.INTERPOLATED;
      return Math.exp(logarithm);
    }
    basis = Basis.EXTRAPOLATED;
    relative += PER_OCTAVE * beyond;
    geometry.sizes(point, clampedSizes);
    geometry.coordinates(sizes, point);
    geometry.sizes(point, sizes);
    KernelRoofline roofline = table.roofline();
    return Math.max(roofline.atPeak(sizes),
        Math.exp(logarithm) * roofline.seconds(sizes) / roofline.seconds(clampedSizes));
  }

  /**
   * The time of a shape as the other rows have it, where it was measured; else as {@link #seconds}. Allocates.
   *
   * @param shape sizes in the order of {@link KernelKind#sizes}, positive
   */
  public double secondsUnseen(long[] shape) {
    int row = table.row(shape);
    if (row < 0 || table.rows() == 1) {
      return seconds(shape);
    }
    for (int i = 0; i < sizes.length; i++) {
      sizes[i] = shape[i];
    }
    geometry.coordinates(sizes, point);
    LocalRegression.Solver solver = table.grid().regression().solver();
    solver.estimate(point, row);
    basis = Basis.INTERPOLATED;
    relative = table.error().spread() * Math.sqrt(solver.variance());
    return Math.exp(solver.logSeconds());
  }

  // Finds the cell of the point, moved into the grid, and the coordinates along which it lies between nodes.
  private int place() {
    int count = 0;
    beyond = 0;
    for (int d = 0; d < dimensions; d++) {
      double[] axis = grid.axis(d);
      int last = axis.length - 1;
      double value = point[d];
      double inside = Math.min(Math.max(value, axis[0]), axis[last]);
      if (Math.abs(value - inside) > 1e-9) {
        beyond += Math.abs(value - inside);
      }
      point[d] = inside;
      int low = 0;
      int high = last;
      while (high - low > 1) {
        int middle = (low + high) >>> 1;
        if (axis[middle] <= inside) {
          low = middle;
        } else {
          high = middle;
        }
      }
      double part = last == 0 ? 0 : (inside - axis[low]) / (axis[low + 1] - axis[low]);
      if (part > 1 - SHORTEST) {
        low++;
        part = 0;
      }
      lower[d] = low;
      fraction[d] = part;
      if (part > SHORTEST) {
        active[count++] = d;
      }
    }
    return count;
  }

  private double blend(int count) {
    int base = 0;
    for (int d = 0; d < dimensions; d++) {
      base += lower[d] * grid.stride(d);
    }
    double sum = 0;
    double deviation = 0;
    for (int corner = 0; corner < 1 << count; corner++) {
      double weight = 1;
      int node = base;
      for (int i = 0; i < count; i++) {
        int d = active[i];
        if ((corner >> i & 1) == 1) {
          weight *= fraction[d];
          node += grid.stride(d);
        } else {
          weight *= 1 - fraction[d];
        }
      }
      long known = grid.node(node);
      sum += weight * NodeGrid.logSeconds(known);
      deviation += weight * NodeGrid.deviation(known);
    }
    double between = 0;
    for (int i = 0; i < count; i++) {
      int d = active[i];
      double[] axis = grid.axis(d);
      double gap = (axis[lower[d] + 1] - axis[lower[d]]) / geometry.reach(d);
      between += 2 * gap * fraction[d] * (1 - fraction[d]);
    }
    relative = table.error().spread() * Math.sqrt(deviation * deviation + Math.min(1, between));
    return sum;
  }

  /** Half-width of an interval that holds nine of ten times, relative to the time. */
  public double relativeError() {
    return relative;
  }

  /** The kind of knowledge that the time rests on. */
  public Basis basis() {
    return basis;
  }
}
