package dev.heddle.collective;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * The immutable plan of a collective: steps with dependencies, per rank and channel. A rank's steps are planned when
 * they are asked for and held by whoever asked, so that a schedule of thousands of ranks costs nothing by itself.
 */
public final class Schedule {
  private final String name;
  private final Protocol protocol;
  private final Layout layout;
  private final IntFunction<RankSteps> steps;

  private Schedule(String name, Protocol protocol, Layout layout, IntFunction<RankSteps> steps) {
    this.name = name;
    this.protocol = protocol;
    this.layout = layout;
    this.steps = steps;
  }

  /**
   * A schedule that plans each rank when asked.
   *
   * @param name of the algorithm
   * @param layout how the buffers are cut
   * @param steps a pure function of the rank; called from any thread
   */
  public static Schedule planned(String name, Layout layout, IntFunction<RankSteps> steps) {
    return new Schedule(name, Protocol.PLAIN, layout, steps);
  }

  /**
   * A schedule of given steps.
   *
   * @param name of the algorithm
   * @param layout how the buffers are cut
   * @param steps of each rank in order
   */
  public static Schedule of(String name, Layout layout, List<RankSteps> steps) {
    ImmutableList<RankSteps> copy = ImmutableList.copyOf(steps);
    if (copy.size() != layout.ranks()) {
      throw new IllegalArgumentException("there are " + copy.size() + " ranks' steps, but " + layout.ranks()
          + " ranks");
    }
    return new Schedule(name, Protocol.PLAIN, layout, copy::get);
  }

  /** The same schedule under a protocol; plain without one. */
  public Schedule withProtocol(Protocol other) {
    return new Schedule(name, other, layout, steps);
  }

  /** The algorithm's name. */
  public String name() {
    return name;
  }

  /** How its connections carry data. */
  public Protocol protocol() {
    return protocol;
  }

  /** How the buffers are cut. */
  public Layout layout() {
    return layout;
  }

  /** What is done. */
  public Collective collective() {
    return layout.collective();
  }

  /** The number of ranks. */
  public int ranks() {
    return layout.ranks();
  }

  /** The steps of a rank, planned at every call. */
  public RankSteps steps(int rank) {
    return steps.apply(rank);
  }

  /** Lists the steps of all ranks, a line each. */
  public String listing() {
    StringBuilder text = new StringBuilder(name).append(": ").append(collective()).append(", ")
        .append(layout.chunksPerBlock()).append(" chunks a block").append(layout.inPlace() ? ", in place\n" : "\n");
    for (int rank = 0; rank < ranks(); rank++) {
      text.append(steps(rank));
    }
    return text.toString();
  }

  @Override
  public String toString() {
    return name + " " + collective();
  }
}
