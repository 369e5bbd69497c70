package dev.heddle.tier;

/**
 * Routes of a tier that depend on the channel by which a message arrived, computed on request: non-minimal routes,
 * which may detour once only, and tiers too large for a table. The virtual channel is the only state that a message
 * carries along its path.
 *
 * <ul>
 *   <li>ROUTE-1: all methods MUST be pure functions of their arguments, thread-safe, without effect, and MUST NOT
 *       allocate: they are called for every burst at every device.
 *   <li>ROUTE-2: for any choice of candidates a message MUST arrive, and MUST NOT reach a device twice by the same
 *       channel.
 *   <li>ROUTE-3: candidates MUST be channels of links that begin at the device, with virtual channels that the links
 *       have.
 * </ul>
 */
public interface RouteFunction {
  /** The value for no channel: the message begins at the device, or comes from another tier. */
  int NONE = -1;

  /**
   * The channels that lead from a device towards a terminal. A channel may occur several times.
   *
   * @param device of the plan
   * @param arrivedBy the channel ({@link TierPlan#channel}) by which the message arrived, or {@link #NONE}
   * @param terminal of the plan, other than the device
   * @param into receives the channels
   * @return number of channels, at least 1
   */
  int candidates(int device, int arrivedBy, int terminal, int[] into);

  /** The number of these candidates, from the first, that are on a shortest path; the others are detours. */
  int shortest(int device, int arrivedBy, int terminal);

  /** The largest number of candidates. */
  int most();

  /** The virtual channels of a link that routes take, at least 1. */
  int virtualChannels(int link);
}
