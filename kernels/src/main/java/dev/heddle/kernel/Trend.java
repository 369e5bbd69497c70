package dev.heddle.kernel;

import org.jspecify.annotations.Nullable;

/**
 * The law that a table's times are interpolated relative to: the roofline, the resources that the table's own times
 * were taken apart into ({@link DemandFit}), or a geometric mean of both. Resources know the end of the cache, tiles
 * and waves, so that a step of theirs is none of the ratio.
 */
final class Trend {
  private static final double WHOLE = 1e-6;

  private final TableId id;
  private final KernelRoofline roofline;
  private final @Nullable DemandFit resources;
  private final double share;

  /**
   * Makes a trend.
   *
   * @param resources of the table; null with a share of 0 alone
   * @param share of the logarithm that resources have, 0 to 1; the roofline has the rest
   */
  Trend(TableId id, KernelRoofline roofline, @Nullable DemandFit resources, double share) {
    this.id = id;
    this.roofline = roofline;
    this.resources = resources;
    this.share = share;
  }

  /** The same with another share of the resources. */
  Trend with(double other) {
    return new Trend(id, roofline, resources, other);
  }

  /** Whether there are resources, so that shares above 0 are possible. */
  boolean tellsResources() {
    return resources != null;
  }

  /** The logarithm of the seconds of a kernel, whose sizes may be off whole numbers by rounding. */
  double logSeconds(double[] sizes) {
    double logarithm = share < 1 ? (1 - share) * Math.log(roofline.seconds(sizes)) : 0;
    if (resources == null || share == 0) {
      return logarithm;
    }
    double[] whole = new double[sizes.length];
    for (int i = 0; i < sizes.length; i++) {
      double near = Math.rint(sizes[i]);
      whole[i] = Math.abs(near - sizes[i]) < WHOLE * near ? near : sizes[i];
    }
    Demand demand = Demands.of(roofline.gpu(), id.kind(), id.format(), id.variant(), whole);
    return logarithm + share * Math.log(resources.seconds(demand));
  }
}
