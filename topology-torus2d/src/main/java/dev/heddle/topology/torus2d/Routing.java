package dev.heddle.topology.torus2d;

/** How messages find their way over chips. */
public enum Routing {
  /**
   * First dimension first, the shorter way around each ring; from half a ring away, chips with even coordinates go up and
   * the others down. Two virtual channels: one until a ring's end is passed, another after [Dally, Seitz 1987].
   */
  DIMENSION_ORDER,
  /** Any shortest way, by a hash of the message at every chip. A virtual channel for each link that is left to go. */
  SHORTEST_PATH,
  /** Any shortest way, the least queued link at every chip. A virtual channel for each link that is left to go. */
  ADAPTIVE
}
