package dev.heddle.results;

import com.google.common.collect.ImmutableList;
import java.util.List;

/**
 * The operations of some ranks over time.
 *
 * @param lanes streams of the ranks, by rank and stream
 * @param spans by lane, then by start; those of a lane do not overlap
 */
public record Timeline(List<Lane> lanes, List<Span> spans) {
  /** An empty timeline. */
  public static final Timeline NONE = new Timeline(List.of(), List.of());

  /** Copies the lists. */
  public Timeline {
    lanes = ImmutableList.copyOf(lanes);
    spans = ImmutableList.copyOf(spans);
  }

  /** Whether any span belongs to a pass. */
  public boolean passes() {
    return spans.stream().anyMatch(span -> !span.pass().isEmpty());
  }

  /**
   * One stream of a rank.
   *
   * @param rank of the run
   * @param terminal name of the rank's terminal
   * @param stream number of the stream
   * @param title purpose of the stream
   */
  public record Lane(int rank, String terminal, int stream, String title) {}

  /**
   * One operation.
   *
   * @param lane position of the stream among the lanes
   * @param what name of the operation
   * @param activity title of the activity that its time counts towards; empty where the workload has no activities, and
   * in streams other than the first
   * @param pass kind of the pass to which it belongs, such as {@code forward}; empty for none
   * @param label of the pass among its kind
   * @param startPs when it began, in picoseconds
   * @param endPs when the stream continued, in picoseconds
   */
  public record Span(int lane, String what, String activity, String pass, String label, long startPs, long endPs) {
    /** Whether another span is of the same pass. */
    public boolean samePass(Span other) {
      return lane == other.lane && pass.equals(other.pass) && label.equals(other.label);
    }
  }
}
