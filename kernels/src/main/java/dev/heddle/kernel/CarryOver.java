package dev.heddle.kernel;

/**
 * The carrying of a measured time from one accelerator to another. A table of the known accelerator tells how much of
 * its start, its multiprocessors and its memory such kernels take ({@link DemandFit}); each goes by the ratio of the
 * data sheets. The unexplained part of a time stays within a generation, and by its root between two, as one
 * half of it is taken to be the kernel's and the other the accelerator's. Products, whose tiles software chooses for
 * each accelerator, take the mean of that and of the ratio of rooflines.
 */
final class CarryOver {
  /** Part of the logarithm of what is unexplained that another generation shares. */
  private static final double SHARED = 0.5;

  private final KernelQuery query;
  private final double[] sizes;

  CarryOver(KernelQuery query) {
    this.query = query;
    sizes = query.sizes();
  }

  /** The time on the query's accelerator by the ratio of the rooflines. */
  double byRooflines(GpuSpec from, double seconds) {
    return seconds * roofline(query.gpu()) / roofline(from);
  }

  private double roofline(GpuSpec gpu) {
    return new KernelRoofline(gpu, query.kind(), query.format()).seconds(sizes);
  }

  /**
   * The time on the query's accelerator by the resources that a table's kernels take.
   *
   * @param from the accelerator that the time is known of
   * @param seconds there
   * @param table of that accelerator, of the kernel itself or one that takes the same resources
   * @param fit of the table
   */
  double byDemands(GpuSpec from, double seconds, TableId table, DemandFit fit) {
    boolean same = from.architecture().equals(query.gpu().architecture());
    Demand there = Demands.of(from, query.kind(), table.format(), table.variant(), sizes);
    Demand here = Demands.of(query.gpu().beside(from), query.kind(), query.format(), table.variant(), sizes);
    double unexplained = seconds / fit.seconds(there);
    double kept = same || query.kind() != table.kind() ? 1 : SHARED;
    double carried = fit.seconds(same ? here.withStart(there) : here) * Math.pow(unexplained, kept);
    return query.kind().family() == KernelKind.Family.PRODUCT
        ? Math.sqrt(carried * byRooflines(from, seconds)) : carried;
  }
}
