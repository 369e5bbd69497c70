package dev.heddle.collectives.nccl.calibration;

/**
 * A constant that a fit may set.
 *
 * @param name as in a preset
 * @param unit GB/s or us
 * @param meaning in one line
 * @param least lower physical bound
 * @param most upper physical bound
 * @param source of the bounds
 */
public record Constant(String name, String unit, String meaning, double least, double most, String source) {
  /** Checks the bounds. */
  public Constant {
    if (!(0 < least && least < most)) {
      throw new IllegalArgumentException(name + ": bounds " + least + " to " + most);
    }
  }

  /** Whether a value lies within 2 % of a bound. */
  public boolean atBound(double value) {
    return value < least * 1.02 || value > most * 0.98;
  }
}
