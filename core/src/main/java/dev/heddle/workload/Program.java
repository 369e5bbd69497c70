package dev.heddle.workload;

import java.util.Optional;

/**
 * A rank's operations over its streams, produced lazily: one cursor per stream.
 *
 * <p>Operations of one stream run in order. Streams run concurrently and synchronise through signals ({@link
 * Operation#signal}, {@link Operation#await}).
 *
 * <ul>
 *   <li>PROGRAM-1: {@link #streams()} MUST be constant and at least 1.
 *   <li>PROGRAM-2: {@link #next} is called by one thread, for each stream only when that stream's previous operation
 *       has completed; it MUST NOT depend on the order of calls for different streams, unless the program is {@link
 *       #reactive}.
 *   <li>PROGRAM-3: once {@code next} returned false for a stream it MUST do so for ever.
 *   <li>PROGRAM-4: {@code next} SHOULD allocate nothing; it is on the hot path.
 *   <li>PROGRAM-5: programs whose {@link #template} has equal operations MUST issue the same ones in each stream, but
 *       for peers and groups, of which each has the same place in its own template.
 * </ul>
 */
public interface Program {
  /** The number of streams, numbered from 0. */
  int streams();

  /**
   * Produces a stream's next operation.
   *
   * @param stream which stream
   * @param operation receives the operation, by exactly one call of one of its methods
   * @return whether there was one; false when the stream has ended
   */
  boolean next(int stream, Operation operation);

  /**
   * Whether the program's decisions depend on the completions of its own streams, as those of a scheduler that runs
   * ready operations do. Such a program cannot be read without being run: a caller must complete each operation before
   * it requests the next.
   */
  default boolean reactive() {
    return false;
  }

  /** The program apart from its peers and groups; empty where only reading tells which programs are alike. */
  default Optional<Template> template() {
    return Optional.empty();
  }

  /**
   * Programs that differ in their peers and groups alone.
   *
   * @param operations equal for all of them
   * @param peers of the program, each once
   * @param groups of the program, each once
   */
  record Template(Object operations, int[] peers, int[] groups) {}
}
