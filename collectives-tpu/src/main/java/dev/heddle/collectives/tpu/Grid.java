package dev.heddle.collectives.tpu;

import com.google.common.primitives.ImmutableIntArray;
import java.util.Arrays;
import java.util.Optional;

/**
 * A grid of chips on three axes, numbered row by row, recognised by its links. In a twisted torus a step over the end
 * of a short axis also moves by half of every long one.
 *
 * @param size chips along each of three axes
 * @param closed of each axis a bit: whether it closes to a ring
 * @param twisted whether short axes are twisted
 */
record Grid(ImmutableIntArray size, int closed, boolean twisted) {
  static final int AXES = 3;
  static final int NONE = -1;

  /**
   * Finds the grid of some chips.
   *
   * @param neighbours of each chip in ascending order, each once
   */
  static Optional<Grid> of(int[][] neighbours) {
    int chips = neighbours.length;
    for (int x = 1; x <= chips; x++) {
      for (int y = 1; chips % x == 0 && y <= chips / x; y++) {
        if (chips / x % y == 0) {
          ImmutableIntArray size = ImmutableIntArray.of(x, y, chips / x / y);
          for (int closed = 0; closed < 2 << AXES; closed++) {
            Grid grid = new Grid(size, closed % (1 << AXES), closed >= 1 << AXES);
            if (grid.isPossible() && grid.matches(neighbours)) {
              return Optional.of(grid);
            }
          }
        }
      }
    }
    return Optional.empty();
  }

  private boolean isPossible() {
    int least = shortest();
    int doubled = 0;
    boolean possible = true;
    for (int axis = 0; axis < AXES; axis++) {
      int length = size.get(axis);
      possible &= !isClosed(axis) || length > 2;
      possible &= !twisted || isClosed(axis) && (length == least || length == 2 * least);
      doubled += length == 2 * least ? 1 : 0;
    }
    return possible && (!twisted || doubled == 1 || doubled == 2);
  }

  private boolean matches(int[][] neighbours) {
    int[] links = new int[neighbours.length];
    for (int chip = 0; chip < neighbours.length; chip++) {
      for (int axis = 0; axis < AXES; axis++) {
        int next = next(chip, axis);
        if (next != NONE) {
          if (Arrays.binarySearch(neighbours[chip], next) < 0) {
            return false;
          }
          links[chip]++;
          links[next]++;
        }
      }
    }
    for (int chip = 0; chip < links.length; chip++) {
      if (links[chip] != neighbours[chip].length) {
        return false;
      }
    }
    return true;
  }

  private int shortest() {
    return Math.min(Math.min(size.get(0), size.get(1)), size.get(2));
  }

  private boolean isClosed(int axis) {
    return (closed >> axis & 1) == 1;
  }

  private boolean isTwisted(int axis) {
    return twisted && size.get(axis) == shortest();
  }

  /** Whether the chips of a line along an axis form a ring by themselves. */
  boolean isRing(int axis) {
    return isClosed(axis) && !isTwisted(axis);
  }

  /** The position of a chip along an axis. */
  int coordinate(int chip, int axis) {
    return chip / stride(axis) % size.get(axis);
  }

  private int stride(int axis) {
    return axis == 2 ? 1 : axis == 1 ? size.get(2) : size.get(1) * size.get(2);
  }

  /** The chip at another position along an axis. */
  int at(int chip, int axis, int coordinate) {
    return chip + (coordinate - coordinate(chip, axis)) * stride(axis);
  }

  /** The next chip up an axis; -1 at the end of a line. */
  int next(int chip, int axis) {
    int place = coordinate(chip, axis) + 1;
    if (place < size.get(axis)) {
      return at(chip, axis, place);
    }
    if (!isClosed(axis)) {
      return NONE;
    }
    int to = at(chip, axis, 0);
    for (int other = 0; other < AXES && isTwisted(axis); other++) {
      if (!isTwisted(other)) {
        int length = size.get(other);
        to = at(to, other, (coordinate(to, other) + length / 2) % length);
      }
    }
    return to;
  }
}
