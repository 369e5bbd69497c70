package dev.heddle.kernel;

import java.util.Arrays;

/**
 * The grid of all coordinates that a table's rows have. Values are worked out when they are first asked for: the same
 * whoever asks first, so that threads may race for them.
 */
final class NodeGrid {
  private static final int MOST_VALUES = 96;
  private static final int MOST_NODES = 1 << 23;
  private static final double SAME = 1e-6;
  private static final int BLOCK_BITS = 10;
  private static final int BLOCK_MASK = (1 << BLOCK_BITS) - 1;

  private final LocalRegression regression;
  private final double[][] axes;
  private final int[] strides;
  /** Blocks of nodes: logarithms of seconds above, deviations below, as bits of floats; 0 where not worked out. */
  private final long[][] blocks;

  NodeGrid(LocalRegression regression) {
    this.regression = regression;
    int dimensions = regression.dimensions();
    axes = new double[dimensions][];
    for (int d = 0; d < dimensions; d++) {
      axes[d] = axis(regression.coordinates(d));
    }
    long nodes = nodes();
    while (nodes > MOST_NODES) {
      int longest = 0;
      for (int d = 1; d < dimensions; d++) {
        longest = axes[d].length > axes[longest].length ? d : longest;
      }
      axes[longest] = thinned(axes[longest]);
      nodes = nodes();
    }
    strides = new int[dimensions];
    int stride = 1;
    for (int d = 0; d < dimensions; d++) {
      strides[d] = stride;
      stride *= axes[d].length;
    }
    blocks = new long[(stride >> BLOCK_BITS) + 1][];
  }

  private long nodes() {
    long nodes = 1;
    for (double[] axis : axes) {
      nodes *= axis.length;
    }
    return nodes;
  }

  // Different values; of too many, those that many rows have.
  private static double[] axis(double[] values) {
    CountedValues counted = CountedValues.of(values);
    double[] sorted = counted.values();
    double[] different = new double[sorted.length];
    int[] rows = new int[sorted.length];
    int count = 0;
    for (int i = 0; i < sorted.length; i++) {
      if (count == 0 || sorted[i] - different[count - 1] > SAME) {
        different[count++] = sorted[i];
      }
      rows[count - 1] += counted.rows()[i];
    }
    if (count <= MOST_VALUES) {
      return Arrays.copyOf(different, count);
    }
    int[] order = Arrays.copyOf(rows, count);
    Arrays.sort(order);
    int least = order[count - MOST_VALUES];
    double[] kept = new double[count];
    int taken = 0;
    double gap = (different[count - 1] - different[0]) / (MOST_VALUES / 2);
    for (int i = 0; i < count; i++) {
      boolean end = i == 0 || i == count - 1;
      boolean common = rows[i] >= least && rows[i] > 1;
      if (end || common || different[i] - kept[taken - 1] >= gap) {
        kept[taken++] = different[i];
      }
    }
    return Arrays.copyOf(kept, taken);
  }

  private static double[] thinned(double[] axis) {
    double[] kept = new double[axis.length / 2 + 1];
    for (int i = 0; i < kept.length - 1; i++) {
      kept[i] = axis[2 * i];
    }
    kept[kept.length - 1] = axis[axis.length - 1];
    return kept;
  }

  LocalRegression regression() {
    return regression;
  }

  double[] axis(int dimension) {
    return axes[dimension];
  }

  int stride(int dimension) {
    return strides[dimension];
  }

  /**
   * A node, worked out where it has not been.
   *
   * @return {@link #logSeconds} and {@link #deviation} in one number
   */
  long node(int node) {
    long[] block = blocks[node >> BLOCK_BITS];
    if (block == null) {
      block = new long[BLOCK_MASK + 1];
      blocks[node >> BLOCK_BITS] = block;
    }
    long known = block[node & BLOCK_MASK];
    return known == 0 ? workOut(node, block) : known;
  }

  /** Logarithm of the seconds of a {@link #node}. */
  static double logSeconds(long node) {
    return Float.intBitsToFloat((int) (node >>> 32));
  }

  /** Standard deviation of a {@link #node} in units of the process's own. */
  static double deviation(long node) {
    return Float.intBitsToFloat((int) node);
  }

  private long workOut(int node, long[] block) {
    double[] point = new double[axes.length];
    int rest = node;
    for (int d = axes.length - 1; d >= 0; d--) {
      point[d] = axes[d][rest / strides[d]];
      rest %= strides[d];
    }
    LocalRegression.Solver solver = regression.solver();
    solver.estimate(point, -1);
    long deviation = Float.floatToRawIntBits((float) Math.sqrt(solver.variance()));
    long value = (long) Float.floatToRawIntBits((float) solver.logSeconds()) << 32 | deviation & 0xffffffffL;
    block[node & BLOCK_MASK] = value;
    return value;
  }
}
