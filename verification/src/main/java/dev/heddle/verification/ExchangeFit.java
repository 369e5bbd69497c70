package dev.heddle.verification;

import dev.heddle.kernel.exchange.ExchangeCost;
import dev.heddle.kernel.exchange.ExchangeModel;
import dev.heddle.kernel.exchange.ExchangeModels;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The fit of an exchange's constants: least squares of the logarithms of times over the logarithms of the constants
 * [Levenberg 1944; Marquardt 1963], with derivatives by differences. A constant that no row depends on keeps its value.
 */
final class ExchangeFit {
  private static final int ROUNDS = 60;
  private static final int TRIALS = 10;
  private static final double STEP = 1e-4;
  private static final double LARGEST_STEP = 1;
  private static final double MOST_PART = 1;

  private final List<ExchangeCost> free;
  private final ExchangeModel start;
  private final List<ExchangeRow> rows;

  private ExchangeFit(ExchangeModels.Entry entry, List<ExchangeRow> rows) {
    start = entry.model();
    free = entry.fitted().stream().sorted().toList();
    this.rows = rows;
  }

  /** The model of an entry with constants that fit rows of its kernel and step. */
  static ExchangeModel of(ExchangeModels.Entry entry, List<ExchangeRow> rows) {
    return new ExchangeFit(entry, rows).run();
  }

  private ExchangeModel run() {
    double[] point = new double[free.size()];
    for (int i = 0; i < point.length; i++) {
      point[i] = Math.log(Objects.requireNonNull(start.costs().get(free.get(i))));
    }
    double[] errors = errors(point);
    double damping = 1e-2;
    for (int round = 0; round < ROUNDS; round++) {
      double[][] slopes = slopes(point, errors);
      boolean better = false;
      for (int trial = 0; trial < TRIALS && !better; trial++) {
        double[] next = next(point, slopes, errors, damping);
        double[] now = errors(next);
        better = squares(now) < squares(errors);
        damping = Math.max(1e-9, better ? damping / 3 : damping * 4);
        if (better) {
          point = next;
          errors = now;
        }
      }
      if (!better) {
        break;
      }
    }
    return model(point);
  }

  private ExchangeModel model(double[] point) {
    Map<ExchangeCost, Double> costs = new EnumMap<>(start.costs());
    for (int i = 0; i < point.length; i++) {
      double value = Math.exp(point[i]);
      costs.put(free.get(i), free.get(i) == ExchangeCost.LINK ? Math.min(MOST_PART, value) : value);
    }
    return start.with(costs);
  }

  private double[] errors(double[] point) {
    ExchangeModel model = model(point);
    return rows.stream().mapToDouble(row -> Math.log(model.seconds(row.load(), row.site()) / row.seconds())).toArray();
  }

  private double[][] slopes(double[] point, double[] errors) {
    double[][] slopes = new double[point.length][];
    for (int i = 0; i < point.length; i++) {
      double[] moved = point.clone();
      moved[i] += STEP;
      slopes[i] = errors(moved);
      for (int row = 0; row < errors.length; row++) {
        slopes[i][row] = (slopes[i][row] - errors[row]) / STEP;
      }
    }
    return slopes;
  }

  private static double[] next(double[] point, double[][] slopes, double[] errors, double damping) {
    int size = point.length;
    double[][] matrix = new double[size][size + 1];
    for (int i = 0; i < size; i++) {
      for (int j = 0; j < size; j++) {
        matrix[i][j] = dot(slopes[i], slopes[j]);
      }
      matrix[i][i] += damping * matrix[i][i] + 1e-9;
      matrix[i][size] = -dot(slopes[i], errors);
    }
    solve(matrix);
    double[] next = point.clone();
    for (int i = 0; i < size; i++) {
      next[i] += Math.max(-LARGEST_STEP, Math.min(LARGEST_STEP, matrix[i][size]));
    }
    return next;
  }

  // Gauss and Jordan's elimination; the matrix is symmetric and positive definite, so that no rows change places.
  private static void solve(double[][] matrix) {
    for (int i = 0; i < matrix.length; i++) {
      double pivot = matrix[i][i];
      for (int column = i; column <= matrix.length; column++) {
        matrix[i][column] /= pivot;
      }
      for (int row = 0; row < matrix.length; row++) {
        double factor = matrix[row][i];
        for (int column = i; column <= matrix.length && row != i; column++) {
          matrix[row][column] -= factor * matrix[i][column];
        }
      }
    }
  }

  private static double dot(double[] a, double[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += a[i] * b[i];
    }
    return sum;
  }

  private static double squares(double[] values) {
    return Arrays.stream(values).map(value -> value * value).sum();
  }
}
