package dev.heddle.collectives.neuron;

import com.google.common.primitives.ImmutableIntArray;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** The chips as a hypercube, and the order in which ranks take its axes. */
final class ChipCube {
  private final ChipGrid grid;
  private final int ranksPerChip;
  private final boolean rotated;
  // For each chip, its side of each axis: a bit per axis.
  private final int[] sides;

  /**
   * Numbers the sides of all axes.
   *
   * @param grid whose sides are powers of two
   * @param ranksPerChip groups that run concurrently
   * @param rotated whether each group begins at another axis, so that they use different links
   */
  ChipCube(ChipGrid grid, int ranksPerChip, boolean rotated) {
    this.grid = grid;
    this.ranksPerChip = ranksPerChip;
    this.rotated = rotated;
    sides = new int[grid.chips()];
    for (int chip = 0; chip < sides.length; chip++) {
      for (int axis = 0; axis < grid.axes(); axis++) {
        sides[chip] |= grid.side(chip, axis) ? 1 << axis : 0;
      }
    }
  }

  /**
   * The chips in the order in which a rank is rid of their chunks as it halves: those across its first axis, then of
   * the others those across its second, and its own at last.
   */
  List<ImmutableIntArray> halves(int chip, int index) {
    List<ImmutableIntArray> halves = new ArrayList<>();
    int[] kept = IntStream.range(0, sides.length).toArray();
    for (int step = 0; step < axes(); step++) {
      int side = 1 << axis(index, step);
      halves.add(ImmutableIntArray.copyOf(Arrays.stream(kept).filter(of -> ((sides[of] ^ sides[chip]) & side) != 0)));
      kept = Arrays.stream(kept).filter(of -> ((sides[of] ^ sides[chip]) & side) == 0).toArray();
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

  private int axis(int index, int step) {
    int first = rotated ? index * axes() / ranksPerChip : 0;
    return (first + step) % axes();
  }

  private int[] across(int[] chips, int index, int step) {
    return Arrays.stream(chips).map(chip -> across(chip, index, step)).toArray();
  }
}
