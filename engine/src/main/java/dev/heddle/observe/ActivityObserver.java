package dev.heddle.observe;

import dev.heddle.workload.Operation;

/** Observer of the time that ranks spend on operations. */
public interface ActivityObserver {
  /**
   * A stream of a rank has spent time on an operation. Called for the ranks of one part of the network by one thread,
   * in the order of ends; operations without duration are left out.
   *
   * @param rank of the run
   * @param stream of its program
   * @param operation that it was; to be read at once, it is filled anew
   * @param startPs its begin
   * @param endPs continuation of the stream
   */
  void spent(int rank, int stream, Operation operation, long startPs, long endPs);

  /**
   * The same stream of each of several ranks, which do the same throughout, has spent the same time.
   *
   * @param ranks ascending; the same array at every call for them, not to be changed
   */
  default void spentByAll(int[] ranks, int stream, Operation operation, long startPs, long endPs) {
    for (int rank : ranks) {
      spent(rank, stream, operation, startPs, endPs);
    }
  }
}
