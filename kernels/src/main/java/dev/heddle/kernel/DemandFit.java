package dev.heddle.kernel;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A table's times taken apart into the resources that its kernels ask for ({@link Demand}): the coefficients of the
 * start, of each work and of the passes over memory with which demands follow the measured times best. They come from
 * this table alone, so that a time carried to another accelerator rests on none of that one's times. The logarithms of
 * the coefficients are fitted to the logarithms of times, with an error that counts in proportion where it is large, by
 * Levenberg's and Marquardt's method; a weak pull to the start values settles works that a table cannot tell apart.
 */
final class DemandFit {
  private static final int MOST_ROWS = 240;
  /**
   * Fewer rows than this tell nothing of the resources: three for each of at most eight coefficients. From 12 to 48
   * GPUs left out are 0.2 points at most apart.
   */
  private static final int LEAST_ROWS = 24;
  private static final int MOST_ROUNDS = 80;
  /**
   * Error in the logarithm, above 0, from which on a row counts in proportion instead of by its square: that with which
   * resources explain a table of one kernel, so that rows of another, off by factors, do not rule. From 0.075 to 0.3
   * GPUs left out are 0.1 points apart.
   */
  private static final double DOUBTED = 0.15;
  /**
   * Pull of a coefficient to its start value, above 0 and far below 1: a factor e costs as much as an error of 0.5 % of
   * every row, which only works that a table cannot tell apart give way to. Halved or doubled GPUs left out are 0.1
   * points apart.
   */
  private static final double PULL = 2.5e-5;
  /**
   * Pull of the passes over memory to one, above that of the others and below 1: a table that memory seldom bounds does
   * not tell them. A factor e costs as much as an error of 22 % of every row. Halved or doubled GPUs left out are 0.2
   * points apart.
   */
  private static final double PULL_OF_PASSES = 0.05;
  private static final double SETTLED = 1e-7;

  private final double[] coefficients;
  private final double error;

  private DemandFit(double[] coefficients, double error) {
    this.coefficients = coefficients;
    this.error = error;
  }

  /** Coefficients and error as {@link #coefficients} and {@link #error} gave them. */
  static DemandFit known(double[] coefficients, double error) {
    return new DemandFit(coefficients.clone(), error);
  }

  /**
   * Takes a table's times apart, of a large one by {@value #MOST_ROWS} rows.
   *
   * @param gpu that was measured
   * @param shapes sizes of all rows, one row after the other
   * @param times of the rows in seconds
   * @return null where there are too few rows
   */
  static @Nullable DemandFit of(GpuSpec gpu, TableId id, long[] shapes, double[] times) {
    if (times.length < LEAST_ROWS) {
      return null;
    }
    RowSample sample = RowSample.of(times.length, MOST_ROWS);
    int rows = sample.count();
    Demand[] demands = new Demand[rows];
    double[] seconds = new double[rows];
    int width = id.kind().sizes().size();
    for (int i = 0; i < rows; i++) {
      int row = sample.row(i);
      double[] sizes = new double[width];
      for (int size = 0; size < width; size++) {
        sizes[size] = shapes[row * width + size];
      }
      demands[i] = Demands.of(gpu, id.kind(), id.format(), id.variant(), sizes);
      seconds[i] = times[row];
    }
    double[] coefficients = new Search(demands, seconds, most(gpu, id, demands[0], shapes)).found();
    double sum = 0;
    for (int i = 0; i < rows; i++) {
      sum += Math.abs(Math.log(demands[i].seconds(coefficients) / seconds[i]));
    }
    return new DemandFit(coefficients, sum / rows);
  }

  // Largest coefficients to begin with. Of a table whose rows all exceed the cache, bytes through its port are so few
  // that any cost of theirs explains it; on an accelerator whose cache holds the bytes that cost would be all.
  private static double[] most(GpuSpec gpu, TableId id, Demand first, long[] shapes) {
    double[] sizes = new double[id.kind().sizes().size()];
    for (int size = 0; size < sizes.length; size++) {
      sizes[size] = shapes[size];
    }
    Demand cached = Demands.of(
        gpu.withCache(Double.POSITIVE_INFINITY), id.kind(), id.format(), id.variant(), sizes);
    Demand uncached = Demands.of(gpu.withCache(0), id.kind(), id.format(), id.variant(), sizes);
    double[] most = new double[first.coefficients()];
    Arrays.fill(most, Double.POSITIVE_INFINITY);
    for (int j = 0; j < first.work().length; j++) {
      if (cached.work()[j] > uncached.work()[j]) {
        most[j + 1] = Demands.slowestPort(gpu, id.kind());
      }
    }
    return most;
  }

  /** Coefficients of the start, of each work and of the passes over memory. */
  double[] coefficients() {
    return coefficients.clone();
  }

  /** Mean error in the logarithm with which the resources explain the table. */
  double error() {
    return error;
  }

