package dev.heddle.kernel;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Estimates of a table's times at points that were not measured, from the rows around them: a Gaussian process over the
 * ratio of time to {@link Trend}, whose correlation falls exponentially with the sum of distances along the
 * coordinates, so that steps at tiles and waves are allowed [Rasmussen and Williams 2006, §4.2.1, Ornstein-Uhlenbeck].
 * Of a process with that correlation on a grid the nearest rows hold all that is to be known; {@value #NEIGHBOURS} are
 * taken.
 */
final class LocalRegression {
  private static final int NEIGHBOURS = 32;
  private static final int MOST_PROBES = 400;
  private static final double UPPER = 0.9;
  /** Tried for the part of the variance that repeats of one shape have: clocks and choices of the library. */
  private static final double[] REPEATS = {0.01, 0.03, 0.1, 0.3};
  /** Tried for distances over which rows tell of each other, relative to those of the kind. */
  private static final double[] STRETCHES = {0.5, 1, 2};
  /** Tried for the share of the table's resources in the trend. */
  private static final double[] SHARES = {0, 0.5, 1};
  private static final int PROBES_OF_A_TRIAL = 150;
  /** Errors beyond a third, and beyond four times the usual around, put a row in doubt. */
  private static final double DOUBTED = 0.3;
  private static final double DOUBTED_TIMES = 4;
  private static final double DOUBTED_NOISE = 10;

  private final KernelKind kind;
  private final int dimensions;
  private final int rows;
  private final double[][] coordinates;
  private final double[] seconds;
  private final double[] inverseReach;
  private Trend trend;
  private double repeat = REPEATS[1];

  LocalRegression(KernelKind kind, Trend trend, long[] shapes, double[] seconds) {
    this.kind = kind;
    this.trend = trend;
    Geometry geometry = kind.geometry();
    dimensions = geometry.dimensions();
    rows = seconds.length;
    coordinates = new double[dimensions][rows];
    inverseReach = new double[dimensions];
    this.seconds = seconds;
    int width = kind.sizes().size();
    double[] sizes = new double[width];
    double[] point = new double[dimensions];
    for (int row = 0; row < rows; row++) {
      for (int i = 0; i < width; i++) {
        sizes[i] = shapes[row * width + i];
      }
      geometry.coordinates(sizes, point);
      for (int d = 0; d < dimensions; d++) {
        coordinates[d][row] = point[d];
      }
    }
  }

  /** Logarithm of a row's time over the trend at its coordinates. */
  private double ratio(int row, double[] point, double[] sizes) {
    for (int d = 0; d < dimensions; d++) {
      point[d] = coordinates[d][row];
    }
    kind.geometry().sizes(point, sizes);
    return Math.log(seconds[row]) - trend.logSeconds(sizes);
  }

  int dimensions() {
    return dimensions;
  }

  /** Coordinates of all rows along one dimension. */
  double[] coordinates(int dimension) {
    return coordinates[dimension];
  }

  /** Memory for one estimate after the other. */
  final class Solver {
    private final double[] near = new double[NEIGHBOURS];
    private final int[] which = new int[NEIGHBOURS];
    private final double[] matrix = new double[NEIGHBOURS * NEIGHBOURS];
    private final double[] right = new double[NEIGHBOURS];
    private final double[] unit = new double[NEIGHBOURS];
    private final double[] noise = new double[NEIGHBOURS];
    private final double[] ratios = new double[NEIGHBOURS];
    private final double[] neighbour = new double[dimensions];
    private final double[] sizes = new double[kind.sizes().size()];
    private double logSeconds;
    private double variance;

    /** The estimate's logarithm of seconds. */
    double logSeconds() {
      return logSeconds;
    }

    /** Its variance in units of the process's own. */
    double variance() {
      return variance;
    }

    /**
     * Estimates the time at a point.
     *
     * @param point coordinates
     * @param without a row that is left out, or -1
     */
    void estimate(double[] point, int without) {
      int count = nearest(point, without);
      for (int i = 0; i < count; i++) {
        ratios[i] = ratio(which[i], neighbour, sizes);
      }
      kind.geometry().sizes(point, sizes);
      double expected = trend.logSeconds(sizes);
      double exact = 0;
      int hits = 0;
      for (int i = 0; i < count; i++) {
        if (near[i] < 1e-9) {
          exact += ratios[i];
          hits++;
        }
      }
      if (hits > 0) {
        logSeconds = expected + exact / hits;
        variance = repeat;
        return;
      }
      logSeconds = expected + solve(count);
    }

    // Insertion into a sorted row of the nearest so far.
    private int nearest(double[] point, int without) {
      int count = 0;
      double worst = Double.POSITIVE_INFINITY;
      for (int row = 0; row < rows; row++) {
        double distance = 0;
        for (int d = 0; d < dimensions && distance < worst; d++) {
          distance += Math.abs(coordinates[d][row] - point[d]) * inverseReach[d];
        }
        if (distance >= worst || row == without) {
          continue;
        }
        int at = count < NEIGHBOURS ? count++ : NEIGHBOURS - 1;
        while (at > 0 && near[at - 1] > distance) {
          near[at] = near[at - 1];
          which[at] = which[at - 1];
          at--;
        }
        near[at] = distance;
        which[at] = row;
        if (count == NEIGHBOURS) {
          worst = near[NEIGHBOURS - 1];
        }
      }
      return count;
    }

    private double solve(int count) {
      Arrays.fill(noise, 0, count, repeat);
      correlate(count);
      factor(count);
      if (doubt(count)) {
        correlate(count);
        factor(count);
      }
      double mean = mean(count);
      for (int i = 0; i < count; i++) {
        right[i] = Math.exp(-near[i]);
      }
      // With K = L L', the estimate is k' K^-1 y and the variance 1 - |L^-1 k|^2.
      double explained = forward(right, count);
      variance = Math.max(repeat, 1 + repeat - explained);
      backward(right, count);
      double sum = mean;
      for (int i = 0; i < count; i++) {
        sum += right[i] * (ratios[i] - mean);
      }
      return sum;
    }

    private double mean(int count) {
      double weights = 0;
      double mean = 0;
      for (int i = 0; i < count; i++) {
        double weight = (Math.exp(-near[i]) + 1e-9) / (noise[i] > 1 ? noise[i] : 1);
        weights += weight;
        mean += weight * ratios[i];
      }
      return mean / weights;
    }

    private void correlate(int count) {
      for (int i = 0; i < count; i++) {
        for (int j = 0; j < i; j++) {
          double distance = 0;
          for (int d = 0; d < dimensions; d++) {
            distance += Math.abs(coordinates[d][which[i]] - coordinates[d][which[j]]) * inverseReach[d];
          }
          matrix[i * NEIGHBOURS + j] = Math.exp(-distance);
        }
        matrix[i * NEIGHBOURS + i] = 1 + noise[i];
      }
    }

    /**
     * Finds rows that their neighbours contradict: a measurement that was disturbed, or a library that chose another
     * kernel for one shape alone. They count for little. A row's error as the others see it is the solution over the
     * diagonal of the inverse [Rasmussen and Williams 2006, equation 5.12].
     */
    private boolean doubt(int count) {
      double mean = mean(count);
      for (int i = 0; i < count; i++) {
        right[i] = ratios[i] - mean;
      }
      forward(right, count);
      backward(right, count);
      for (int column = 0; column < count; column++) {
        double squares = 0;
        Arrays.fill(unit, column, count, 0);
        unit[column] = 1;
        for (int i = column; i < count; i++) {
          double sum = unit[i];
          for (int k = column; k < i; k++) {
            sum -= matrix[i * NEIGHBOURS + k] * unit[k];
          }
          unit[i] = sum / matrix[i * NEIGHBOURS + i];
          squares += unit[i] * unit[i];
        }
        right[column] = Math.abs(right[column] / squares);
      }
      System.arraycopy(right, 0, unit, 0, count);
      Arrays.sort(unit, 0, count);
      double limit = Math.max(DOUBTED, DOUBTED_TIMES * unit[count / 2]);
      boolean found = false;
      for (int i = 0; i < count; i++) {
        if (right[i] > limit) {
          noise[i] = DOUBTED_NOISE;
          found = true;
        }
      }
      return found;
    }

    private void factor(int count) {
      for (int j = 0; j < count; j++) {
        for (int i = j; i < count; i++) {
          double sum = matrix[i * NEIGHBOURS + j];
          for (int k = 0; k < j; k++) {
            sum -= matrix[i * NEIGHBOURS + k] * matrix[j * NEIGHBOURS + k];
          }
          matrix[i * NEIGHBOURS + j] = i == j ? Math.sqrt(Math.max(sum, 1e-12)) : sum / matrix[j * NEIGHBOURS + j];
        }
      }
    }

    private double forward(double[] vector, int count) {
      double squares = 0;
      for (int i = 0; i < count; i++) {
        double sum = vector[i];
        for (int k = 0; k < i; k++) {
          sum -= matrix[i * NEIGHBOURS + k] * vector[k];
        }
        vector[i] = sum / matrix[i * NEIGHBOURS + i];
        squares += vector[i] * vector[i];
      }
      return squares;
    }

    private void backward(double[] vector, int count) {
      for (int i = count - 1; i >= 0; i--) {
        double sum = vector[i];
        for (int k = i + 1; k < count; k++) {
          sum -= matrix[k * NEIGHBOURS + i] * vector[k];
        }
        vector[i] = sum / matrix[i * NEIGHBOURS + i];
      }
    }
  }

  Solver solver() {
    return new Solver();
  }

  /**
   * Chooses the part of repeats, the stretch of distances and the share of resources with which rows are predicted best
   * from the others, or takes those that were chosen before.
   */
  TableError fitted(@Nullable TableError known) {
    if (known != null) {
      set(known.repeat(), known.stretch(), known.resources());
      return known;
    }
    TableError best = new TableError(repeat, 1, 0, Double.POSITIVE_INFINITY, 1, 1);
    for (double share : trend.tellsResources() ? SHARES : new double[1]) {
      for (double part : REPEATS) {
        for (double stretch : STRETCHES) {
          set(part, stretch, share);
          TableError error = leaveOneOut(PROBES_OF_A_TRIAL, stretch, share);
          best = error.mean() < best.mean() ? error : best;
        }
      }
    }
    set(best.repeat(), best.stretch(), best.resources());
    return leaveOneOut(MOST_PROBES, best.stretch(), best.resources());
  }

  private void set(double part, double stretch, double share) {
    repeat = part;
    trend = trend.with(share);
    for (int d = 0; d < dimensions; d++) {
      inverseReach[d] = 1 / (stretch * kind.geometry().reach(d));
    }
  }

  // Predicts rows from all others, of large tables some.
  private TableError leaveOneOut(int most, double stretch, double share) {
    if (rows == 1) {
      return new TableError(repeat, stretch, share, 0.5, 1, 1);
    }
    RowSample sample = RowSample.of(rows, most);
    double[] errors = new double[sample.count()];
    double[] scaled = new double[errors.length];
    Solver solver = solver();
    double[] point = new double[dimensions];
    for (int i = 0; i < errors.length; i++) {
      int row = sample.row(i);
      for (int d = 0; d < dimensions; d++) {
        point[d] = coordinates[d][row];
      }
      solver.estimate(point, row);
      double ratio = ratio(row, point, solver.sizes);
      double error = Math.abs(solver.logSeconds() - ratio - trend.logSeconds(solver.sizes));
      errors[i] = Math.expm1(error);
      scaled[i] = error / Math.sqrt(solver.variance());
    }
    Arrays.sort(errors);
    Arrays.sort(scaled);
    int upper = (int) Math.min(errors.length - 1, Math.ceil(UPPER * errors.length));
    return new TableError(repeat, stretch, share, Arrays.stream(errors).average().orElse(1), errors[upper],
        Math.max(1e-3, scaled[upper]));
  }
}
