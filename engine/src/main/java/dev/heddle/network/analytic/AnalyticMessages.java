package dev.heddle.network.analytic;

import dev.heddle.network.MessageTable;
import java.util.Arrays;

/** The messages that have yet to leave their source, or to arrive. */
final class AnalyticMessages extends MessageTable {
  private int[] firstLink = new int[1024];
  private boolean[] leftOrArrived = new boolean[1024];

  /** Sets the link by which a message leaves its source. */
  void firstLink(int message, int link) {
    firstLink[message] = link;
    leftOrArrived[message] = false;
  }

  int firstLink(int message) {
    return firstLink[message];
  }

  /** Releases a message when it has both left and arrived, in either order at one instant. */
  void releaseAfterBoth(int message) {
    if (leftOrArrived[message]) {
      release(message);
    }
    leftOrArrived[message] = true;
  }

  @Override
  protected void grow(int rows) {
    super.grow(rows);
    firstLink = Arrays.copyOf(firstLink, rows);
    leftOrArrived = Arrays.copyOf(leftOrArrived, rows);
  }
}
