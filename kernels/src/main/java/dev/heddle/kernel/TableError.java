package dev.heddle.kernel;

/**
 * The error with which a table's rows predict each other.
 *
 * @param repeat part of the variance that repeats of one shape have
 * @param stretch factor on the distances over which rows are correlated, relative to those of the kind of kernel
 * @param resources share of the table's resources in the law that times are interpolated relative to, 0 to 1; the
 * roofline has the rest
 * @param mean relative error
 * @param upper tenth of the errors is larger
 * @param spread half-width of an interval of 90 % in units of the regression's own standard deviation
 */
public record TableError(
    double repeat, double stretch, double resources, double mean, double upper, double spread) {
  private static final double MOST_STRETCH = 1e3;

  /** Whether every figure lies in its range; not a number lies in none. */
  boolean isPossible() {
    return repeat >= 0 && repeat <= 1 && stretch > 0 && stretch <= MOST_STRETCH && resources >= 0 && resources <= 1
        && mean >= 0 && upper >= 0 && spread > 0 && Double.isFinite(mean + upper + spread);
  }
}
