package dev.heddle.kernel;

/** The geometries of all kinds of kernels. */
final class Geometries {
  private static final double OCTAVE = 1 / Math.log(2);

  private Geometries() {}

  static double log2(double value) {
    return Math.log(value) * OCTAVE;
  }

  static double exp2(double value) {
    return Math.exp(value / OCTAVE);
  }

  /** Work of sizes: operations or bytes. */
  interface Work {
    double of(double[] sizes, NumberFormat format);
  }

  /**
   * Kernels whose times are interpolated in the logarithms of the sizes themselves.
   *
   * @param dimensions sizes of a kernel
   * @param reach octaves of correlation, the same for each
   */
  record Plain(int dimensions, double reach, Work operations, Work traffic) implements Geometry {
    @Override
    public void coordinates(double[] sizes, double[] out) {
      for (int i = 0; i < dimensions; i++) {
        out[i] = log2(sizes[i]);
      }
    }

    @Override
    public void sizes(double[] coordinates, double[] out) {
      for (int i = 0; i < dimensions; i++) {
        out[i] = exp2(coordinates[i]);
      }
    }

    @Override
    public double flops(double[] sizes) {
      return operations.of(sizes, NumberFormat.BF16);
    }

    @Override
    public double bytes(double[] sizes, NumberFormat format) {
      return traffic.of(sizes, format);
    }

    @Override
    public double reach(int dimension) {
      return reach;
    }
  }

  /** Products of matrices m x n x k. */
  static Geometry product() {
    return new Plain(3, 6, (s, f) -> 2 * s[0] * s[1] * s[2],
        (s, f) -> s[1] * s[2] * f.weightBytes() + s[0] * s[2] * f.activationBytes() + s[0] * s[1] * f.resultBytes());
  }

  /** Batches of products batch x m x n x k. */
  static Geometry batchedProduct() {
    return new Plain(4, 6, (s, f) -> 2 * s[0] * s[1] * s[2] * s[3], (s, f) -> s[0]
        * (s[2] * s[3] * f.weightBytes() + s[1] * s[3] * f.activationBytes() + s[1] * s[2] * f.resultBytes()));
  }

  /** Kernels over tokens x hidden that move so many bytes an element. */
  static Geometry vectors(double bytesPerElement) {
    return new Plain(2, 6, (s, f) -> 0, (s, f) -> bytesPerElement * s[0] * s[1]);
  }

  /** Kernels of one size that move so many bytes for each. */
  static Geometry linear(double bytesPerElement) {
    return new Plain(1, 6, (s, f) -> 0, (s, f) -> bytesPerElement * s[0]);
  }

  /** Kernels of so many sizes that move the bytes of a function. */
  static Geometry moving(int dimensions, Work traffic) {
    return new Plain(dimensions, 6, (s, f) -> 0, traffic);
  }

  /** Whole-sequence attention of latent keys: batch, heads, sequence; 192 a head of keys, 128 of values. */
  static Geometry latentPrefill() {
    return new Plain(3, 6, (s, f) -> 320 * s[0] * s[1] * s[2] * s[2],
        (s, f) -> s[0] * s[1] * s[2] * 320 * (2 + f.weightBytes()));
  }

  /** Its gradients: three products over keys of 192 and two over values of 128, on twice the traffic. */
  static Geometry latentBackward() {
    return new Plain(3, 6, (s, f) -> (3 * 192 + 2 * 128) * s[0] * s[1] * s[2] * s[2],
        (s, f) -> 2 * s[0] * s[1] * s[2] * 320 * (2 + f.weightBytes()));
  }

  /** Absorbed decode attention of latent keys: batch, heads, context; 576 shared keys, of which 512 are values. */
  static Geometry latentDecode() {
    return new Plain(3, 6, (s, f) -> 2 * 1088 * s[0] * s[1] * s[2],
        (s, f) -> s[0] * (576 * s[2] * f.weightBytes() + 2176 * s[1]));
  }

  /**
   * Attention over whole sequences: batch, heads, heads of keys, queries, keys, size of keys, size of values. Blocks of
   * work are heads of sequences; then count the length and their shared part.
   */
  record Attention(double masked, double passes, double traffic) implements Geometry {
    private static final double[] REACH = {6, 6, 6, 12, 12, 6};

