package dev.heddle.workload;

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
}
