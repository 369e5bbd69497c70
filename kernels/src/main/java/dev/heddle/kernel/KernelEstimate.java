package dev.heddle.kernel;

/**
 * The time of a kernel and its basis.
 *
 * @param seconds from its start to the next kernel's, when it waits for nothing
 * @param relativeError half-width of an interval that holds nine of ten times, relative to the time
 * @param bound resource that the time rests on most
 * @param basis kind of knowledge
 * @param source table and who measured it, or the data sheet
 */
public record KernelEstimate(double seconds, double relativeError, Bound bound, Basis basis, String source) {
  /** The lower end of the interval in seconds. */
  public double low() {
    return seconds / (1 + relativeError);
  }

  /** The upper end of the interval in seconds. */
  public double high() {
    return seconds * (1 + relativeError);
  }
}
