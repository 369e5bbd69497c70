package dev.heddle.collectives.nccl.calibration;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * A fit of those constants that measurements identify. A constant is identified where another value of it makes the
 * error visibly greater even though all others are fitted again to it (its profile); the one with the flattest profile
 * is taken back to its start until all that are left are identified.
 */
final class IdentifiedFit {
  private static final double NUDGE = 1.1;
  private static final double VISIBLE = 0.002;

  private final List<Constant> constants;
  private final ToDoubleFunction<double[]> error;
  private final ToDoubleFunction<double[]> prior;
  private final boolean[] free;
  private double[] values;

  private IdentifiedFit(List<Constant> constants, double[] start, ToDoubleFunction<double[]> error,
      ToDoubleFunction<double[]> prior) {
    this.constants = constants;
    this.error = error;
    this.prior = prior;
    free = new boolean[start.length];
    Arrays.fill(free, true);
    values = start.clone();
  }

  /**
   * Fits constants.
   *
   * @param error of measurements
   * @param prior penalty of values far from the start, which does not count for identification
   */
  static IdentifiedFit of(List<Constant> constants, double[] start, ToDoubleFunction<double[]> error,
      ToDoubleFunction<double[]> prior) {
    IdentifiedFit fit = new IdentifiedFit(constants, start, error, prior);
    fit.values = fit.minimize(start, -1);
    int flattest = fit.flattest();
    while (flattest >= 0) {
      fit.free[flattest] = false;
      double[] from = fit.values.clone();
      for (int i = 0; i < from.length; i++) {
        from[i] = fit.free[i] ? from[i] : start[i];
      }
      fit.values = fit.minimize(from, -1);
      flattest = fit.flattest();
    }
    return fit;
  }

  // The free constant with the flattest profile, -1 where all of them are identified.
  private int flattest() {
    double least = error.applyAsDouble(values);
    int found = -1;
    double flattest = VISIBLE;
    for (int i = 0; i < free.length; i++) {
      if (free[i]) {
        double rise = Math.max(profile(i, NUDGE), profile(i, 1 / NUDGE)) - least;
        if (rise < flattest) {
          flattest = rise;
          found = i;
        }
      }
    }
    return found;
  }

  // The least error with one constant at another value.
  private double profile(int index, double factor) {
    double[] from = values.clone();
    from[index] *= factor;
    return error.applyAsDouble(minimize(from, index));
  }

  // The constants of least error from a start, where those that are not free and one more keep their values.
  private double[] minimize(double[] from, int kept) {
    List<Integer> moved = new ArrayList<>();
    for (int i = 0; i < free.length; i++) {
      if (free[i] && i != kept) {
        moved.add(i);
      }
    }
    double[] part = moved.stream().mapToDouble(i -> from[i]).toArray();
    double[] best = DirectionSearch.minimize(moved.stream().map(constants::get).toList(), part,
        trial -> {
          double[] all = whole(from, moved, trial);
          return error.applyAsDouble(all) + prior.applyAsDouble(all);
        });
    return whole(from, moved, best);
  }

  private static double[] whole(double[] from, List<Integer> moved, double[] part) {
    double[] all = from.clone();
    for (int i = 0; i < part.length; i++) {
      all[moved.get(i)] = part[i];
    }
    return all;
  }

  boolean identified(int index) {
    return free[index];
  }

  double[] values() {
    return values.clone();
  }
}
