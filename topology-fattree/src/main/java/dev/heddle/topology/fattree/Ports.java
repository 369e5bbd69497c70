package dev.heddle.topology.fattree;

import dev.heddle.spi.InvalidSettingException;
import java.util.Optional;

/**
 * The ports of a terminal, and the planes in which they lie.
 *
 * @param count ports of a terminal, each to a leaf of its own
 * @param planes as many, or 1
 */
record Ports(int count, int planes) {
  private static final int MOST = 64;

  /**
   * The ports of settings.
   *
   * @param ports if they are given
   * @param planes if they are given; else as many as ports
   * @param otherwise ports where none are given
   * @param levels of the tree
   * @throws InvalidSettingException when a terminal lacks a plane, or nothing could join the ports
   */
  static Ports of(Optional<Integer> ports, Optional<Integer> planes, int otherwise, int levels) {
    int count = ports.orElse(otherwise);
    if (ports.isPresent() && (count < 1 || count > MOST)) {
      throw new InvalidSettingException("ports", count + " ports of a terminal; allowed are 1 to " + MOST);
    }
    int all = planes.orElse(count);
    if (all != count && all != 1) {
      throw new InvalidSettingException("planes", all + " planes, but a terminal has " + count
          + (count == 1 ? " port" : " ports") + ": each port lies in a plane of its own (" + count
          + "), or all in one (1)");
    }
    if (all < count && levels == 1) {
      throw new InvalidSettingException("planes", "1 plane of " + count
          + " ports needs switches above the leaves, which a tree of 1 level lacks");
    }
    return new Ports(count, all);
  }

  /** Whether the leaves of different ports meet above. */
  boolean joined() {
    return planes < count;
  }

  /** The number of ports of a terminal in a plane. */
  int perPlane() {
    return count / planes;
  }

  /** A tree with these planes. */
  Shape planes(Shape shape) {
    return joined() ? shape.inOnePlane() : shape;
  }
}
