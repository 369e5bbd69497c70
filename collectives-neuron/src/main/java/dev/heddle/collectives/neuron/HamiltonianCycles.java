package dev.heddle.collectives.neuron;

import dev.heddle.units.RandomStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Link-disjoint Hamiltonian cycles over all chips of a grid. A torus of three or more chips a side has two [Kotzig
 * 1973]; a grid with a side of two chips, or without links that close lines, has one where a side is even, and none
 * where all are odd.
 *
 * <p>The two begin as all rows and all columns, each a separate ring. Around a unit square, where the first holds the
 * links in one direction and the second those in the other, exchanging these joins or splits two rows and two columns.
 * Exchanges that reduce the number of rings are made until one is left of each; where no exchange does, a random one is
 * made first.
 */
final class HamiltonianCycles {
  private static final int MOST_ROUNDS = 100_000;

  private final int rows;
  private final int columns;
  // Of the link to the next column, and to the next row: whether it belongs to the first cycle.
  private final boolean[] along;
  private final boolean[] across;
  private final int[] parent;

  private HamiltonianCycles(int rows, int columns) {
    this.rows = rows;
    this.columns = columns;
    along = new boolean[rows * columns];
    across = new boolean[rows * columns];
    parent = new int[rows * columns];
    Arrays.fill(along, true);
  }

  /** The cycles, as chips in order. */
  static List<int[]> of(ChipGrid grid) {
    int dimensions = grid.size().length();
    if (dimensions == 2) {
      return flat(grid.size().get(0), grid.size().get(1), grid.wrap());
    }
    // A cycle of the first two dimensions is a side of a torus with the third.
    int depth = grid.size().get(2);
    List<int[]> planes = flat(grid.size().get(0), grid.size().get(1), grid.wrap());
    if (planes.isEmpty()) {
      return List.of();
    }
    int[] plane = planes.get(0);
    List<int[]> cycles = new ArrayList<>();
    for (int[] cycle : grid.wrap() ? flat(plane.length, depth, true) : snake(plane.length, depth)) {
      int[] chips = new int[cycle.length];
      for (int i = 0; i < chips.length; i++) {
        chips[i] = plane[cycle[i] / depth] * depth + cycle[i] % depth;
      }
      cycles.add(chips);
    }
    return cycles;
  }

  private static List<int[]> flat(int rows, int columns, boolean wrap) {
    if (!wrap || rows == 2 || columns == 2) {
      return snake(rows, columns);
    }
    return new HamiltonianCycles(rows, columns).exchange();
  }

  // Along the rows in alternating directions, except for the first column, which leads back.
  private static List<int[]> snake(int rows, int columns) {
    if (rows % 2 != 0 && columns % 2 != 0) {
      return List.of();
    }
    boolean turned = rows % 2 != 0;
    int lines = turned ? columns : rows;
    int length = turned ? rows : columns;
    int[] chips = new int[rows * columns];
    int count = 0;
    for (int line = 0; line < lines; line++) {
      for (int i = 1; i < length; i++) {
        chips[count++] = chip(line, line % 2 == 0 ? i : length - i, columns, turned);
      }
    }
    for (int line = lines - 1; line >= 0; line--) {
      chips[count++] = chip(line, 0, columns, turned);
    }
    return List.of(chips);
  }

  private static int chip(int line, int place, int columns, boolean turned) {
    return turned ? place * columns + line : line * columns + place;
  }

  private List<int[]> exchange() {
    RandomStream random = RandomStream.of(0, "HamiltonianCycles", rows + "x" + columns);
    int rings = join(rings());
    for (int round = 0; rings > 2 && round < MOST_ROUNDS; round++) {
      boolean[] alongBefore = along.clone();
      boolean[] acrossBefore = across.clone();
      int square = random.nextInt(rows * columns);
      if (!exchangeable(square)) {
        continue;
      }
      exchange(square);
      int now = join(rings());
      if (now > rings) {
        System.arraycopy(alongBefore, 0, along, 0, along.length);
        System.arraycopy(acrossBefore, 0, across, 0, across.length);
      } else {
        rings = now;
      }
    }
    if (rings > 2) {
      return snake(rows, columns);
    }
    return List.of(walk(true), walk(false));
  }

  private int join(int start) {
    int rings = start;
    boolean joined = true;
    while (joined && rings > 2) {
      joined = false;
      for (int square = 0; square < along.length && rings > 2; square++) {
        if (exchangeable(square)) {
          exchange(square);
          int now = rings();
          if (now < rings) {
            rings = now;
            joined = true;
          } else {
            exchange(square);
          }
        }
      }
    }
    return rings;
  }

  private int below(int chip) {
    return (chip + columns) % along.length;
  }

  private int right(int chip) {
    return chip / columns * columns + (chip % columns + 1) % columns;
  }

  private boolean exchangeable(int square) {
    return along[square] == along[below(square)] && across[square] == across[right(square)]
        && along[square] != across[square];
  }

  private void exchange(int square) {
    along[square] ^= true;
    along[below(square)] ^= true;
    across[square] ^= true;
    across[right(square)] ^= true;
  }

  private int rings() {
    return rings(true) + rings(false);
  }

  private int rings(boolean first) {
    int count = parent.length;
    for (int chip = 0; chip < parent.length; chip++) {
      parent[chip] = chip;
    }
    for (int chip = 0; chip < parent.length; chip++) {
      count -= along[chip] == first ? unite(chip, right(chip)) : 0;
      count -= across[chip] == first ? unite(chip, below(chip)) : 0;
    }
    return count;
  }

  private int unite(int a, int b) {
    int left = root(a);
    int right = root(b);
    parent[left] = right;
    return left == right ? 0 : 1;
  }

  private int root(int chip) {
    int at = chip;
    while (parent[at] != at) {
      parent[at] = parent[parent[at]];
      at = parent[at];
    }
    return at;
  }

  private int[] walk(boolean first) {
    int[] chips = new int[along.length];
    int before = -1;
    int at = 0;
    for (int i = 0; i < chips.length; i++) {
      chips[i] = at;
      int next = next(at, before, first);
      before = at;
      at = next;
    }
    return chips;
  }

  private int next(int at, int before, boolean first) {
    int left = at / columns * columns + (at % columns + columns - 1) % columns;
    int above = (at + along.length - columns) % along.length;
    if (along[at] == first && right(at) != before) {
      return right(at);
    }
    if (across[at] == first && below(at) != before) {
      return below(at);
    }
    return along[left] == first && left != before ? left : above;
  }
}