  /** The time of a demand in seconds. */
  double seconds(Demand demand) {
    return demand.seconds(coefficients);
  }

  /** The search of the coefficients of one table. */
  private static final class Search {
    private final Demand[] demands;
    private final double[] seconds;
    private final int count;
    private final double[] first;
    private final double[] gradient;
    private final double[][] curvature;

    Search(Demand[] demands, double[] seconds, double[] most) {
      this.demands = demands;
      this.seconds = seconds;
      count = demands[0].coefficients();
      first = start(most);
      gradient = new double[count];
      curvature = new double[count][count];
    }

    // The shortest time is the start's; half of the coefficient that only a tenth of the rows stay below.
    private double[] start(double[] most) {
      double[] logs = new double[count];
      double[] each = new double[seconds.length];
      for (int j = 0; j < count - 1; j++) {
        for (int i = 0; i < seconds.length; i++) {
          double unit = j == 0 ? demands[i].start() : demands[i].work()[j - 1];
          each[i] = seconds[i] / Math.max(unit, 1e-15);
        }
        Arrays.sort(each);
        logs[j] = Math.log(Math.min(most[j], j == 0 ? 0.95 * each[0] : 0.5 * each[each.length / 10]));
      }
      return logs;
    }

    double[] found() {
      double[] best = first.clone();
      double cost = cost(best);
      double damping = 1e-2;
      for (int round = 0; round < MOST_ROUNDS && damping < 1e8; round++) {
        linearize(best);
        double[] next = step(best, damping);
        double reached = cost(next);
        if (reached < cost) {
          boolean settled = cost - reached < SETTLED * cost;
          best = next;
          cost = reached;
          damping = Math.max(1e-7, damping / 5);
          if (settled) {
            break;
          }
        } else {
          damping *= 4;
        }
      }
      return exponentials(best);
    }

    private static double[] exponentials(double[] logs) {
      return Arrays.stream(logs).map(Math::exp).toArray();
    }

    // Twice the sum of s^2 ((1 + (e / s)^2)^(1/2) - 1), a square near 0 and linear beyond s.
    private double cost(double[] logs) {
      double[] at = exponentials(logs);
      double sum = 0;
      for (int i = 0; i < seconds.length; i++) {
        double error = Math.log(demands[i].seconds(at) / seconds[i]) / DOUBTED;
        sum += 2 * DOUBTED * DOUBTED * (Math.sqrt(1 + error * error) - 1);
      }
      for (int j = 0; j < count; j++) {
        double apart = logs[j] - first[j];
        sum += pull(j) * apart * apart;
      }
      return sum;
    }

    private double pull(int coefficient) {
      return seconds.length * (coefficient == count - 1 ? PULL_OF_PASSES : PULL);
    }

    private void linearize(double[] logs) {
      double[] at = exponentials(logs);
      double[] slope = new double[count];
      Arrays.fill(gradient, 0);
      for (double[] row : curvature) {
        Arrays.fill(row, 0);
      }
      for (int i = 0; i < seconds.length; i++) {
        double time = demands[i].seconds(at);
        double error = Math.log(time / seconds[i]);
        double weight = 1 / Math.sqrt(1 + error * error / (DOUBTED * DOUBTED));
        double worked = demands[i].worked(at);
        double moved = demands[i].moved(at);
        double both = Math.hypot(moved, worked) * time;
        slope[0] = at[0] * demands[i].start() / time;
        for (int j = 1; j < count - 1; j++) {
          slope[j] = worked / both * at[j] * demands[i].work()[j - 1];
        }
        slope[count - 1] = moved * moved / both;
        for (int j = 0; j < count; j++) {
          gradient[j] += weight * slope[j] * error;
          for (int k = 0; k < count; k++) {
            curvature[j][k] += weight * slope[j] * slope[k];
          }
        }
      }
      for (int j = 0; j < count; j++) {
        gradient[j] += pull(j) * (logs[j] - first[j]);
        curvature[j][j] += pull(j);
      }
    }

    // Solves by elimination; the damped curvature is positive definite.
    private double[] step(double[] logs, double damping) {
      double[][] matrix = new double[count][count];
      double[] right = new double[count];
      for (int j = 0; j < count; j++) {
        matrix[j] = curvature[j].clone();
        matrix[j][j] += damping * (curvature[j][j] + 1e-3);
        right[j] = -gradient[j];
      }
      for (int j = 0; j < count; j++) {
        for (int k = j + 1; k < count; k++) {
          double part = matrix[k][j] / matrix[j][j];
          for (int c = j; c < count; c++) {
            matrix[k][c] -= part * matrix[j][c];
          }
          right[k] -= part * right[j];
        }
      }
      double[] next = logs.clone();
      for (int j = count - 1; j >= 0; j--) {
        for (int k = j + 1; k < count; k++) {
          right[j] -= matrix[j][k] * right[k];
        }
        right[j] /= matrix[j][j];
        next[j] += right[j];
      }
      return next;
    }
  }
}
