package dev.heddle.workload.trace.graph;

/** A file that holds no workload that can be run, or a workload that a format cannot hold. */
public final class TraceException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** A fault of a file, with its place: file, and line, byte or node. */
  public TraceException(String message) {
    super(message);
  }
}
