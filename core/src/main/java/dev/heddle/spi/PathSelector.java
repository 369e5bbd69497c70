package dev.heddle.spi;

/**
 * The choice of a path for each packet of one connection. A path is an entropy value in the packet's header: switches
 * that route by hash ({@link dev.heddle.tier.TierPlan.Selection#MESSAGE_HASH}) hash it, others ignore it.
 *
 * <ul>
 * <li>PATHS-1: {@link #next()} MUST be at least 0 and below 2^16.
 * <li>PATHS-2: state MUST be a function of the calls, their arguments and the random stream alone.
 * <li>PATHS-3: no call may allocate or block.
 * </ul>
 */
public interface PathSelector {
  /** Selector of a connection with one path. */
  PathSelector SINGLE = () -> 0;

  /** Path of the next packet. */
  int next();

  /** A packet that took a path was acknowledged. */
  default void onAcknowledgement(int path, boolean marked) {}

  /** A packet that took a path was trimmed before its last hop. */
  default void onTrimmed(int path) {}

  /** A packet that took a path was not acknowledged in time. */
  default void onTimeout(int path, long nowPs) {}
}
