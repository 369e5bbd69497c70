package dev.heddle.hpl.run;

import dev.heddle.hpl.HplProblem;
import dev.heddle.hpl.HplVariant;
import dev.heddle.hpl.ProcessGrid;
import dev.heddle.hpl.RowSwap;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Setting;
import dev.heddle.units.DataSize;
import java.util.Optional;

/**
 * One run of HPL.
 *
 * @param order N
 * @param blockSize NB
 * @param grid P × Q; without it, the squarest one of all accelerators with P at most Q
 * @param nodeGrid part of the process grid that a node holds; without it, processes fill the nodes in their order
 * @param variant of the algorithm
 * @param swap of rows before an update
 * @param swapThreshold columns up to which a mixed swap is a binary exchange
 * @param kernels compute times of an accelerator
 * @param memory of a process that its part of the matrix may take; without it, the accelerator's own
 */
public record HplRun(
    @Setting(value = "N, the number of equations", min = "1", max = "100000000") long order,
    @Setting(value = "NB, the columns of a panel", min = "1", max = "65536") int blockSize,
    @Setting("P x Q; without it, the squarest grid of all accelerators, P at most Q") Optional<ProcessGrid> grid,
    @Setting("the part of the process grid that a node holds; without it, processes fill nodes in their "
        + "order") Optional<ProcessGrid> nodeGrid,
    @Setting(value = "variant of the algorithm", def = "{}") HplVariant variant,
    @Setting(value = "row swap before an update", def = "spread-roll") RowSwap swap,
    @Setting(value = "columns up to which a mixed swap is a binary exchange", def = "64", min = "0",
        max = "100000000", source = "HPL.dat as HPL 2.3 ships it") int swapThreshold,
    @Setting(value = "compute times of an accelerator", def = "{}") KernelSettings kernels,
    @Setting("memory of a process that its part of the matrix may take, such as a host's; without it, the "
        + "accelerator's") Optional<DataSize> memory) {
  /** The same on kernels of another speed. */
  public HplRun with(KernelSettings other) {
    return new HplRun(order, blockSize, grid, nodeGrid, variant, swap, swapThreshold, other, memory);
  }

  /** The same run with another part of the grid in a node. */
  public HplRun with(ProcessGrid newNodeGrid) {
    return new HplRun(
        order, blockSize, grid, Optional.of(newNodeGrid), variant, swap, swapThreshold, kernels, memory);
  }

  /** The problem on a number of processes. */
  public HplProblem problem(int processes) {
    ProcessGrid used = grid.orElseGet(() -> ProcessGrid.wide(processes));
    try {
      used.requireProcesses(processes);
    } catch (InvalidSettingException e) {
      throw new InvalidSettingException("grid", String.valueOf(e.getMessage()));
    }
    return new HplProblem(order, blockSize, used);
  }
}
