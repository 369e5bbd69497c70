package dev.heddle.engine;

import dev.heddle.spi.Cluster;
import dev.heddle.workload.Program;
import java.util.function.IntFunction;

/**
 * What runs on a network.
 *
 * @param terminals the terminal of each rank
 * @param programs the program of each rank, a fresh one at every call
 * @param communicators the ranks' groups
 */
public record Job(int[] terminals, IntFunction<Program> programs, Communicators communicators) {
  /** Copies the array. */
  public Job {
    terminals = terminals.clone();
  }

  /**
   * Programs without collectives.
   *
   * @param cluster the machine
   * @param terminals the terminal of each rank
   * @param programs the program of each rank, a fresh one at every call
   */
  public static Job of(Cluster cluster, int[] terminals, IntFunction<Program> programs) {
    return new Job(terminals, programs, Communicators.none(cluster, terminals));
  }

  /** The terminal of each rank; the caller's own copy. */
  @Override
  public int[] terminals() {
    return terminals.clone();
  }

  /** The number of ranks. */
  public int ranks() {
    return terminals.length;
  }
}
