package dev.heddle.kernel;

import dev.heddle.spi.InvalidSettingException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Measured times of one kind of kernel on one accelerator: exact where a shape was measured, elsewhere interpolated on
 * the grid of the coordinates that were measured. A node of the grid that was not measured is estimated from the rows
 * around it when it is first asked for.
 *
 * <p>Between nodes the logarithm of the time is linear in each coordinate, so that times rise along a coordinate
 * wherever those of the nodes do, and never leave the range of the nodes around.
 */
public final class KernelTable {
  private static final int MOST_ROWS = 4_000_000;
  private static final double CONTRADICTION = 10;
  private static final double DISTURBED = 1.5;

  private final TableId id;
  private final Provenance provenance;
  private final KernelRoofline roofline;
  private final int width;
  private final long[] shapes;
  private final double[] seconds;
  private final int[] index;
  private final NodeGrid grid;
  private final @Nullable DemandFit resources;
  private final TableError error;

  private KernelTable(TableId id, Provenance provenance, KernelRoofline roofline, Rows rows, @Nullable Fits known) {
    this.id = id;
    this.provenance = provenance;
    this.roofline = roofline;
    width = id.kind().sizes().size();
    shapes = rows.shapes();
    seconds = rows.seconds();
    index = rows.index();
    resources = known == null ? DemandFit.of(roofline.gpu(), id, shapes, seconds) : known.resources();
    LocalRegression regression =
        new LocalRegression(id.kind(), new Trend(id, roofline, resources, 0), shapes, seconds);
    error = regression.fitted(known == null ? null : known.error());
    grid = new NodeGrid(regression);
  }

  /** Fits of a table to its own rows. */
  record Fits(TableError error, @Nullable DemandFit resources) {}

  /** Rows without repetition, and where to find each. */
  private record Rows(long[] shapes, double[] seconds, int[] index) {}

  /**
   * Makes a table.
   *
   * @param gpu the accelerator that was measured
   * @param id of the table
   * @param provenance where it is from
   * @param shapes sizes of all rows, one row after the other
   * @param seconds time of each row
   * @throws InvalidSettingException when a size or time is out of range, a time is faster than the accelerator can be,
   * or two times of one shape contradict each other
   */
  public static KernelTable of(GpuSpec gpu, TableId id, Provenance provenance, long[] shapes, double[] seconds) {
    KernelRoofline roofline = new KernelRoofline(gpu, id.kind(), id.format());
    check(roofline, id, shapes, seconds);
    return new KernelTable(id, provenance, roofline, unique(id, shapes, seconds), null);
  }

  /** Makes a table of rows that were checked when they were written, with their fits as worked out then. */
  static KernelTable checked(
      GpuSpec gpu, TableId id, Provenance provenance, long[] shapes, double[] seconds, Fits fits) {
    return new KernelTable(id, provenance, new KernelRoofline(gpu, id.kind(), id.format()),
        indexed(id, shapes, seconds), fits);
  }

  private static void check(KernelRoofline roofline, TableId id, long[] shapes, double[] seconds) {
    int width = id.kind().sizes().size();
    if (seconds.length == 0 || seconds.length > MOST_ROWS || shapes.length != seconds.length * width) {
      throw new InvalidSettingException("", id + ": " + seconds.length + " rows; there must be 1 to " + MOST_ROWS);
    }
    double[] sizes = new double[width];
    for (int row = 0; row < seconds.length; row++) {
      for (int i = 0; i < width; i++) {
        long size = shapes[row * width + i];
        if (size < (id.kind().mayBeZero(i) ? 0 : 1)) {
          throw new InvalidSettingException("", id + ": " + id.kind().sizes().get(i) + " is " + size);
        }
        sizes[i] = size;
      }
      if (!(seconds[row] > 0 && seconds[row] < 1e6)) {
        throw new InvalidSettingException("", id + ": a time of " + seconds[row] + " s");
      }
      double least = roofline.atPeak(sizes);
      if (seconds[row] < 0.8 * least) {
        throw new InvalidSettingException("", String.format(Locale.ROOT,
            "%s: %s takes %.3f us, but %s needs %.3f us at its peak rate; unit or shape must be wrong",
            id, shown(shapes, row, width), 1e6 * seconds[row],
            roofline.gpu().name(), 1e6 * least));
      }
    }
  }

  // Rows as they are where no two have the same shape, as in files that were written from a table.
  private static Rows indexed(TableId id, long[] shapes, double[] seconds) {
    int width = id.kind().sizes().size();
    int[] index = empty(seconds.length);
    for (int row = 0; row < seconds.length; row++) {
      int slot = slot(index, shapes, width, shapes, row * width);
      if (index[slot] >= 0) {
        return unique(id, shapes, seconds);
      }
      index[slot] = row;
    }
    return new Rows(shapes, seconds, index);
  }

  private static int[] empty(int rows) {
    int[] index = new int[Integer.highestOneBit(Math.max(4, rows)) * 4];
    Arrays.fill(index, -1);
    return index;
  }

