package dev.heddle.observe;

import dev.heddle.workload.Operation;

/** Hears what the ranks of a run spend their time on. */
public interface ActivityObserver {
  /**
   * A stream of a rank has spent time on an operation. Called for the ranks of one part of the network by one thread, in
   * the order of ends; what takes no time is not told.
   *
   * @param rank of the run
   * @param stream of its program
   * @param operation that it was; to be read at once, it is filled anew
   * @param startPs when it began
   * @param endPs when the stream went on
   */
  void spent(int rank, int stream, Operation operation, long startPs, long endPs);
}
