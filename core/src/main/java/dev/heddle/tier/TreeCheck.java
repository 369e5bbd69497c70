package dev.heddle.tier;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;

/**
 * Proves that the rows of a tree reach every terminal without a circle, in time proportional to the links: every upward
 * channel leads to a higher level, and every downward channel to a device above all leaf positions that it serves.
 */
final class TreeCheck {
  private static final int ABSENT = -1;

  private final TreeRow[] rows;
  private final int[] placeOf;
  private final String[] names;
  private final IntUnaryOperator target;
  private final int[] terminalAt;

  /**
   * Prepares a check.
   *
   * @param rows of each device
   * @param placeOf of each terminal
   * @param names of the devices
   * @param target the device at which a channel ends
   */
  TreeCheck(TreeRow[] rows, int[] placeOf, String[] names, IntUnaryOperator target) {
    this.rows = rows;
    this.placeOf = placeOf;
    this.names = names;
    this.target = target;
    terminalAt = terminals();
  }

  private int[] terminals() {
    int most = 0;
    for (int place : placeOf) {
      most = Math.max(most, place);
    }
    int[] at = new int[most + 1];
    Arrays.fill(at, ABSENT);
    for (int terminal = 0; terminal < placeOf.length; terminal++) {
      if (at[placeOf[terminal]] != ABSENT) {
        throw new IllegalStateException(
            names[terminal] + " and " + names[at[placeOf[terminal]]] + " have the same place in the tree");
      }
      at[placeOf[terminal]] = terminal;
    }
    return at;
  }

  /**
   * Checks all rows.
   *
   * @param perTree leaf positions of each of the disjoint trees
   * @throws IllegalStateException when a row does not lead on
   */
  void check(int perTree) {
    for (int device = 0; device < rows.length; device++) {
      TreeRow row = rows[device];
      for (int channel : row.up()) {
        if (rows[target.applyAsInt(channel)].level() <= row.level()) {
          throw new IllegalStateException("the way up from " + names[device] + " to "
              + names[target.applyAsInt(channel)] + " leads to no higher level");
        }
      }
      for (int child = 0; device >= placeOf.length && child < row.down().length; child++) {
        checkChild(device, row, child);
      }
      if (row.up().length == 0 && device >= placeOf.length) {
        requireAll(device, row, perTree);
      }
      if (row.up().length == 0 && device < placeOf.length && placeOf.length > 1) {
        throw new IllegalStateException("no way leads up from " + names[device]);
      }
    }
  }

  private void checkChild(int device, TreeRow row, int child) {
    int from = row.first() + child * row.span();
    for (int place = from; place < Math.min(from + row.span(), terminalAt.length); place++) {
      if (terminalAt[place] != ABSENT && row.down()[child].length == 0) {
        throw new IllegalStateException("no route from " + names[device] + " to " + names[terminalAt[place]]);
      }
    }
    for (int channel : row.down()[child]) {
      int below = target.applyAsInt(channel);
      boolean terminal = below < placeOf.length;
      TreeRow next = rows[below];
      boolean holds = terminal
          ? row.span() == 1 && placeOf[below] == from
          : next.level() < row.level() && next.first() <= from
              && from + row.span() <= next.first() + next.down().length * next.span();
      if (!holds) {
        throw new IllegalStateException("the way down from " + names[device] + " to " + names[below]
            + " does not hold places " + from + " to " + (from + row.span() - 1));
      }
    }
  }

  private void requireAll(int device, TreeRow row, int perTree) {
    for (int place : placeOf) {
      boolean same = place / perTree == row.first() / perTree;
      int offset = place - row.first();
      if (same && (offset < 0 || offset >= row.down().length * row.span())) {
        throw new IllegalStateException("no route from " + names[device] + " to " + names[terminalAt[place]]);
      }
    }
  }
}
