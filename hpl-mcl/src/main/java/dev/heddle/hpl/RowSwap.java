package dev.heddle.hpl;

/** Row swap before an update; in the order of HPL.dat's numbers 0 to 2. */
public enum RowSwap {
  /** Binary exchange. */
  BINARY_EXCHANGE,
  /** Spread-roll, which HPL.dat calls long. */
  SPREAD_ROLL,
  /** Binary exchange up to a number of columns, spread-roll above. */
  MIXED
}
