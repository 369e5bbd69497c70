package dev.heddle.hpl;

/** Broadcast of a panel along a row of the process grid; in the order of HPL.dat's numbers 0 to 5. */
public enum PanelBroadcast {
  /** Increasing ring, 1rg. */
  RING,
  /** Increasing ring whose next column is served first and forwards nothing, 1rM. */
  RING_MODIFIED,
  /** Two increasing rings, 2rg. */
  TWO_RING,
  /** Two increasing rings, the next column served first, 2rM. */
  TWO_RING_MODIFIED,
  /** Long: spread, then rolled, Lng. */
  LONG,
  /** Long, the next column served first, LnM. */
  LONG_MODIFIED
}
