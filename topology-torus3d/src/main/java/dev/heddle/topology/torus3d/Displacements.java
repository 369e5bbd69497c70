package dev.heddle.topology.torus3d;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The steps along each axis on a shortest path between two chips of a lattice. Where several displacements are equally
 * short, the position of the destination decides: by a preferred direction along each axis and an order of the axes.
 * The order is the same at every chip on the way, so that a message keeps its displacement, and all links get nearly
 * the same load when all chips send to all.
 */
final class Displacements {
  private static final int AXES = Lattice.AXES;
  private static final int DIRECTIONS = 1 << AXES;
  // Multiples of an axis' period that can make a displacement shorter.
  private static final int REACH = 2;

  private final Lattice lattice;
  private final int[] span = new int[AXES];
  private final int orders;
  // The axis whose length differs from the two others'.
  private final int odd;
  // By class of the destination and difference of positions: the first axis of the path, and the steps along it.
  private final byte[] axes;
  private final short[] steps;

  Displacements(Lattice lattice) {
    this.lattice = lattice;
    orders = lattice.twisted() ? 2 : 1;
    odd = odd(lattice);
    int differences = 1;
    for (int axis = 0; axis < AXES; axis++) {
      int length = lattice.size().get(axis);
      span[axis] = lattice.wrap().get(axis) ? length : 2 * length;
      differences *= span[axis];
    }
    axes = new byte[differences * DIRECTIONS * orders];
    steps = new short[axes.length];
    for (int difference = 0; difference < differences; difference++) {
      List<int[]> shortest = shortest(difference);
      for (int preference = 0; preference < DIRECTIONS * orders; preference++) {
        int[] best = preferred(shortest, preference);
        int at = difference * DIRECTIONS * orders + preference;
        int axis = first(best);
        axes[at] = (byte) axis;
        steps[at] = (short) best[axis];
      }
    }
  }

  /** The entry of a path, for {@link #axis} and {@link #steps}. */
  int entry(int from, int to) {
    int x = lattice.coordinate(to, 0) - lattice.coordinate(from, 0);
    int y = lattice.coordinate(to, 1) - lattice.coordinate(from, 1);
    int z = lattice.coordinate(to, 2) - lattice.coordinate(from, 2);
    if (lattice.twisted()) {
      int half = lattice.shortest();
      int shift = (lattice.isTwisted(0) && x < 0 ? half : 0) + (lattice.isTwisted(1) && y < 0 ? half : 0)
          + (lattice.isTwisted(2) && z < 0 ? half : 0);
      x += lattice.isTwisted(0) ? 0 : shift;
      y += lattice.isTwisted(1) ? 0 : shift;
      z += lattice.isTwisted(2) ? 0 : shift;
    }
    int difference = (Math.floorMod(x, span[0]) * span[1] + Math.floorMod(y, span[1])) * span[2]
        + Math.floorMod(z, span[2]);
    return difference * DIRECTIONS * orders + preference(to);
  }

  private int preference(int chip) {
    int x = lattice.coordinate(chip, 0);
    int y = lattice.coordinate(chip, 1);
    int z = lattice.coordinate(chip, 2);
    return (x / 2 + y / 2 + z / 2) % orders * DIRECTIONS + (x & 1 | (y & 1) << 1 | (z & 1) << 2);
  }

  private static int odd(Lattice lattice) {
    for (int axis = 0; axis < AXES; axis++) {
      int length = lattice.size().get(axis);
      if (length != lattice.size().get((axis + 1) % AXES) && length != lattice.size().get((axis + 2) % AXES)) {
        return axis;
      }
    }
    return 0;
  }

  /** The first axis along which a path leads. */
  int axis(int entry) {
    return axes[entry];
  }

  /** The steps along that axis; negative: down. */
  int steps(int entry) {
    return steps[entry];
  }

  // All displacements of the least length.
  private List<int[]> shortest(int difference) {
    int[] offset = {difference / span[2] / span[1], difference / span[2] % span[1], difference % span[2]};
    for (int axis = 0; axis < AXES; axis++) {
      if (!lattice.wrap().get(axis) && offset[axis] >= lattice.size().get(axis)) {
        offset[axis] -= span[axis];
      }
    }
    List<int[]> found = new ArrayList<>();
    int least = Integer.MAX_VALUE;
    for (int turns = 0; turns < (2 * REACH + 1) * (2 * REACH + 1) * (2 * REACH + 1); turns++) {
      int[] candidate = turned(offset, turns);
      int length = Math.abs(candidate[0]) + Math.abs(candidate[1]) + Math.abs(candidate[2]);
      if (length < least) {
        found.clear();
        least = length;
      }
      if (length == least && found.stream().noneMatch(other -> Arrays.equals(other, candidate))) {
        found.add(candidate);
      }
    }
    return found;
  }

  // The displacement that leads to the same chip after full turns of each axis.
  private int[] turned(int[] offset, int turns) {
    int[] result = offset.clone();
    int rest = turns;
    for (int axis = 0; axis < AXES; axis++) {
      int count = lattice.wrap().get(axis) ? rest % (2 * REACH + 1) - REACH : 0;
      rest /= 2 * REACH + 1;
      result[axis] += count * lattice.size().get(axis);
      for (int other = 0; other < AXES && lattice.isTwisted(axis); other++) {
        result[other] += lattice.isTwisted(other) ? 0 : count * lattice.shortest();
      }
    }
    return result;
  }

  private int[] preferred(List<int[]> shortest, int preference) {
    int[] best = shortest.get(0);
    for (int[] other : shortest) {
      if (isPreferred(other, best, preference)) {
        best = other;
      }
    }
    return best;
  }

  // The two axes of equal length take turns as the one that decides first; the third decides last.
  private boolean isPreferred(int[] one, int[] other, int preference) {
    for (int turn = 0; turn < AXES; turn++) {
      int place = preference / DIRECTIONS == 1 && turn < 2 ? 1 - turn : turn;
      int axis = (odd + 1 + place) % AXES;
      if (one[axis] != other[axis]) {
        return one[axis] > other[axis] == ((preference >> axis & 1) == 0);
      }
    }
    return false;
  }

  private static int first(int[] displacement) {
    int axis = 0;
    while (axis < AXES - 1 && displacement[axis] == 0) {
      axis++;
    }
    return axis;
  }
}
