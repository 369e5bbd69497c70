package dev.heddle.collective;

import dev.heddle.units.RandomStream;

/**
 * A message's treatment by networks, packed into one number, so that it costs nothing in transit: the traffic class on
 * links within a node, a separate one for networks between nodes, and the flow label from which its path is chosen.
 */
public final class MessageLabel {
  /** The end of the labels of routes; 0 stands for none. */
  public static final int ROUTES = 1 << 8;

  /** The most traffic classes of links. */
  public static final int CLASSES = 8;

  /** The value for no separate class between nodes: the class within nodes applies there. */
  public static final int SAME_CLASS = -1;

  /** Number of bits of the value of {@link #networkBits}. */
  public static final int BITS = 12;

  private static final int CLASS_BITS = 3;
  private static final int ROUTE_BITS = 8;

  private MessageLabel() {}

  /**
   * Packs a label.
   *
   * @param trafficClass 0 to 7
   * @param networkClass between nodes 0 to 7, or {@link #SAME_CLASS}
   * @param route 1 to {@value #ROUTES} - 1: messages of one source and label take the same path where paths are chosen
   * by hash; 0: each message is hashed by itself
   */
  public static int of(int trafficClass, int networkClass, int route) {
    return (networkClass + 1 << ROUTE_BITS | route) << CLASS_BITS | trafficClass;
  }

  /** The label of a route, the same for equal keys and as good as any other for others. */
  public static int flowLabel(long key) {
    return 1 + (int) Long.remainderUnsigned(RandomStream.mix(key), ROUTES - 1);
  }

  /** The traffic class within a node. */
  public static int trafficClass(int service) {
    return service & CLASSES - 1;
  }

  /** All but the class within a node, of {@value #BITS} bits; 0 where there is no more. */
  public static int networkBits(int service) {
    return service >>> CLASS_BITS;
  }

  /** The class between nodes in a value of {@link #networkBits}, or {@link #SAME_CLASS}. */
  public static int networkClass(int beyondClass) {
    return (beyondClass >>> ROUTE_BITS) - 1;
  }

  /** The flow label in a value of {@link #networkBits}; 0 for none. */
  public static int route(int beyondClass) {
    return beyondClass & ROUTES - 1;
  }
}
