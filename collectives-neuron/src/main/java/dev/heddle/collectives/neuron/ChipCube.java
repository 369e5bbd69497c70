package dev.heddle.collectives.neuron;

import com.google.common.primitives.ImmutableIntArray;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The chips as a hypercube, and the order in which ranks take its axes.
 *
 * @param grid whose sides are powers of two
 * @param ranksPerChip groups that go at the same time
 * @param rotated whether each group begins at another axis, so that they use different links
 */
record ChipCube(ChipGrid grid, int ranksPerChip, boolean rotated) {
  /**
   * The chips in the order in which a rank is rid of their chunks as it halves: those across its first axis, then of the
   * others those across its second, and its own at last.
   */
  List<ImmutableIntArray> halves(int chip, int index) {
    List<ImmutableIntArray> halves = new ArrayList<>();
    int[] kept = IntStream.range(0, grid.chips()).toArray();
    for (int step = 0; step < axes(); step++) {
      int at = step;
      halves.add(ImmutableIntArray.copyOf(Arrays.stream(kept).filter(of -> apart(of, chip, index, at))));
      kept = Arrays.stream(kept).filter(of -> !apart(of, chip, index, at)).toArray();
    }
    halves.add(ImmutableIntArray.copyOf(kept));
    return halves;
  }

  /** The chips in the order in which a rank gathers their chunks as it doubles: its own, then axis by axis. */
  List<ImmutableIntArray> doubles(int chip, int index) {
    List<ImmutableIntArray> doubles = new ArrayList<>();
    int[] held = {chip};
    doubles.add(ImmutableIntArray.copyOf(held));
    for (int step = 0; step < axes(); step++) {
      int[] theirs = across(held, index, step);
      doubles.add(ImmutableIntArray.copyOf(theirs));
      held = IntStream.concat(Arrays.stream(held), Arrays.stream(theirs)).toArray();
    }
    return doubles;
  }

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

  private int[] across(int[] chips, int index, int step) {
    return Arrays.stream(chips).map(chip -> across(chip, index, step)).toArray();
  }
}
