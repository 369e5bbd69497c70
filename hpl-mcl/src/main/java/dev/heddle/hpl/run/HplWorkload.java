package dev.heddle.hpl.run;

import com.google.common.collect.ImmutableSet;
import dev.heddle.hpl.HplProblem;
import dev.heddle.hpl.ProcessGrid;
import dev.heddle.spi.Accelerator;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.workload.Program;
import java.util.Optional;
import java.util.Set;

/**
 * HPL on all accelerators of a cluster, one process each. Rank i · Q + j is process (i, j).
 *
 * <p>Modelled: factorisation of panels with exchanges of pivots, broadcasts of panels, swaps of rows, updates,
 * look-ahead. The exchanges of all columns of a panel are one message per round, with the latencies of the others as
 * computation; a roll is one message. Not modelled: the final back substitution, N² operations of 2N³/3, and the
 * generation and check of the matrix, which HPL does not time.
 *
 * @param run settings
 * @param free terms that move no bytes or take no time; none in a real run
 */
public record HplWorkload(HplRun run, Set<HplTerm> free) implements Workload {
  /** Copies the set. */
  public HplWorkload {
    free = ImmutableSet.copyOf(free);
  }

  /** A run as it is. */
  public HplWorkload(HplRun run) {
    this(run, Set.of());
  }

  @Override
  public WorkloadPlan plan(Cluster cluster) {
    return WorkloadPlan.of(ranks(cluster), this::program);
  }

  private int[] ranks(Cluster cluster) {
    int[] accelerators = cluster.terminals(DeviceKind.ACCELERATOR);
    if (accelerators.length == 0) {
      throw new InvalidSettingException("", "the cluster has no accelerators");
    }
    HplProblem problem = run.problem(accelerators.length);
    Optional<Accelerator> accelerator = cluster.accelerator(accelerators[0]);
    run.memory().or(() -> accelerator.map(Accelerator::memory)).ifPresent(problem::requireMemory);
    Kernels.of(run.kernels(), accelerator);
    int[] ranks = new int[accelerators.length];
    int perNode = accelerators.length / cluster.nodes();
    for (int row = 0; row < problem.grid().rows(); row++) {
      for (int column = 0; column < problem.grid().columns(); column++) {
        ranks[row * problem.grid().columns() + column] = accelerators[place(problem.grid(), row, column, perNode)];
      }
    }
    return ranks;
  }

  private int place(ProcessGrid grid, int row, int column, int perNode) {
    if (run.nodeGrid().isEmpty()) {
      return run.variant().columnMajor() ? column * grid.rows() + row : row * grid.columns() + column;
    }
    ProcessGrid tile = run.nodeGrid().get();
    if (tile.processes() != perNode || grid.rows() % tile.rows() != 0 || grid.columns() % tile.columns() != 0) {
      throw new InvalidSettingException("nodeGrid", "a node's part of " + tile.rows() + " x " + tile.columns()
          + " must hold a node's " + perNode + " accelerators and divide P x Q, " + grid.rows() + " x "
          + grid.columns());
    }
    int nodesAcross = grid.columns() / tile.columns();
    int nodesDown = grid.rows() / tile.rows();
    int nodeRow = row / tile.rows();
    int nodeColumn = column / tile.columns();
    int node = run.variant().columnMajor() ? nodeColumn * nodesDown + nodeRow : nodeRow * nodesAcross + nodeColumn;
    return node * perNode + row % tile.rows() * tile.columns() + column % tile.columns();
  }

  private Program program(int rank, WorkloadContext context) {
    ProcessPlan plan = new ProcessPlan(run, context, free);
    return new RankProgram(plan, rank / plan.columns(), rank % plan.columns());
  }
}
