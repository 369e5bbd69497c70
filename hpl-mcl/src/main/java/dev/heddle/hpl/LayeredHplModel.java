package dev.heddle.hpl;

import com.google.common.collect.ImmutableList;
import dev.heddle.hpl.HplTime.LayerTime;
import dev.heddle.spi.InvalidSettingException;
import java.util.List;

/**
 * The multi-communication-layered (MCL) model of HPL with any number of layers [MCL-HPL §3, eq. 11 to 30].
 *
 * <p>Each layer carries the part of the matrix between the boundary of the layer within it and its own. Takes a few
 * operations per layer, whatever the number of processes.
 *
 * <p>Corrections of equations that cannot be meant as printed:
 *
 * <ul>
 *   <li>Equations 11 and 25 print N² in their third term, which would be of the dimension of N²·NB² and, as the factor
 *       is negative, make the time negative for large matrices. The panel sum of equations 1 and 2 gives N, which is
 *       used.
 *   <li>Equation 12 prints {@code 4 log P - 1} in its term linear in N; the sum of equations 26 to 29 gives {@code 4 P
 *       log P - 1}. Equations 26 to 29 are used for all layers, the first included.
 *   <li>Equations 13 and 15 are labelled calculation, yet hold α and β: they are the broadcasts of equation 28, and
 *       equations 14 and 16 the updates of equation 29. They are used as such; calculation is equation 25.
 *   <li>Equation 24 as sums over panel numbers would let pivoting depend on the order of panels; the closed forms 26 to
 *       29 that follow it are used.
 * </ul>
 */
public final class LayeredHplModel {
  private LayeredHplModel() {}

  /**
   * The time of a problem.
   *
   * @param problem to solve; its padded order is used
   * @param gamma seconds per floating-point operation of a process
   * @param extents layers, innermost first; the last must reach to the whole matrix
   * @throws InvalidSettingException when there is no layer, or the last one ends before the matrix
   */
  public static HplTime time(HplProblem problem, double gamma, List<LayerExtent> extents) {
    if (extents.isEmpty() || !extents.get(extents.size() - 1).parts().equals(ProcessGrid.SINGLE)) {
      throw new InvalidSettingException("", "the outermost communication layer must reach to the whole matrix");
    }
    ImmutableList.Builder<LayerTime> layers = ImmutableList.builder();
    double rowsWithin = 0;
    double columnsWithin = 0;
    for (LayerExtent extent : extents) {
      double rows = problem.boundary(extent.parts().rows());
      double columns = problem.boundary(extent.parts().columns());
      layers.add(communication(problem, extent.layer(), rows - rowsWithin, columns - columnsWithin));
      rowsWithin = rows;
      columnsWithin = columns;
    }
    return new HplTime(problem.flops(), calculation(problem, gamma), layers.build());
  }

  /** Equation 25, its third term linear in N. */
  private static double calculation(HplProblem problem, double gamma) {
    double n = problem.paddedOrder();
    double nb = problem.blockSize();
    double p = problem.grid().rows();
    double q = problem.grid().columns();
    return gamma * (4 * n * n * n + nb * (3 * q + 3 * p + 6) * n * n
        + nb * nb * (3 * p + 2 - (2 * p + 3) * q) * n) / (6 * p * q);
  }

  /** Equations 26 to 29; {@code rows} is m_j less m_(j-1), {@code columns} likewise of n, whose squares they hold. */
  private static LayerTime communication(
      HplProblem problem, CommunicationLayer layer, double rows, double columns) {
    double nb = problem.blockSize();
    double p = problem.grid().rows();
    double q = problem.grid().columns();
    double rounds = problem.rounds();
    return new LayerTime(
        layer.name(),
        rounds * (layer.alpha() + layer.beta() * (2 * nb + 4)) * rows,
        layer.alpha() * rows / nb + layer.beta() * rows * (rows - nb) / (2 * p),
        layer.alpha() * (rounds + p - 1) * columns / nb + 3 * layer.beta() * columns * (columns + nb) / (2 * q));
  }
}