  /**
   * The rows with the first size running fastest, repeats by their times, so that equal rows make equal tables.
   *
   * @param shapes sizes of all rows, one after another
   */
  static int[] inOrder(long[] shapes, double[] seconds) {
    int width = shapes.length / seconds.length;
    Comparator<Integer> order = Comparator.comparing((Integer row) -> 0);
    for (int i = width - 1; i >= 0; i--) {
      int size = i;
      order = order.thenComparing(row -> shapes[row * width + size]);
    }
    return IntStream.range(0, seconds.length).boxed().sorted(order.thenComparing(row -> seconds[row]))
        .mapToInt(row -> row).toArray();
  }

  // Repeats of one shape are averaged; those slower than the fastest by half were disturbed and do not count.
  private static Rows unique(TableId id, long[] shapes, double[] seconds) {
    int width = id.kind().sizes().size();
    int[] index = empty(seconds.length);
    double[] fastest = new double[seconds.length];
    int[] at = new int[seconds.length];
    long[] kept = new long[shapes.length];
    int count = 0;
    int[] rows = inOrder(shapes, seconds);
    for (int row : rows) {
      System.arraycopy(shapes, row * width, kept, count * width, width);
      int slot = slot(index, kept, width, kept, count * width);
      if (index[slot] < 0) {
        index[slot] = count;
        fastest[count++] = seconds[row];
      }
      at[row] = index[slot];
      double ratio = seconds[row] / fastest[at[row]];
      if (ratio > CONTRADICTION || ratio < 1 / CONTRADICTION) {
        throw new InvalidSettingException("", String.format(Locale.ROOT, "%s: %s takes %.3f us and %.3f us;"
            + " two times of one shape must not contradict each other", id,
            shown(shapes, row, width), 1e6 * fastest[at[row]], 1e6 * seconds[row]));
      }
      fastest[at[row]] = Math.min(fastest[at[row]], seconds[row]);
    }
    double[] sums = new double[count];
    int[] times = new int[count];
    for (int row : rows) {
      if (seconds[row] <= DISTURBED * fastest[at[row]]) {
        sums[at[row]] += seconds[row];
        times[at[row]]++;
      }
    }
    for (int i = 0; i < count; i++) {
      sums[i] /= times[i];
    }
    return new Rows(Arrays.copyOf(kept, count * width), sums, index);
  }

  private static String shown(long[] shapes, int row, int width) {
    return Arrays.stream(shapes, row * width, (row + 1) * width).mapToObj(Long::toString)
        .collect(Collectors.joining("x"));
  }

  // Linear probing; the slot holds the row of that shape or is free.
  private static int slot(int[] index, long[] shapes, int width, long[] wanted, int from) {
    long hash = 1125899906842597L;
    for (int i = 0; i < width; i++) {
      hash = (hash ^ wanted[from + i]) * 0x9E3779B97F4A7C15L;
      hash ^= hash >>> 29;
    }
    int mask = index.length - 1;
    int slot = (int) (hash >>> 20) & mask;
    while (index[slot] >= 0 && !same(shapes, index[slot] * width, wanted, from, width)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private static boolean same(long[] a, int at, long[] b, int from, int width) {
    for (int i = 0; i < width; i++) {
      if (a[at + i] != b[from + i]) {
        return false;
      }
    }
    return true;
  }

  /** The row of a shape, or -1. */
  int row(long[] shape) {
    return index[slot(index, shapes, width, shape, 0)];
  }

  double seconds(int row) {
    return seconds[row];
  }

  /** The table's name. */
  public TableId id() {
    return id;
  }

  /** Where it is from. */
  public Provenance provenance() {
    return provenance;
  }

  /** Rows of different shapes. */
  public int rows() {
    return seconds.length;
  }

  /** The sizes of a row. */
  public long[] shape(int row) {
    return Arrays.copyOfRange(shapes, row * width, (row + 1) * width);
  }

  /** The time of a row in seconds. */
  public double measured(int row) {
    return seconds[row];
  }

  /** Errors of rows predicted from the others. */
  public TableError error() {
    return error;
  }

  /** The resources that the rows' times were taken apart into; none where there are too few rows. */
  Optional<DemandFit> resources() {
    return Optional.ofNullable(resources);
  }

  /**
   * The same with a part of the rows alone, as when the others are held out.
   *
   * @param kept tells of a row's number whether it stays; at least one must
   */
  public KernelTable part(IntPredicate kept) {
    int[] rows = IntStream.range(0, rows()).filter(kept).toArray();
    long[] some = new long[rows.length * width];
    double[] times = new double[rows.length];
    for (int i = 0; i < rows.length; i++) {
      System.arraycopy(shapes, rows[i] * width, some, i * width, width);
      times[i] = seconds[rows[i]];
    }
    return new KernelTable(id, provenance, roofline, unique(id, some, times), null);
  }

  KernelRoofline roofline() {
    return roofline;
  }

  NodeGrid grid() {
    return grid;
  }

  /** A reader of times that allocates nothing; each thread needs its own. */
  public KernelLookup lookup() {
    return new KernelLookup(this);
  }
}
