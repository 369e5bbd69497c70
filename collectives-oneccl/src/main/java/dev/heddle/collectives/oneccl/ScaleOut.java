package dev.heddle.collectives.oneccl;

/** Reduction between nodes among the ranks of the same position. */
public enum ScaleOut {
  /** Each node sends to the next: the fewest bytes, a round for every node twice [Patarasuk, Yuan 2009]. */
  RING,
  /**
   * Nodes exchange halves, quarters and so on, and gather them in the reverse order; nodes beyond the largest power of
   * two send all their data to one within it first, and receive the result at the end [Thakur, Rabenseifner, Gropp
   * 2005].
   */
  HALVING_DOUBLING,
  /**
   * As {@link #HALVING_DOUBLING}, but nodes beyond the largest power of two reduce one half each with a neighbour
   * before, so that both add [Rabenseifner 2004].
   */
  RABENSEIFNER
}
