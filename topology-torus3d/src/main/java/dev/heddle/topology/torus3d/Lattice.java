package dev.heddle.topology.torus3d;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;

/**
 * A grid of chips on three axes, numbered row by row, of which some close to rings. In a twisted torus a step over the
 * end of a short axis also moves by half of every long axis [Camarero, Martinez, Beivide, arXiv:1311.2019; Jouppi et
 * al., ISCA 2023, 2.9].
 *
 * @param size chips along each of three axes, each at least 1
 * @param wrap whether each axis closes to a ring; false where it has fewer than 3 chips
 * @param twisted whether the rings of short axes are twisted; k x k x 2k or k x 2k x 2k chips in any order, all closed
 */
record Lattice(ImmutableIntArray size, ImmutableList<Boolean> wrap, boolean twisted) {
  static final int AXES = 3;
  static final int NONE = -1;

  /** The number of chips. */
  int chips() {
    return Math.multiplyExact(Math.multiplyExact(size.get(0), size.get(1)), size.get(2));
  }

  /** The chips along the shortest axis. */
  int shortest() {
    return Math.min(Math.min(size.get(0), size.get(1)), size.get(2));
  }

  /** Whether an axis is one of those whose rings are twisted. */
  boolean isTwisted(int axis) {
    return twisted && size.get(axis) == shortest();
  }

  /** The position of a chip along an axis. */
  int coordinate(int chip, int axis) {
    return chip / stride(axis) % size.get(axis);
  }

  private int stride(int axis) {
    return axis == 2 ? 1 : axis == 1 ? size.get(2) : size.get(1) * size.get(2);
  }

  /** The chip at a position. */
  int chip(int x, int y, int z) {
    return (x * size.get(1) + y) * size.get(2) + z;
  }

  /** The next chip up an axis; -1 at the end of a line. */
  int next(int chip, int axis) {
    int place = coordinate(chip, axis);
    if (place + 1 < size.get(axis)) {
      return chip + stride(axis);
    }
    if (!wrap.get(axis)) {
      return NONE;
    }
    int to = chip - place * stride(axis);
    return isTwisted(axis) ? shifted(to) : to;
  }

  // Half of every long axis further.
  private int shifted(int chip) {
    int to = chip;
    for (int axis = 0; axis < AXES; axis++) {
      if (!isTwisted(axis)) {
        int length = size.get(axis);
        int place = coordinate(to, axis);
        to += ((place + length / 2) % length - place) * stride(axis);
      }
    }
    return to;
  }

  /** The chips of the ring of an axis: that of a twisted axis passes every position along the axis twice. */
  int ringLength(int axis) {
    return isTwisted(axis) ? 2 * size.get(axis) : size.get(axis);
  }

  /** The position of a chip along its ring of an axis. */
  int ringPosition(int chip, int axis) {
    if (!isTwisted(axis)) {
      return coordinate(chip, axis);
    }
    int half = shortest();
    for (int other = 0; other < AXES; other++) {
      if (!isTwisted(other)) {
        return coordinate(chip, axis) + (coordinate(chip, other) >= half ? half : 0);
      }
    }
    throw new IllegalStateException(this + " has no long axis");
  }

  /** Whether messages go around rings of four chips or more, which takes two virtual channels. */
  boolean needsDatelines() {
    for (int axis = 0; axis < AXES; axis++) {
      if (wrap.get(axis) && ringLength(axis) > 3) {
        return true;
      }
    }
    return false;
  }

  @Override
  public String toString() {
    return size.get(0) + " x " + size.get(1) + " x " + size.get(2) + (twisted ? " twisted torus"
        : wrap.contains(true) ? " torus" : " mesh");
  }
}
