package dev.heddle.workload.trace.graph;

import java.util.Comparator;

/**
 * An executor of a rank's operations, one at a time: a processor that computes, or a communicator. Sends take no time
 * of their own, so one resource does them all; receives wait side by side.
 *
 * @param kind of its operations
 * @param number among those of the kind: of the processor, or of the group
 */
record Resource(Kind kind, int number) implements Comparable<Resource> {
  private static final Comparator<Resource> ORDER =
      Comparator.comparing(Resource::kind).thenComparingInt(Resource::number);

  enum Kind {
    COMPUTE, SEND, RECEIVE, COLLECTIVE
  }

  @Override
  public int compareTo(Resource other) {
    return ORDER.compare(this, other);
  }
}
