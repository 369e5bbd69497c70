package dev.heddle.collectives.oneccl;

/** How ranks of the same place on all nodes reduce between nodes. */
public enum ScaleOut {
  /** Each node sends to the next: the fewest bytes, a round for every node twice [Patarasuk, Yuan 2009]. */
  RING,
  /**
   * Nodes exchange halves, quarters and so on, and gather them the same way back; nodes beyond the largest power of two
   * hand all their data to one within it before, and get the result after [Thakur, Rabenseifner, Gropp 2005].
   */
  HALVING_DOUBLING,
  /**
   * As {@link #HALVING_DOUBLING}, but nodes beyond the largest power of two reduce one half each with a neighbour before, so
   * that both add [Rabenseifner 2004].
   */
  RABENSEIFNER
}
