package dev.heddle.results;

import com.google.common.collect.ImmutableList;
import java.util.List;

/**
 * What some ranks did when.
 *
 * @param lanes streams of the ranks, by rank and stream
 * @param spans by lane, then by start; those of a lane do not overlap
 */
public record Timeline(List<Lane> lanes, List<Span> spans) {
  /** Of no rank. */
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
   * @param title what the stream is for
   */
  public record Lane(int rank, String terminal, int stream, String title) {}

  /**
   * One operation.
   *
   * @param lane position of the stream among the lanes
   * @param what it did
   * @param activity title of what its time counts to; empty where the workload has no activities, and in streams
   *     other than the first
   * @param pass kind of the pass to which it belongs, such as {@code forward}; empty for none
   * @param label which of its kind the pass is
   * @param startPs when it began, in picoseconds
   * @param endPs when the stream went on, in picoseconds
   */
  public record Span(int lane, String what, String activity, String pass, String label, long startPs, long endPs) {
    /** Whether another span is of the same pass. */
    public boolean samePass(Span other) {
      return lane == other.lane && pass.equals(other.pass) && label.equals(other.label);
    }
  }
}
