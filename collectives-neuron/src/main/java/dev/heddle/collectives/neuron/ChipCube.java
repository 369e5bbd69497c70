package dev.heddle.collectives.neuron;

import java.util.Arrays;

/**
 * The chips as a hypercube, and the order in which ranks take its axes.
 *
 * @param grid whose sides are powers of two
 * @param ranksPerChip groups that go at the same time
 * @param rotated whether each group begins at another axis, so that they use different links
 */
record ChipCube(ChipGrid grid, int ranksPerChip, boolean rotated) {
  /** The number of axes. */
  int axes() {
    return grid.axes();
  }

  /** The chip across the axis that ranks at a place of their chips take at a step. */
  int across(int chip, int index, int step) {
    return grid.across(chip, axis(index, step));
  }

  /** Whether two chips lie on different sides of that axis. */
  boolean apart(int one, int other, int index, int step) {
    return grid.side(one, axis(index, step)) != grid.side(other, axis(index, step));
  }

  private int axis(int index, int step) {
    int first = rotated ? index * axes() / ranksPerChip : 0;
    return (first + step) % axes();
  }

  /** The same of several chips. */
  int[] across(int[] chips, int index, int step) {
    return Arrays.stream(chips).map(chip -> across(chip, index, step)).toArray();
  }
}
