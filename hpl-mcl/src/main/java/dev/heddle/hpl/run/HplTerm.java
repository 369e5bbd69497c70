package dev.heddle.hpl.run;

/** Terms of HPL's time, as the closed forms divide it. */
public enum HplTerm {
  /** Factorising panels and updating the rest. */
  CALCULATION,
  /** Searching and exchanging pivots within a column of processes. */
  PIVOT,
  /** Sending panels along rows of processes. */
  BROADCAST,
  /** Swapping rows and spreading them along columns of processes. */
  UPDATE
}
