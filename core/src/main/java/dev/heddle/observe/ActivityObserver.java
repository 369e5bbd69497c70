package dev.heddle.observe;

/** Hears what the ranks of a run spend their time on. */
public interface ActivityObserver {
  /**
   * A stream of a rank has spent time on an operation. Called for the ranks of one part of the network by one thread, in
   * the order of ends; what takes no time is not told.
   *
   * @param rank of the run
   * @param stream of its program
   * @param activity of the operation, as {@link dev.heddle.workload.Operation#activity} says
   * @param startPs when it began
   * @param endPs when the stream went on
   */
  void spent(int rank, int stream, int activity, long startPs, long endPs);
}