    @Override
    public int dimensions() {
      return REACH.length;
    }

    @Override
    public void coordinates(double[] s, double[] out) {
      out[0] = log2(s[0] * s[1]);
      out[1] = log2(s[3]);
      out[2] = log2(s[4] / s[3]);
      out[3] = log2(s[1] / s[2]);
      out[4] = log2(s[0]);
      out[5] = log2(s[5] + s[6]);
    }

    @Override
    public void sizes(double[] c, double[] out) {
      out[0] = exp2(c[4]);
      out[1] = exp2(c[0] - c[4]);
      out[2] = exp2(c[0] - c[4] - c[3]);
      out[3] = exp2(c[1]);
      out[4] = exp2(c[1] + c[2]);
      out[5] = exp2(c[5] - 1);
      out[6] = out[5];
    }

    @Override
    public double flops(double[] s) {
      double keys = masked > 0 ? (s[4] + Math.max(0, s[4] - s[3])) / 2 : s[4];
      return passes * 2 * s[0] * s[1] * s[3] * keys * (s[5] + s[6]);
    }

    @Override
    public double bytes(double[] s, NumberFormat format) {
      return traffic * s[0] * (s[5] + s[6]) * (2 * s[1] * s[3] + format.weightBytes() * s[2] * s[4]);
    }

    @Override
    public double reach(int dimension) {
      return REACH[dimension];
    }
  }

  /**
   * Causal attention of which each query sees a window of keys.
   *
   * @param whole the same without a window, whose sizes come before that of the window
   */
  record Window(Attention whole) implements Geometry {
    private static final int WINDOW = 7;
    private static final double KEY_TILE = 128;

    @Override
    public int dimensions() {
      return whole.dimensions() + 1;
    }

    @Override
    public void coordinates(double[] s, double[] out) {
      whole.coordinates(s, out);
      out[whole.dimensions()] = log2(Math.min(s[WINDOW], s[4]));
    }

    @Override
    public void sizes(double[] c, double[] out) {
      whole.sizes(c, out);
      out[WINDOW] = exp2(c[whole.dimensions()]);
    }

    @Override
    public double flops(double[] s) {
      return whole.passes() * 2 * s[0] * s[1] * seen(s) * (s[5] + s[6]);
    }

    @Override
    public double bytes(double[] s, NumberFormat format) {
      double[] read = s.clone();
      read[4] = Math.min(s[4], s[3] + s[WINDOW]);
      return whole.bytes(read, format);
    }

    @Override
    public double reach(int dimension) {
      return dimension < whole.dimensions() ? whole.reach(dimension) : 6;
    }

    // Pairs of queries, the last of the sequence, and keys that they see.
    private static double seen(double[] s) {
      double window = Math.min(s[WINDOW], s[4]);
      double before = Math.max(0, s[4] - s[3]);
      double growing = Math.max(0, window - before);
      return growing * (window + before) / 2 + (s[4] - before - growing) * window;
    }

    /**
     * Pairs in tiles that hold a seen one over pairs that are seen: kernels work out whole tiles of 128 keys.
     *
     * @param queries of a tile, a multiple of 128
     * @return at least 1
     */
    double wholeTiles(double[] s, int queries) {
      double perTile = queries / KEY_TILE;
      double rows = Math.ceil(s[3] / queries);
      double before = Math.ceil(Math.max(0, s[4] - s[3]) / KEY_TILE);
      double most = perTile + Math.ceil((Math.min(s[WINDOW], s[4]) - 1) / KEY_TILE);
      double growing = Math.min(rows, Math.max(0, Math.ceil((most - before) / perTile) - 1));
      double tiles = growing * before + perTile * growing * (growing + 1) / 2 + (rows - growing) * most;
      return Math.max(1, tiles * queries * KEY_TILE / seen(s));
    }
  }

  /** Attention of one new token: batch, heads, heads of keys, context, size of keys, size of values. */
  record Decode() implements Geometry {
    private static final double[] REACH = {6, 6, 12, 12, 6};

    @Override
    public int dimensions() {
      return REACH.length;
    }

