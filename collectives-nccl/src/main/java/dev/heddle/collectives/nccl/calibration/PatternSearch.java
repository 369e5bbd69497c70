package dev.heddle.collectives.nccl.calibration;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Minimiser of an error over bounded constants: a pattern search along the logarithms of the constants [R. Hooke and T.
 * A. Jeeves, 1961]. It changes one constant at a time, or two where no single change helps, and halves the step when
 * none does. Changes of two follow valleys in which one constant compensates for another. It is deterministic and needs
 * no derivative.
 */
public final class PatternSearch {
  private static final double FIRST_STEP = 0.25;
  private static final double LAST_PAIR_STEP = 0.06;
  private static final double LAST_STEP = 0.01;

  private final List<Constant> constants;
  private final ToDoubleFunction<double[]> error;
  private double[] best;
  private double least;

  private PatternSearch(List<Constant> constants, double[] start, ToDoubleFunction<double[]> error) {
    this.constants = constants;
    this.error = error;
    best = start.clone();
    least = error.applyAsDouble(best);
  }

  /** Searches for the constants of least error from a start. */
  public static double[] minimize(List<Constant> constants, double[] start, ToDoubleFunction<double[]> error) {
    PatternSearch search = new PatternSearch(constants, start, error);
    for (double step = FIRST_STEP; step >= LAST_STEP; step /= 2) {
      boolean improved = true;
      while (improved) {
        improved = search.alongOne(step);
        if (!improved && step >= LAST_PAIR_STEP) {
          improved = search.alongTwo(step);
        }
      }
    }
    return search.best;
  }

  private boolean alongOne(double step) {
    boolean improved = false;
    for (int i = 0; i < best.length; i++) {
      for (double move : new double[] {step, -step}) {
        improved |= improve(moved(best, i, move));
      }
    }
    return improved;
  }

  private boolean alongTwo(double step) {
    boolean improved = false;
    for (int i = 0; i < best.length; i++) {
      for (int j = i + 1; j < best.length; j++) {
        for (double first : new double[] {step, -step}) {
          for (double second : new double[] {step, -step}) {
            improved |= improve(moved(moved(best, i, first), j, second));
          }
        }
      }
    }
    return improved;
  }

  private double[] moved(double[] from, int index, double move) {
    double[] trial = from.clone();
    Constant constant = constants.get(index);
    trial[index] = Math.max(constant.least(), Math.min(constant.most(), from[index] * Math.exp(move)));
    return trial;
  }

  private boolean improve(double[] trial) {
    double found = Arrays.equals(trial, best) ? least : error.applyAsDouble(trial);
    if (found >= least * (1 - 1e-5)) {
      return false;
    }
    best = trial;
    least = found;
    return true;
  }
}
