package dev.heddle.workload.trace.graph;

import java.util.Comparator;

/**
 * What does operations of a rank, one at a time: a processor that computes, or a communicator. Sends take no time of their own,
 * so one resource does them all; receives wait side by side.
 *
 * @param kind of its operations
 * @param number among those of the kind: which processor computes, which group communicates
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
