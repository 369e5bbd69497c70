package dev.heddle.collectives.nccl.calibration;

import dev.heddle.units.RandomStream;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Minimiser of an error over bounded constants: a pattern search along the logarithms of the constants [R. Hooke and T.
 * A. Jeeves, 1961]. It changes one constant at a time, or two where no single change helps, and halves the step when
 * none does. Changes of two follow valleys in which one constant compensates for another. Of more than two constants it
 * then changes up to three at a time by random amounts, from a fixed seed, whose width follows their success [I.
 * Rechenberg, 1973], since errors of absolute value have edges along which no single change helps. It is deterministic
 * and needs no derivative.
 */
public final class PatternSearch {
  private static final double FIRST_STEP = 0.25;
  private static final double LAST_PAIR_STEP = 0.06;
  private static final double LAST_STEP = 0.01;
  private static final int TRIALS = 600;
  private static final int TRIALS_OF_A_WIDTH = 150;
  private static final int MOST_CHANGED = 3;
  private static final double FIRST_WIDTH = 0.5;
  private static final double LAST_WIDTH = 0.01;
  // One success in five trials keeps the width.
  private static final double WIDER = 1.3;
  private static final double NARROWER = 0.985;

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
    if (constants.size() > 2) {
      search.scattered(RandomStream.of(1, "nccl", "calibration"));
    }
    return search.best;
  }

  private void scattered(RandomStream random) {
    double width = FIRST_WIDTH;
    for (int trial = 0; trial < TRIALS; trial++) {
      width = trial % TRIALS_OF_A_WIDTH == 0 ? FIRST_WIDTH : width;
      double[] changed = best;
      for (int change = random.nextInt(MOST_CHANGED); change >= 0; change--) {
        int index = random.nextInt(best.length);
        double up = random.nextDouble();
        changed = moved(changed, index, width * (up - random.nextDouble()));
      }
      width = improve(changed) ? width * WIDER : Math.max(LAST_WIDTH, width * NARROWER);
    }
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
