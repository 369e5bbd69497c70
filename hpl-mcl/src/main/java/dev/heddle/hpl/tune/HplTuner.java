package dev.heddle.hpl.tune;

import com.google.common.collect.ImmutableList;
import dev.heddle.hpl.HplProblem;
import dev.heddle.hpl.HplSystem;
import dev.heddle.hpl.HplTime;
import dev.heddle.hpl.ProcessGrid;
import dev.heddle.hpl.run.Kernels;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.units.ComputeRate;
import dev.heddle.units.DataSize;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Finds the best N, NB, P and Q of a machine by the layered closed form: every grid whose longer side is at most
 * {@value #LONGEST} times the shorter, with every NB, and the largest N that fits.
 *
 * <p>A small NB makes products narrow, so that memory bandwidth limits them; a large one makes panels, which few
 * processes factorise, long. The first effect is in the rate of products, the second in the closed form.
 */
public final class HplTuner {
  /** The largest ratio of a grid's longer to its shorter side. */
  public static final int LONGEST = 8;

  private static final List<Integer> BLOCK_SIZES =
      ImmutableList.of(64, 96, 128, 192, 256, 288, 320, 384, 448, 512, 576, 640, 768, 896, 1024, 1280, 1536, 2048);
  // Updates do half of their work while the order is above 0.79 N; on average, by work, it is 3/4 N.
  private static final double AVERAGE_ORDER = 0.75;

  private final HplSystem system;
  private final Kernels kernels;
  private final DataSize memory;

  /**
   * A choice with its predicted time.
   *
   * @param problem N, NB, P and Q
   * @param time by the layered closed form
   */
  public record Choice(HplProblem problem, HplTime time) {}

  /**
   * A search on a machine.
   *
   * @param system the machine; its peak and NB are not used
   * @param kernels compute times of its devices
   * @param memory of a device that the matrix may take
   */
  public HplTuner(HplSystem system, Kernels kernels, DataSize memory) {
    this.system = system;
    this.kernels = kernels;
    this.memory = memory;
  }

  /**
   * The best choices, best first; of equal ones those with the smaller NB.
   *
   * @param count the largest number of choices
   * @throws InvalidSettingException when not even the smallest matrix fits
   */
  public List<Choice> best(int count) {
    List<Choice> choices = new ArrayList<>();
    int processes = Math.multiplyExact(system.nodes(), system.devicesPerNode());
    for (int rows = 1; rows <= processes; rows++) {
      int columns = processes / rows;
      if (rows * columns == processes && isAcceptable(rows, columns)) {
        add(new ProcessGrid(rows, columns), choices);
      }
    }
    if (choices.isEmpty()) {
      throw new InvalidSettingException("", "no matrix fits into " + memory + " of each of " + processes + " devices");
    }
    choices.sort(Comparator.comparingDouble((Choice each) -> -each.time().flopsPerSecond())
        .thenComparingInt(each -> each.problem().blockSize()));
    return choices.subList(0, Math.min(count, choices.size()));
  }

  // Primes have only one-dimensional grids.
  private static boolean isAcceptable(int rows, int columns) {
    int longer = Math.max(rows, columns);
    int shorter = Math.min(rows, columns);
    return longer <= LONGEST * shorter || ProcessGrid.tall(rows * columns).columns() == 1;
  }

  private void add(ProcessGrid grid, List<Choice> choices) {
    for (int blockSize : BLOCK_SIZES) {
      long order = largest(grid, blockSize);
      if (order >= blockSize) {
        HplProblem problem = new HplProblem(order, blockSize, grid);
        long rows = Math.max(1, Math.round(AVERAGE_ORDER * order / grid.rows()));
        long columns = Math.max(1, Math.round(AVERAGE_ORDER * order / grid.columns()));
        ComputeRate rate = new ComputeRate(Math.max(1, Math.round(kernels.productFlops(rows, columns, blockSize))));
        choices.add(new Choice(problem, system.with(rate, blockSize).layered(problem)));
      }
    }
  }

  /** The largest N of whole blocks at which the largest part of the matrix fits. */
  private long largest(ProcessGrid grid, int blockSize) {
    long most = Math.min(
        100_000_000, (long) Math.sqrt((double) memory.bytes() / HplProblem.WORD_BYTES * grid.processes()));
    long order = most / blockSize * blockSize;
    while (order >= blockSize
        && new HplProblem(order, blockSize, grid).bytesPerProcess().bytes() > memory.bytes()) {
      order -= blockSize;
    }
    return order;
  }
}
