package dev.heddle.network.packet;

import com.google.common.primitives.Ints;
import dev.heddle.collective.Schedule;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A collective call of one group, as its messages use the network: the schedule, the members, and the footprint, which
 * is every link that a message or its acknowledgements may cross. Links and channels are in ascending order.
 */
final class CallShape {
  private static final int[] NOBODY = new int[0];
  final int group;
  private final @Nullable Schedule schedule;
  final CallPattern pattern;
  final FootprintState state;
  private final int[] terminals;
  private final int[] streams;
  private final int[] links;
  private final int[] channels;
  private final int guests;

  /**
   * A shape.
   *
   * @param schedule of the members; null without members, where messages of programs' own make up the call
   * @param terminals of the members
   * @param streams number of thread blocks of each member, and after them as many 0 as there are messages of members'
   *     own programs
   */
  CallShape(
      int group, @Nullable Schedule schedule, CallPattern pattern, FootprintState state, int[] terminals,
      int[] streams) {
    this.group = group;
    this.schedule = schedule;
    this.pattern = pattern;
    this.state = state;
    this.terminals = terminals;
    this.streams = streams;
    guests = streams.length - terminals.length;
    links = state.links;
    channels = state.channels;
  }

  Schedule schedule() {
    return Objects.requireNonNull(schedule, "messages have no schedule");
  }

  /** The position of the member of a rank's terminal; negative where there is none. */
  int position(int terminal) {
    return Ints.indexOf(terminals, terminal);
  }

  /** The number of messages of ranks' own programs. */
  int guests() {
    return guests;
  }

  /** Whether switches add for the call. */
  boolean hasAggregators() {
    return schedule().layout().aggregators() > 0;
  }

  /** The places of the aggregators that begin as a member does; they come after all members. */
  int[] aggregators(int host) {
    if (!hasAggregators()) {
      return NOBODY;
    }
    Schedule steps = schedule();
    int[] found = new int[steps.layout().aggregators()];
    int count = 0;
    for (int aggregator = 0; aggregator < steps.layout().aggregators(); aggregator++) {
      if (steps.host(aggregator) == host) {
        found[count++] = steps.ranks() + aggregator;
      }
    }
    return Arrays.copyOf(found, count);
  }

  /** The number of members, aggregators among them. */
  int size() {
    return terminals.length;
  }

  int terminal(int position) {
    return terminals[position];
  }

  /** The number of a member's streams. */
  int streams(int position) {
    return streams[position];
  }

  int link(int index) {
    return links[index];
  }

  int indexOfLink(int link) {
    return Arrays.binarySearch(links, link);
  }

  int channel(int index) {
    return channels[index];
  }

  int indexOfChannel(int channel) {
    return Arrays.binarySearch(channels, channel);
  }
}
