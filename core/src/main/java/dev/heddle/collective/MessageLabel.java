package dev.heddle.collective;

import dev.heddle.units.RandomStream;

/**
 * A message's treatment by networks, packed into one number, so that it costs nothing in transit: the traffic class on
 * links within a node, a separate one for networks between nodes, and the flow label, which names its path and NICs.
 */
public final class MessageLabel {
  /** The end of the labels of routes; 0 stands for none. */
  public static final int ROUTES = 1 << 8;

  /** The most traffic classes of links. */
  public static final int CLASSES = 8;

  /** The value for no separate class between nodes: the class within nodes applies there. */
  public static final int SAME_CLASS = -1;

  /** Number of bits of the value of {@link #networkBits} besides {@link #RAILED}. */
  public static final int BITS = 12;

  /** The bit of {@link #networkBits} of a flow label that names a rail. */
  public static final int RAILED = 1 << BITS;

  private static final int CLASS_BITS = 3;
  private static final int ROUTE_BITS = 8;

  private MessageLabel() {}

  /**
   * Packs a label.
   *
   * @param trafficClass 0 to 7
   * @param networkClass between nodes 0 to 7, or {@link #SAME_CLASS}
   * @param route 1 to {@value #ROUTES} - 1: messages of one source and label take the same path where paths are chosen
   * by hash; 0: each message is hashed by itself; or {@link #onRail}
   */
  public static int of(int trafficClass, int networkClass, int route) {
    return (networkClass + 1 << ROUTE_BITS | route) << CLASS_BITS | trafficClass;
  }

  /** The label of a route, the same for equal keys and as good as any other for others. */
  public static int flowLabel(long key) {
    return 1 + (int) Long.remainderUnsigned(RandomStream.mix(key), ROUTES - 1);
  }

  /** The rail of the NICs at a position from 0 among so many of each node, fewer than {@value #ROUTES}. */
  public static int rail(int position, int nics) {
    return nics << ROUTE_BITS | position;
  }

  /** The flow label of a route on a rail; numbers tell routes of the rail apart. */
  public static int onRail(int rail, long number) {
    int nics = rail >>> ROUTE_BITS;
    return RAILED | 1 + rail % ROUTES + nics * (int) Long.remainderUnsigned(number, (ROUTES - 1) / nics);
  }

  /** The flow label with its rail in a value of {@link #networkBits}; 0 where it names none. */
  public static int railRoute(int beyondClass) {
    return (beyondClass & RAILED) == 0 ? 0 : labelledRoute(beyondClass);
  }

  /** The position among so many NICs of the rail in a value of {@link #networkBits}; -1 for a terminal's own NIC. */
  public static int railPosition(int beyondClass, int nics) {
    return (beyondClass & RAILED) == 0 ? -1 : (route(beyondClass) - 1) % nics;
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
    return (beyondClass >>> ROUTE_BITS & 0xF) - 1;
  }

  /** The flow label in a value of {@link #networkBits}; 0 for none. */
  public static int route(int beyondClass) {
    return beyondClass & ROUTES - 1;
  }

  /** The route that {@link #of} takes in a value of {@link #networkBits}: the flow label with its rail. */
  public static int labelledRoute(int beyondClass) {
    return beyondClass & (ROUTES - 1 | RAILED);
  }
}
