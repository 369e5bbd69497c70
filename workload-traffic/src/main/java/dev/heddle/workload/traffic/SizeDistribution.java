package dev.heddle.workload.traffic;

/**
 * A published distribution of flow sizes, linear between its points [alibaba-edu/High-Precision-Congestion-Control
 * 9cf8b9e, traffic_gen].
 */
public enum SizeDistribution {
  /** Web search: 15 % up to 10 kB, 30 % above 1 MB, as HPCC took it from DCTCP's paper (WebSearch_distribution.txt). */
  WEB_SEARCH(
      0, 0, 10_000, 15, 20_000, 20, 30_000, 30, 50_000, 40, 80_000, 53, 200_000, 60, 1_000_000, 70, 2_000_000, 80,
      5_000_000, 90, 10_000_000, 97, 30_000_000, 100),
  /** Hadoop at Facebook: 60 % up to 1 kB, 1 % above 2 MB (FbHdp_distribution.txt). */
  HADOOP(
      0, 0, 100, 1, 200, 2, 300, 5, 350, 15, 400, 20, 500, 30, 600, 40, 700, 50, 1000, 60, 2000, 67, 7000, 70, 30_000,
      72, 50_000, 82, 80_000, 87, 120_000, 90, 300_000, 95, 1_000_000, 97.5, 2_000_000, 99, 10_000_000, 100);

  private static final double PERCENT = 100;

  // Sizes in bytes, each with the share of flows up to it in percent.
  private final double[] points;

  SizeDistribution(double... points) {
    this.points = points;
  }

  /** The mean size in bytes. */
  public double mean() {
    double sum = 0;
    for (int i = 2; i < points.length; i += 2) {
      sum += (points[i + 1] - points[i - 1]) / PERCENT * (points[i] + points[i - 2]) / 2;
    }
    return sum;
  }

  /**
   * The size up to which a share of the flows is, in bytes, at least 1.
   *
   * @param share from 0 to 1
   */
  public long quantile(double share) {
    int i = 2;
    while (i < points.length - 2 && points[i + 1] < PERCENT * share) {
      i += 2;
    }
    double part = (PERCENT * share - points[i - 1]) / (points[i + 1] - points[i - 1]);
    return Math.max(1, Math.round(points[i - 2] + part * (points[i] - points[i - 2])));
  }
}
