package dev.heddle.topology.torus2d;

/** The routing of messages over chips. */
public enum Routing {
  /**
   * First dimension first, the shorter direction around each ring; from half a ring away, chips with even coordinates
   * go up and the others down. Two virtual channels: one until a ring's end is passed, another after [Dally, Seitz
   * 1987].
   */
  DIMENSION_ORDER,
  /** Any shortest path, by a hash of the message at every chip. A virtual channel for each remaining link. */
  SHORTEST_PATH,
  /** Any shortest path, by the least queued link at every chip. A virtual channel for each remaining link. */
  ADAPTIVE
}
