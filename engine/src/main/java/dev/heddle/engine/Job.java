package dev.heddle.engine;

import dev.heddle.observe.ActivityObserver;
import dev.heddle.spi.Cluster;
import dev.heddle.workload.Program;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The programs of a run, and the groups of its ranks.
 *
 * @param terminals the terminal of each rank
 * @param programs the program of each rank, a fresh one at every call
 * @param communicators the ranks' groups
 * @param observer of the time of operations; null for none
 */
public record Job(
    int[] terminals, IntFunction<Program> programs, CollectiveGroups communicators,
    @Nullable ActivityObserver observer) {
  /** A job that nobody observes. */
  public Job(int[] terminals, IntFunction<Program> programs, CollectiveGroups communicators) {
    this(terminals, programs, communicators, null);
  }

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
    return new Job(terminals, programs, CollectiveGroups.none(cluster, terminals));
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
