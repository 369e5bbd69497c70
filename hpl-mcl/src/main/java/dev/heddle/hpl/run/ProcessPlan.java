package dev.heddle.hpl.run;

import com.google.common.collect.ImmutableSet;
import dev.heddle.hpl.HplProblem;
import dev.heddle.hpl.PanelBroadcast;
import dev.heddle.hpl.ProcessGrid;
import dev.heddle.hpl.RowSwap;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.Link;
import dev.heddle.spi.WorkloadContext;
import java.util.Set;

/** The common plan of a run's processes: sizes of messages, and compute times. N is padded to whole blocks. */
final class ProcessPlan {
  private static final long WORD = HplProblem.WORD_BYTES;
  private static final int PIVOT_HEADER_WORDS = 4;

  private final HplRun run;
  private final ProcessGrid grid;
  private final int panels;
  private final Kernels kernels;
  private final WorkloadContext context;
  private final Set<HplTerm> free;

  /**
   * Plans a run.
   *
   * @param run settings
   * @param context of the workload; rank i · Q + j is process (i, j)
   * @param free terms that move no bytes, or take no time
   */
  ProcessPlan(HplRun run, WorkloadContext context, Set<HplTerm> free) {
    this.run = run;
    this.context = context;
    this.free = ImmutableSet.copyOf(free);
    HplProblem problem = run.problem(context.ranks());
    grid = problem.grid();
    panels = Math.toIntExact(problem.panels());
    kernels = Kernels.of(run.kernels(), context.cluster().accelerator(context.terminal(0)));
  }

  int panels() {
    return panels;
  }

  int rows() {
    return grid.rows();
  }

  int columns() {
    return grid.columns();
  }

  int depth() {
    return run.variant().depth();
  }

  int blockSize() {
    return run.blockSize();
  }

  PanelBroadcast broadcast() {
    return run.variant().broadcast();
  }

  int rank(int row, int column) {
    return row * grid.columns() + column;
  }

  /** The number of blocks, from a given one on, that belong to one of the rows or columns of processes. */
  int blocks(int from, int part, int parts) {
    return below(panels, part, parts) - below(Math.min(from, panels), part, parts);
  }

  private static int below(int end, int part, int parts) {
    return (end + parts - 1 - part) / parts;
  }

  /** The row swap for an update of a number of columns. */
  RowSwap swap(long columns) {
    if (run.swap() != RowSwap.MIXED) {
      return run.swap();
    }
    return columns <= run.swapThreshold() ? RowSwap.BINARY_EXCHANGE : RowSwap.SPREAD_ROLL;
  }

  /**
   * The bytes of one round of all exchanges of a panel's pivots: a row of the panel each, the pivot's, and a header.
   */
  long pivotBytes() {
    long nb = run.blockSize();
    return bytes(HplTerm.PIVOT, nb * (2 * nb + PIVOT_HEADER_WORDS));
  }

  /**
   * The bytes of a panel with a number of blocks below it, sent along a row of processes: the blocks, the triangle, and
   * pivots.
   */
  long panelBytes(int blocksBelow) {
    long nb = run.blockSize();
    return bytes(HplTerm.BROADCAST, nb * nb * blocksBelow + nb * nb + nb);
  }

  /** The bytes of the rows that are swapped for an update of a number of columns. */
  long swapBytes(long columns) {
    return bytes(HplTerm.UPDATE, run.blockSize() * columns);
  }

  private long bytes(HplTerm term, long words) {
    return free.contains(term) ? 0 : WORD * words;
  }

  /**
   * The latencies, per row of processes, of all exchanges of a round but one: software, and the links on the path. Only
   * those of rows that exchange pivots are set.
   */
  long[] exchangesPs(int row, int column) {
    long[] times = new long[grid.rows()];
    if (free.contains(HplTerm.PIVOT)) {
      return times;
    }
    int even = Integer.highestOneBit(grid.rows());
    for (int distance = 1; distance < even; distance *= 2) {
      if (row < even) {
        set(times, row, row ^ distance, column);
      }
    }
    if (row >= even) {
      set(times, row, row - even, column);
    } else if (row + even < grid.rows()) {
      set(times, row, row + even, column);
    }
    return times;
  }

  private void set(long[] times, int row, int other, int column) {
    Cluster cluster = context.cluster();
    long words = 2L * run.blockSize() + PIVOT_HEADER_WORDS;
    long latency = run.kernels().exchange().ps();
    for (int link : cluster.route(context.terminal(rank(other, column)), context.terminal(rank(row, column)))) {
      Link model = cluster.linkModel(link);
      latency += model.latencyPs() + model.headPs((int) (WORD * words), 0);
    }
    times[other] = (run.blockSize() - 1) * latency;
  }

  /** The time to factorise a panel with a number of blocks at a process. */
  long factorisePs(int blocks) {
    return free.contains(HplTerm.CALCULATION)
        ? 0 : kernels.factorise((long) blocks * run.blockSize(), run.blockSize(), run.variant().stop());
  }

  /** The time to update a number of columns, with a number of blocks of rows below the panel. */
  long updatePs(int blocksBelow, long columns) {
    if (free.contains(HplTerm.CALCULATION)) {
      return 0;
    }
    return kernels.solve(columns, run.blockSize())
        + kernels.product((long) blocksBelow * run.blockSize(), columns, run.blockSize());
  }
}
