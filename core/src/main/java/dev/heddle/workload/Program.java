package dev.heddle.workload;

/**
 * A rank's operations over its streams, produced lazily: one cursor per stream.
 *
 * <p>Operations of one stream run in order. Streams run side by side and meet at signals
 * ({@link Operation#signal}, {@link Operation#await}).
 *
 * <ul>
 *   <li>PROGRAM-1: {@link #streams()} MUST be constant and at least 1.
 *   <li>PROGRAM-2: {@link #next} is called by one thread, for each stream only when that stream's previous operation has
 *       completed; it MUST NOT depend on the order in which different streams are asked, unless the program is
 *       {@link #reactive}.
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
   * Whether the program decides by what its own streams have completed, as a scheduler does that takes what is ready.
   * Such a program cannot be read without being run: its operations come only to whoever completes each before asking on.
   */
  default boolean reactive() {
    return false;
  }
}
