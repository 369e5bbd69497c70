package dev.heddle.observe;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleBinaryOperator;

/**
 * Curves over the simulated time of a run whose end is not known: bins of equal width, which doubles, two neighbours
 * becoming one, when the time passes the last bin.
 */
public final class TimeBins {
  private static final long FIRST_PS = 1 << 16;

  private final int most;
  private final List<Curve> curves = new ArrayList<>();
  private long widthPs = FIRST_PS;
  private long lastPs;

  private record Curve(double[] bins, DoubleBinaryOperator merge) {}

  /**
   * Begins without curves.
   *
   * @param most number of bins, even
   */
  public TimeBins(int most) {
    this.most = most;
  }

  /** The bins of a new curve, zeros, of which neighbours are added up. */
  public double[] sums() {
    return curve(Double::sum);
  }

  /** The bins of a new curve, zeros, of which the larger of neighbours stays. */
  public double[] maxima() {
    return curve(Math::max);
  }

  private double[] curve(DoubleBinaryOperator merge) {
    Curve curve = new Curve(new double[most], merge);
    curves.add(curve);
    return curve.bins();
  }

  /** Makes room for a time. */
  public void reach(long timePs) {
    lastPs = Math.max(lastPs, timePs);
    while (lastPs / widthPs >= most) {
      widthPs *= 2;
      curves.forEach(this::halve);
    }
  }

  private void halve(Curve curve) {
    double[] bins = curve.bins();
    for (int i = 0; i < most / 2; i++) {
      bins[i] = curve.merge().applyAsDouble(bins[2 * i], bins[2 * i + 1]);
    }
    Arrays.fill(bins, most / 2, most, 0);
  }

  /** The bin of a time that has been reached. */
  public int bin(long timePs) {
    return (int) (timePs / widthPs);
  }

  /** Adds the part of a duration that lies in each bin, in picoseconds, times a weight. */
  public void spread(double[] bins, long startPs, long endPs, double weight) {
    for (long from = startPs; from < endPs;) {
      int bin = bin(from);
      long to = Math.min(endPs, (bin + 1) * widthPs);
      bins[bin] += weight * (to - from);
      from = to;
    }
  }

  /** The width of a bin. */
  public long widthPs() {
    return widthPs;
  }

  /** The latest time that has been reached. */
  public long lastPs() {
    return lastPs;
  }

  /** The number of bins up to the latest time. */
  public int count() {
    return bin(lastPs) + 1;
  }
}
