package dev.heddle.collectives.nccl.calibration;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Minimises an error over constants within their bounds by a pattern search along the logarithms of the constants, one at
 * a time, with steps that halve when none helps [R. Hooke and T. A. Jeeves, 1961]. Deterministic, needs no derivative.
 */
public final class PatternSearch {
  private static final double FIRST_STEP = 0.25;
  private static final double LAST_STEP = 0.01;

  private PatternSearch() {}

  /** The constants of least error that the search finds from a start. */
  public static double[] minimize(List<Constant> constants, double[] start, ToDoubleFunction<double[]> error) {
    double[] best = start.clone();
    double least = error.applyAsDouble(best);
    for (double step = FIRST_STEP; step >= LAST_STEP; step /= 2) {
      boolean improved = true;
      while (improved) {
        improved = false;
        for (int i = 0; i < best.length; i++) {
          for (double factor : new double[] {Math.exp(step), Math.exp(-step)}) {
            double[] trial = best.clone();
            Constant constant = constants.get(i);
            trial[i] = Math.max(constant.least(), Math.min(constant.most(), best[i] * factor));
            double found = trial[i] == best[i] ? least : error.applyAsDouble(trial);
            if (found < least * (1 - 1e-5)) {
              best = trial;
              least = found;
              improved = true;
            }
          }
        }
      }
    }
    return best;
  }
}
