package dev.heddle.hpl;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Setting;

/**
 * The grid of processes over which HPL deals the matrix out, block-cyclically in both dimensions.
 *
 * @param rows P, at least 1
 * @param columns Q, at least 1
 */
public record ProcessGrid(
    @Setting(value = "P", min = "1", max = "1000000") int rows,
    @Setting(value = "Q", min = "1", max = "1000000") int columns) {
  /** A grid of one process. */
  public static final ProcessGrid SINGLE = new ProcessGrid(1, 1);

  /**
   * Checks the ranges.
   *
   * @throws InvalidSettingException when a dimension is not positive, or P × Q exceeds an {@code int}
   */
  public ProcessGrid {
    if (rows < 1 || columns < 1) {
      throw new InvalidSettingException(
          rows < 1 ? "rows" : "columns",
          "a process grid of " + rows + " x " + columns + ": P and Q must be at least 1");
    }
    if ((long) rows * columns > Integer.MAX_VALUE) {
      throw new InvalidSettingException(
          "", "a process grid of " + rows + " x " + columns + " exceeds " + Integer.MAX_VALUE + " processes");
    }
  }

  /**
   * The squarest grid of a number of processes with P at least Q.
   *
   * @throws InvalidSettingException when {@code processes} is not positive
   */
  public static ProcessGrid tall(int processes) {
    int columns = (int) Math.sqrt(processes);
    while (columns > 1 && processes % columns != 0) {
      columns--;
    }
    return new ProcessGrid(processes / Math.max(1, columns), columns);
  }

  /**
   * The squarest grid of a number of processes with P at most Q, as [MCL-HPL §3.1.4.2] has it for nodes.
   *
   * @throws InvalidSettingException when {@code processes} is not positive
   */
  public static ProcessGrid wide(int processes) {
    ProcessGrid tall = tall(processes);
    return new ProcessGrid(/* rows= */ tall.columns, /* columns= */ tall.rows);
  }

  /** P × Q. */
  public int processes() {
    return rows * columns;
  }

  /**
   * Checks that the grid has a given number of processes.
   *
   * @throws InvalidSettingException when it is not; the message names the squarest grid that is
   */
  public void requireProcesses(int processes) {
    if (processes() != processes) {
      ProcessGrid squarest = wide(processes);
      throw new InvalidSettingException(
          "", "P x Q is " + rows + " x " + columns + " = " + processes() + ", but there are " + processes
              + " ranks; P x Q must be their number, such as " + squarest.rows + " x " + squarest.columns);
    }
  }
}
