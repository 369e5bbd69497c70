package dev.heddle.workload.trace.graph;

import dev.heddle.spi.Workload;
import java.util.List;

/** The activities of a rank's first stream, where it computes. */
public final class TraceActivities {
  /** Computes. */
  public static final int COMPUTE = 0;

  /** Waiting for a dependency: communication that computation does not cover. */
  public static final int WAIT = 1;

  /** The activities, by number. */
  public static final List<Workload.Activity> ALL = List.of(
      new Workload.Activity("compute", "Computation"),
      new Workload.Activity("wait", "Communication that is not hidden, and other waiting"));

  private TraceActivities() {}
}
