package dev.heddle.hpl;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.units.DataSize;

/**
 * A system of N linear equations, and its division by HPL.
 *
 * @param order N, 1 to 10<sup>8</sup>
 * @param blockSize NB, 1 to N
 * @param grid P × Q
 */
public record HplProblem(long order, int blockSize, ProcessGrid grid) {
  /** Bytes of an element of the matrix. */
  public static final int WORD_BYTES = 8;

  private static final long MOST_EQUATIONS = 100_000_000;

  /**
   * Checks the ranges.
   *
   * @throws InvalidSettingException when N or NB is out of range
   */
  public HplProblem {
    if (order < 1 || order > MOST_EQUATIONS) {
      throw new InvalidSettingException("order", "N is " + order + "; it must be 1 to " + MOST_EQUATIONS);
    }
    if (blockSize < 1 || blockSize > order) {
      throw new InvalidSettingException(
          "blockSize", "NB is " + blockSize + "; it must be 1 to N (" + order + "), usually 128 to 1024");
    }
  }

  /** The number of panels: N / NB, rounded up. */
  public long panels() {
    return ceilDiv(order, blockSize);
  }

  /** N padded to whole blocks [MCL-HPL eq. 17]. */
  public long paddedOrder() {
    return panels() * blockSize;
  }

  /** The order of one of {@code parts} equal parts of the matrix, in whole blocks [MCL-HPL eq. 18 to 21]. */
  public long boundary(int parts) {
    return blockSize * ceilDiv(paddedOrder(), (long) blockSize * parts);
  }

  /** The operations for which HPL gives credit: 2N³/3 + 3N²/2 [MCL-HPL §2], of the order as given, not padded. */
  public double flops() {
    double n = order;
    return 2 * n * n * n / 3 + 3 * n * n / 2;
  }

  /** Bytes of the part of the matrix that the fullest process holds. */
  public DataSize bytesPerProcess() {
    return DataSize.ofBytes(WORD_BYTES * boundary(grid.rows()) * boundary(grid.columns()));
  }

  /**
   * Checks that the matrix fits.
   *
   * @throws InvalidSettingException when a process has less memory than its part needs; the message names an N that
   *     fits
   */
  public void requireMemory(DataSize perProcess) {
    if (bytesPerProcess().bytes() > perProcess.bytes()) {
      long fitting = (long) Math.sqrt((double) perProcess.bytes() / WORD_BYTES * grid.processes());
      long aligned = (long) blockSize * Math.max(grid.rows(), grid.columns());
      throw new InvalidSettingException(
          "order", "N of " + order + " needs " + bytesPerProcess() + " per process, which has " + perProcess
              + "; an N that fits is " + fitting / aligned * aligned);
    }
  }

  /** log₂ P: the rounds of an exchange within a column of the grid. */
  double rounds() {
    return Math.log(grid.rows()) / Math.log(2);
  }

  private static long ceilDiv(long dividend, long divisor) {
    return (dividend + divisor - 1) / divisor;
  }
}
