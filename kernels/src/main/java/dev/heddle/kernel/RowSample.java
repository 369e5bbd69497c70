package dev.heddle.kernel;

/**
 * Some of a table's rows, at nearly equal distances. A row's place between two distances follows the golden ratio, so
 * that no period of a grid's rows is that of the sample [Weyl 1916, equidistribution].
 *
 * @param count of the rows taken
 * @param rows of the table
 */
record RowSample(int count, int rows) {
  private static final double GOLDEN = (Math.sqrt(5) - 1) / 2;

  /** All rows of a small table, and so many of a large one. */
  static RowSample of(int rows, int most) {
    return new RowSample(Math.min(rows, most), rows);
  }

  /** The row of a number, 0 to count - 1; rows ascend. */
  int row(int number) {
    return (int) ((number + GOLDEN * number % 1) * rows / count);
  }
}
