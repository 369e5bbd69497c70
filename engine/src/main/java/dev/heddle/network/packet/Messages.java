package dev.heddle.network.packet;

import dev.heddle.internal.collect.LongList;
import dev.heddle.network.MessageTable;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The messages that wait in the injection queues of one partition, or are being cut into units. */
final class Messages extends MessageTable {
  private int[] rank = new int[1024];
  private int[] waypoint = new int[1024];
  private int[] limit = new int[1024];
  private long[] remaining = new long[1024];
  private long[] unacknowledged = new long[1024];
  private long[] order = new long[0];
  private @Nullable PacketSide side;

  /** Lets flows hear of the begin of messages. */
  void watch(PacketSide by) {
    side = by;
  }

  int allocate(long messageId, int fromRank, int to, long payload, long time) {
    int message = allocate(messageId, to, payload, time);
    rank[message] = fromRank;
    remaining[message] = payload;
    unacknowledged[message] = payload;
    return message;
  }

  void plan(int message, int firstWaypoint, int unitLimit, int tag, int trafficClass) {
    waypoint[message] = firstWaypoint;
    limit[message] = unitLimit;
    treat(message, tag, trafficClass);
  }

  /** Sets the place among all messages of the run, where flows are beside packets. */
  void order(int message, long place) {
    order = message < order.length ? order : Arrays.copyOf(order, Math.max(1024, 2 * message));
    order[message] = place;
  }

  long order(int message) {
    return order[message];
  }

  int rank(int message) {
    return rank[message];
  }

  int waypoint(int message) {
    return waypoint[message];
  }

  long remaining(int message) {
    return remaining[message];
  }

  /** The number of full units, at least, that are left to cut. */
  long unitsLeft(int message) {
    return remaining[message] / limit[message];
  }

  /** Adds what a message is, and its rest, to a list. */
  void describe(int message, RelativeClock clock, LongList into) {
    into.add(id(message) - clock.numbers());
    into.add(generated(message) - clock.generations());
    into.add(bytes(message));
    into.add((long) tag(message) << 32 | destination(message) << 3 | trafficClass(message));
  }

  /** Of the messages at the heads of channels that with the fewest units left, or none. */
  int shortest(VirtualChannels channels, int[] among) {
    long least = Long.MAX_VALUE;
    int found = NetworkState.NONE;
    for (int channel : among) {
      int head = channels.injectionHead(channel);
      if (head != NetworkState.NONE && unitsLeft(head) < least) {
        least = unitsLeft(head);
        found = head;
      }
    }
    return found;
  }

  /** The most payload of a unit. */
  long unit(int message) {
    return limit[message];
  }

  /** Passes over payload that was cut off in periods that were skipped. */
  void skip(int message, long payload) {
    remaining[message] -= payload;
  }

  /** Cuts the next unit off and returns its payload. */
  int cut(int message) {
    int payload = (int) Math.min(remaining[message], limit[message]);
    if (side != null && remaining[message] == bytes(message)) {
      side.begin(message);
    }
    remaining[message] -= payload;
    return payload;
  }

  /** Sets the most payload of a packet of a message. */
  void limit(int message, int payload) {
    limit[message] = payload;
  }

  /** Notes that payload of a message has been acknowledged; whether all of it has. */
  boolean acknowledge(int message, int payload) {
    unacknowledged[message] -= payload;
    return unacknowledged[message] == 0 && remaining[message] == 0;
  }

  @Override
  protected void grow(int rows) {
    super.grow(rows);
    rank = Arrays.copyOf(rank, rows);
    waypoint = Arrays.copyOf(waypoint, rows);
    limit = Arrays.copyOf(limit, rows);
    remaining = Arrays.copyOf(remaining, rows);
    unacknowledged = Arrays.copyOf(unacknowledged, rows);
  }
}
