package dev.heddle.collective;

import com.google.common.base.Preconditions;
import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import java.util.List;
import java.util.function.IntFunction;

/**
 * The immutable plan of a collective: steps with dependencies, per rank and channel. A rank's steps are planned on
 * request and kept by the caller, so that a schedule of thousands of ranks takes no memory by itself.
 */
public final class Schedule {
  private final String name;
  private final Layout layout;
  private final IntFunction<RankSteps> steps;
  private final Execution execution;

  // The transport, the aggregators with the ranks that start them, and the messages that a connection must hold.
  private record Execution(
      TransportModel protocol, ImmutableIntArray aggregators, ImmutableIntArray hosts, int window) {}

  private Schedule(String name, Layout layout, IntFunction<RankSteps> steps, Execution execution) {
    this.name = name;
    this.layout = layout;
    this.steps = steps;
    this.execution = execution;
  }

  private Schedule with(Execution other) {
    return new Schedule(name, layout, steps, other);
  }

  private Schedule with(IntFunction<RankSteps> other) {
    return new Schedule(name, layout, other, execution);
  }

  /**
   * A schedule that plans each rank on request.
   *
   * @param name of the algorithm
   * @param layout of the buffers
   * @param steps a pure function of the rank; called from any thread
   */
  public static Schedule planned(String name, Layout layout, IntFunction<RankSteps> steps) {
    return new Schedule(
        name, layout, steps, new Execution(TransportModel.PLAIN, ImmutableIntArray.of(), ImmutableIntArray.of(), 1));
  }

  /**
   * A schedule of given steps.
   *
   * @param name of the algorithm
   * @param layout of the buffers
   * @param steps of each rank in order
   */
  public static Schedule of(String name, Layout layout, List<RankSteps> steps) {
    ImmutableList<RankSteps> copy = ImmutableList.copyOf(steps);
    if (copy.size() != layout.participants()) {
      throw new IllegalArgumentException("there are " + copy.size() + " ranks' steps, but " + layout.participants()
          + " ranks and aggregators");
    }
    return planned(name, layout, copy::get);
  }

  /**
   * The same schedule whose connections hold several messages between send and receive.
   *
   * @param messages that a connection must hold for the schedule to end, at least 1; 1 without this call
   */
  public Schedule withWindow(int messages) {
    Preconditions.checkArgument(messages >= 1, "a connection holds at least 1 message: %s", messages);
    return with(new Execution(execution.protocol, execution.aggregators, execution.hosts, messages));
  }

  /** The messages that a connection must hold between send and receive for the schedule to end; at least 1. */
  public int window() {
    return execution.window;
  }

  /** The same schedule over a transport; by default the plain one. */
  public Schedule withProtocol(TransportModel other) {
    return with(new Execution(other, execution.aggregators, execution.hosts, execution.window));
  }

  /** Whether a rank writes directly to another's buffers instead of those of the connection. */
  public interface Access {
    /** Whether one rank writes directly to another's buffers. */
    boolean between(int from, int to);
  }

  /** The same schedule without the copy of data that a peer has written directly to its final buffer. */
  public Schedule withDirectWrites(Access access) {
    return with(rank -> steps(rank).writtenBy(peer -> access.between(peer, rank)));
  }

  /** The rails of messages between nodes. */
  public interface Rails {
    /** The rail ({@link MessageLabel#rail}) of a channel's messages; {@link RankSteps#NONE} for the ranks' own NICs. */
    int between(int from, int to, int channel);
  }

  /** The same schedule with messages between nodes on given rails. */
  public Schedule onRails(Rails rails) {
    return with(rank -> steps(rank).onRails(rails));
  }

  /**
   * The same schedule with given aggregators.
   *
   * @param terminals of a cluster, as many as the layout has aggregators; several may be at one terminal
   * @param ranks that start each aggregator when they enter the collective, and that cannot finish before the
   * aggregator has received everything
   */
  public Schedule onAggregators(ImmutableIntArray terminals, ImmutableIntArray ranks) {
    if (terminals.length() != layout.aggregators() || ranks.length() != terminals.length()) {
      throw new IllegalArgumentException(terminals.length() + " terminals and " + ranks.length()
          + " hosts cannot be the " + layout.aggregators() + " aggregators of " + this);
    }
    return with(new Execution(execution.protocol, terminals, ranks, execution.window));
  }

  /** The rank that starts an aggregator when it enters the collective. */
  public int host(int aggregator) {
    return execution.hosts.get(aggregator);
  }

  /** The terminals of the aggregators. */
  public ImmutableIntArray aggregators() {
    return execution.aggregators;
  }

  /** The algorithm's name. */
  public String name() {
    return name;
  }

  /** The transport of its connections. */
  public TransportModel protocol() {
    return execution.protocol;
  }

  /** The layout of the buffers. */
  public Layout layout() {
    return layout;
  }

  /** The collective that it implements. */
  public Collective collective() {
    return layout.collective();
  }

  /** The number of ranks. */
  public int ranks() {
    return layout.ranks();
  }

  /** The number of ranks and aggregators, all of which have steps. */
  public int participants() {
    return layout.participants();
  }

  /** The steps of a rank or aggregator, planned at every call. */
  public RankSteps steps(int rank) {
    return steps.apply(rank);
  }

  /** Lists the steps of all ranks, a line each. */
  public String listing() {
    StringBuilder text = new StringBuilder(name).append(": ").append(collective()).append(", ")
        .append(layout.chunksPerBlock()).append(" chunks a block").append(layout.inPlace() ? ", in place\n" : "\n");
    for (int rank = 0; rank < participants(); rank++) {
      text.append(steps(rank));
    }
    return text.toString();
  }

  @Override
  public String toString() {
    return name + " " + collective();
  }
}
