package dev.heddle.cli;

import java.util.Optional;

/**
 * Engine that starts the workers of a sweep on other processes or machines. Workers share a folder and need no engine
 * between them: each runs its shard, and the points that others leave.
 *
 * <ul>
 * <li>ENGINE-1: an engine MUST be immutable; it does no work before {@link #start}.
 * <li>ENGINE-2: {@link #start} MUST start each worker once. A worker that ends, for whatever reason, need not start
 * again: the caller starts workers anew while points are left and some were finished.
 * <li>ENGINE-3: programs that are not installed and services that do not answer MUST be refused by
 * {@link dev.heddle.spi.InvalidSettingException}, before any worker starts.
 * <li>ENGINE-4: {@link Workers#cancel} MUST end all workers, and MAY be called at any time and again.
 * </ul>
 */
public interface SweepEngine {
  /**
   * The text that a user submits by hand instead, such as a batch script; empty where there is none.
   *
   * @param job to describe
   */
  Optional<String> manifest(SweepJob job);

  /**
   * Starts the workers, and returns.
   *
   * @param job to start
   * @throws dev.heddle.spi.InvalidSettingException when the workers cannot be started
   */
  Workers start(SweepJob job);

  /** Workers that were started. */
  interface Workers {
    /** Name for people, such as {@code Slurm's job 123}. */
    String name();

    /**
     * Whether some may still be running, or waiting to.
     *
     * @throws dev.heddle.spi.InvalidSettingException when the engine does not answer, and will not again
     */
    boolean running();

    /** Ends those that are still running; without effect where none is. */
    void cancel();
  }
}
