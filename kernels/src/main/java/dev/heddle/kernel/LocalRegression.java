package dev.heddle.kernel;

import java.util.Arrays;

/**
 * Estimates of a table's times at points that were not measured, from the rows around them: a Gaussian process over the
 * ratio of time to roofline, whose correlation falls exponentially with the sum of distances along the coordinates, so
 * that steps at tiles and waves are allowed [Rasmussen & Williams 2006, §4.2.1, Ornstein-Uhlenbeck]. Of a process with
 * that correlation on a grid the nearest rows hold all that is to be known; {@value #NEIGHBOURS} are taken.
 */
final class LocalRegression {
  private static final int NEIGHBOURS = 32;
  private static final int MOST_PROBES = 400;
  private static final double UPPER = 0.9;
  /** Part of the variance that repeats of one shape have: clocks and choices of the library. */
  private static final double NUGGET = 0.03;

  private final KernelKind kind;
  private final KernelRoofline roofline;
  private final int dimensions;
  private final int rows;
  private final double[][] coordinates;
  private final double[] ratio;

  LocalRegression(KernelKind kind, KernelRoofline roofline, long[] shapes, double[] seconds) {
    this.kind = kind;
    this.roofline = roofline;
    Geometry geometry = kind.geometry();
    dimensions = geometry.dimensions();
    rows = seconds.length;
    coordinates = new double[dimensions][rows];
    ratio = new double[rows];
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
      geometry.sizes(point, sizes);
      ratio[row] = Math.log(seconds[row] / roofline.seconds(sizes));
    }
  }

  int dimensions() {
    return dimensions;
  }

  /** Coordinates of all rows along one dimension. */
  double[] coordinates(int dimension) {
    return coordinates[dimension];
  }

  double reach(int dimension) {
    return kind.geometry().reach(dimension);
  }

  /** Memory for one estimate after the other. */
  final class Solver {
    private final double[] near = new double[NEIGHBOURS];
    private final int[] which = new int[NEIGHBOURS];
    private final double[] matrix = new double[NEIGHBOURS * NEIGHBOURS];
    private final double[] right = new double[NEIGHBOURS];
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
      kind.geometry().sizes(point, sizes);
      double trend = Math.log(roofline.seconds(sizes));
      double exact = 0;
      int hits = 0;
      for (int i = 0; i < count; i++) {
        if (near[i] < 1e-9) {
          exact += ratio[which[i]];
          hits++;
        }
      }
      if (hits > 0) {
        logSeconds = trend + exact / hits;
        variance = NUGGET;
        return;
      }
      logSeconds = trend + solve(count);
    }

    // Insertion into a sorted row of the nearest so far.
    private int nearest(double[] point, int without) {
      int count = 0;
      double worst = Double.POSITIVE_INFINITY;
      for (int row = 0; row < rows; row++) {
        double distance = 0;
        for (int d = 0; d < dimensions && distance < worst; d++) {
          distance += Math.abs(coordinates[d][row] - point[d]) / reach(d);
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
      double weights = 0;
      double mean = 0;
      for (int i = 0; i < count; i++) {
        double weight = Math.exp(-near[i]) + 1e-9;
        weights += weight;
        mean += weight * ratio[which[i]];
      }
      mean /= weights;
      for (int i = 0; i < count; i++) {
        for (int j = 0; j < i; j++) {
          double distance = 0;
          for (int d = 0; d < dimensions; d++) {
            distance += Math.abs(coordinates[d][which[i]] - coordinates[d][which[j]]) / reach(d);
          }
          matrix[i * NEIGHBOURS + j] = Math.exp(-distance);
        }
        matrix[i * NEIGHBOURS + i] = 1 + NUGGET;
        right[i] = Math.exp(-near[i]);
      }
      factor(count);
      // With K = L L', the estimate is k' K^-1 y and the variance 1 - |L^-1 k|^2.
      double explained = forward(count);
      variance = Math.max(NUGGET, 1 + NUGGET - explained);
      backward(count);
      double sum = mean;
      for (int i = 0; i < count; i++) {
        sum += right[i] * (ratio[which[i]] - mean);
      }
      return sum;
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

    private double forward(int count) {
      double squares = 0;
      for (int i = 0; i < count; i++) {
        double sum = right[i];
        for (int k = 0; k < i; k++) {
          sum -= matrix[i * NEIGHBOURS + k] * right[k];
        }
        right[i] = sum / matrix[i * NEIGHBOURS + i];
        squares += right[i] * right[i];
      }
      return squares;
    }

    private void backward(int count) {
      for (int i = count - 1; i >= 0; i--) {
        double sum = right[i];
        for (int k = i + 1; k < count; k++) {
          sum -= matrix[k * NEIGHBOURS + i] * right[k];
        }
        right[i] = sum / matrix[i * NEIGHBOURS + i];
      }
    }
  }

  Solver solver() {
    return new Solver();
  }

  /** Predicts rows from all others, of large tables every so many. */
  TableError leaveOneOut() {
    int step = Math.max(1, rows / MOST_PROBES);
    double[] errors = new double[(rows + step - 1) / step];
    double[] scaled = new double[errors.length];
    Solver solver = solver();
    double[] point = new double[dimensions];
    for (int row = 0, i = 0; row < rows; row += step, i++) {
      for (int d = 0; d < dimensions; d++) {
        point[d] = coordinates[d][row];
      }
      if (rows == 1) {
        return new TableError(0.5, 1, 1);
      }
      solver.estimate(point, row);
      kind.geometry().sizes(point, solver.sizes);
      double error = Math.abs(solver.logSeconds() - ratio[row] - Math.log(roofline.seconds(solver.sizes)));
      errors[i] = Math.expm1(error);
      scaled[i] = error / Math.sqrt(solver.variance());
    }
    Arrays.sort(errors);
    Arrays.sort(scaled);
    int upper = (int) Math.min(errors.length - 1, Math.ceil(UPPER * errors.length));
    return new TableError(Arrays.stream(errors).average().orElse(1), errors[upper], Math.max(1e-3, scaled[upper]));
  }
}