    @Override
    public void coordinates(double[] s, double[] out) {
      out[0] = log2(s[0] * s[2]);
      out[1] = log2(s[3]);
      out[2] = log2(s[1] / s[2]);
      out[3] = log2(s[2]);
      out[4] = log2(s[4] + s[5]);
    }

    @Override
    public void sizes(double[] c, double[] out) {
      out[0] = exp2(c[0] - c[3]);
      out[1] = exp2(c[2] + c[3]);
      out[2] = exp2(c[3]);
      out[3] = exp2(c[1]);
      out[4] = exp2(c[4] - 1);
      out[5] = out[4];
    }

    @Override
    public double flops(double[] s) {
      return 2 * s[0] * s[1] * s[3] * (s[4] + s[5]);
    }

    @Override
    public double bytes(double[] s, NumberFormat format) {
      return s[0] * (s[4] + s[5]) * (format.weightBytes() * s[2] * s[3] + 2 * s[1]);
    }

    @Override
    public double reach(int dimension) {
      return REACH[dimension];
    }
  }

  /**
   * A layer of experts: tokens before choice, hidden size, feed-forward size, choices of a token, experts, ranks of
   * tensor and of expert parallelism, and a hundred times the exponent of the power law of the load, 0 for balanced.
   * Times follow rows an expert, experts of the rank, and the sizes of an expert's share; with a power law also the
   * ranks of experts, of which the one with most rows is measured.
   */
  record Experts() implements Geometry {
    private static final double[] REACH = {6, 6, 6, 3, 4, 2, 6};

    @Override
    public int dimensions() {
      return REACH.length;
    }

    @Override
    public void coordinates(double[] s, double[] out) {
      out[0] = log2(s[0] * s[3] / s[4]);
      out[1] = log2(s[4] / s[6]);
      out[2] = log2(s[2] / s[5]);
      out[3] = log2(s[1]);
      out[4] = log2(s[3]);
      out[5] = s[7] / 100;
      out[6] = s[7] > 0 ? log2(s[6]) : 0;
    }

    @Override
    public void sizes(double[] c, double[] out) {
      out[3] = exp2(c[4]);
      out[6] = exp2(c[6]);
      out[4] = exp2(c[1]) * out[6];
      out[0] = exp2(c[0]) * out[4] / out[3];
      out[1] = exp2(c[3]);
      out[2] = exp2(c[2]);
      out[5] = 1;
      out[7] = 100 * c[5];
    }

    @Override
    public double flops(double[] s) {
      return 6 * s[0] * s[3] / s[6] * s[1] * s[2] / s[5];
    }

    @Override
    public double bytes(double[] s, NumberFormat format) {
      double local = s[4] / s[6];
      double rows = s[0] * s[3] / s[6];
      double active = local * (1 - Math.exp(-rows / local));
      return 3 * active * s[1] * s[2] / s[5] * format.weightBytes() + rows * (8 * s[1] + 6 * s[2] / s[5]);
    }

    @Override
    public double reach(int dimension) {
      return REACH[dimension];
    }
  }

  /** Grouped products: groups, rows of all, columns, inner size, and a hundred times the exponent of the load. */
  record Grouped() implements Geometry {
    private static final double[] REACH = {6, 6, 6, 6, 2};

    @Override
    public int dimensions() {
      return REACH.length;
    }

    @Override
    public void coordinates(double[] s, double[] out) {
      out[0] = log2(s[1] / s[0]);
      out[1] = log2(s[0]);
      out[2] = log2(s[2]);
      out[3] = log2(s[3]);
      out[4] = s[4] / 100;
    }

    @Override
    public void sizes(double[] c, double[] out) {
      out[0] = exp2(c[1]);
      out[1] = exp2(c[0] + c[1]);
      out[2] = exp2(c[2]);
      out[3] = exp2(c[3]);
      out[4] = 100 * c[4];
    }

    @Override
    public double flops(double[] s) {
      return 2 * s[1] * s[2] * s[3];
    }

    @Override
    public double bytes(double[] s, NumberFormat format) {
      double active = s[0] * (1 - Math.exp(-s[1] / s[0]));
      return active * s[2] * s[3] * format.weightBytes() + s[1] * (s[3] * format.activationBytes() + 2 * s[2]);
    }

    @Override
    public double reach(int dimension) {
      return REACH[dimension];
    }
  }
}
