package dev.heddle.collectives.nccl.calibration;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Minimiser of an error over up to four bounded constants: a direct search along fixed directions of their logarithms
 * [T. G. Kolda, R. M. Lewis and V. Torczon, 2003]. Unlike {@link PatternSearch}, it also changes several constants by
 * unequal steps, and so follows valleys in which one constant compensates for others. It is deterministic and needs no
 * derivative.
 */
final class DirectionSearch {
  private static final double FIRST_STEP = 0.4;
  private static final double LAST_STEP = 0.002;
  private static final double[] PARTS = {0, 1, -1, 0.5, -0.5, 0.25, -0.25};

  private final List<Constant> constants;
  private final ToDoubleFunction<double[]> error;
  private double[] best;
  private double least;

  private DirectionSearch(List<Constant> constants, double[] start, ToDoubleFunction<double[]> error) {
    this.constants = constants;
    this.error = error;
    best = start.clone();
    least = error.applyAsDouble(best);
  }

  /** Searches for the constants of least error from a start. */
  static double[] minimize(List<Constant> constants, double[] start, ToDoubleFunction<double[]> error) {
    DirectionSearch search = new DirectionSearch(constants, start, error);
    List<double[]> directions = directions(constants.size());
    double step = FIRST_STEP;
    while (step >= LAST_STEP && search.least > 0) {
      step = search.improve(directions, step) ? step : step / 2;
    }
    return search.best;
  }

  // All directions whose greatest part is one.
  private static List<double[]> directions(int size) {
    List<double[]> all = new ArrayList<>(List.of(new double[size]));
    for (int i = 0; i < size; i++) {
      List<double[]> longer = new ArrayList<>();
      for (double[] each : all) {
        for (double part : PARTS) {
          double[] more = each.clone();
          more[i] = part;
          longer.add(more);
        }
      }
      all = longer;
    }
    return all.stream().filter(each -> Arrays.stream(each).map(Math::abs).max().orElse(0) == 1).toList();
  }

  private boolean improve(List<double[]> directions, double step) {
    double before = least;
    for (double[] direction : directions) {
      double[] trial = best.clone();
      for (int i = 0; i < trial.length; i++) {
        Constant constant = constants.get(i);
        trial[i] = direction[i] == 0 ? trial[i]
            : Math.max(constant.least(), Math.min(constant.most(), trial[i] * Math.exp(step * direction[i])));
      }
      double found = error.applyAsDouble(trial);
      if (found < least * (1 - 1e-6)) {
        best = trial;
        least = found;
      }
    }
    return least < before;
  }
}
