package dev.heddle.tier;

/**
 * The routes of one device of a tree, to all terminals at once. Terminals have leaf positions in the tree, from 0;
 * below a device are the positions from {@code first} on, {@code span} below each child. The device sends to a position
 * below it down to its child, to all others up. Among several channels a route takes one by leaf position j, the
 * destination's or the source's: number {@code floor(j / divisor)} modulo their number [Zahavi 2012, eq. 1]; or the
 * plan's selection decides.
 *
 * @param level above the terminals, whose level is 0; channels up lead to a higher one
 * @param first the least leaf position below the device
 * @param span leaf positions below each child, at least 1
 * @param divisor at least 1
 * @param down channels to each child; none to an absent child; a terminal is its own child, without channels
 * @param up channels to the parents; none at the top
 */
public record TreeRow(int level, int first, int span, int divisor, int[][] down, int[] up) {
  /**
   * Checks the numbers, and copies the arrays.
   *
   * @throws IllegalArgumentException when {@code span} or {@code divisor} is below 1
   */
  public TreeRow {
    if (span < 1 || divisor < 1) {
      throw new IllegalArgumentException(
          "a tree's row needs a span and a divisor of at least 1: " + span + ", " + divisor);
    }
    int[][] copy = new int[down.length][];
    for (int child = 0; child < down.length; child++) {
      copy[child] = down[child].clone();
    }
    down = copy;
    up = up.clone();
  }

  /** The choice among several channels of a row. */
  public enum Choice {
    /** By the leaf position of the destination: one channel per route. */
    DESTINATION,
    /** By the leaf position of the source ({@link TierPlan.Selection#SOURCE}). */
    SOURCE,
    /** By the plan's selection, among all. */
    SELECTION
  }
}
