package dev.heddle.collectives.neuron;

import com.google.common.primitives.ImmutableIntArray;
import java.util.Arrays;
import java.util.Optional;

/**
 * A grid of chips, numbered row by row, whose lines close to rings or do not.
 *
 * @param size chips along each dimension
 * @param wrap whether lines close
 */
record ChipGrid(ImmutableIntArray size, boolean wrap) {
  /**
   * Recognises a grid of two or three dimensions by its links.
   *
   * @param joined for each chip, the others to which it has a link
   */
  static Optional<ChipGrid> of(boolean[][] joined) {
    int chips = joined.length;
    for (int rows = 2; rows <= chips / 2; rows++) {
      if (chips % rows == 0) {
        for (int columns = 2; columns <= chips / rows; columns++) {
          if (chips / rows % columns == 0) {
            int depth = chips / rows / columns;
            ImmutableIntArray size =
                depth == 1 ? ImmutableIntArray.of(rows, columns) : ImmutableIntArray.of(rows, columns, depth);
            for (boolean wrap : new boolean[] {true, false}) {
              ChipGrid grid = new ChipGrid(size, wrap);
              if (Arrays.deepEquals(grid.joined(), joined)) {
                return Optional.of(grid);
              }
            }
          }
        }
      }
    }
    return Optional.empty();
  }

  private boolean[][] joined() {
    boolean[][] joined = new boolean[chips()][chips()];
    for (int chip = 0; chip < chips(); chip++) {
      for (int dimension = 0; dimension < size.length(); dimension++) {
        if (wrap || coordinate(chip, dimension) + 1 < size.get(dimension)) {
          int next = moved(chip, dimension, 1);
          joined[chip][next] = true;
          joined[next][chip] = true;
        }
      }
    }
    return joined;
  }

  /** The number of chips. */
  int chips() {
    int chips = 1;
    for (int dimension = 0; dimension < size.length(); dimension++) {
      chips *= size.get(dimension);
    }
    return chips;
  }

  /** A chip's place along a dimension. */
  int coordinate(int chip, int dimension) {
    return chip / stride(dimension) % size.get(dimension);
  }

  private int stride(int dimension) {
    int stride = 1;
    for (int inner = dimension + 1; inner < size.length(); inner++) {
      stride *= size.get(inner);
    }
    return stride;
  }

  private int moved(int chip, int dimension, int places) {
    return at(chip, dimension, Math.floorMod(coordinate(chip, dimension) + places, size.get(dimension)));
  }

  private int at(int chip, int dimension, int coordinate) {
    return chip + (coordinate - coordinate(chip, dimension)) * stride(dimension);
  }

  /** Whether all sides are powers of two, so that the grid is a hypercube. */
  boolean isHypercube() {
    return size.asList().stream().allMatch(length -> Integer.bitCount(length) == 1);
  }

  /** The hypercube's axes: one for each bit of a chip's number. */
  int axes() {
    return Integer.numberOfTrailingZeros(chips());
  }

  /** The side of an axis on which a chip is. */
  boolean side(int chip, int axis) {
    int dimension = dimension(axis);
    int place = coordinate(chip, dimension);
    return ((place ^ place >> 1) & bit(axis)) != 0;
  }

  private int dimension(int axis) {
    int left = axis;
    int dimension = 0;
    while (left >= bits(dimension)) {
      left -= bits(dimension++);
    }
    return dimension;
  }

  // The bit of the dimension's code that an axis stands for.
  private int bit(int axis) {
    int end = 0;
    for (int dimension = dimension(axis); dimension >= 0; dimension--) {
      end += bits(dimension);
    }
    return 1 << end - 1 - axis;
  }

  private int bits(int dimension) {
    return Integer.numberOfTrailingZeros(size.get(dimension));
  }

  /**
   * The chip across an axis of the hypercube. Positions on a line are numbered by Gray code, so that on a ring of four
   * every chip is joined to the two across from it.
   *
   * @param axis from the first dimension's highest bit down: W, X, Y, Z on 4 x 4 chips
   */
  int across(int chip, int axis) {
    int dimension = dimension(axis);
    int place = coordinate(chip, dimension);
    int found = 0;
    for (int rest = place ^ place >> 1 ^ bit(axis); rest != 0; rest >>= 1) {
      found ^= rest;
    }
    return at(chip, dimension, found);
  }

  @Override
  public String toString() {
    String sides = String.join(" x ", size.asList().stream().map(String::valueOf).toList());
    return sides + (wrap ? " torus" : " mesh");
  }
}
