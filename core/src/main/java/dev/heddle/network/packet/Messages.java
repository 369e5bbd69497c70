package dev.heddle.network.packet;

import java.util.Arrays;

/** The messages that wait in the injection queues of one partition, or are being cut into units. */
final class Messages {
  static final int NONE = -1;

  private int[] next = new int[1024];
  private int[] rank = new int[1024];
  private int[] destination = new int[1024];
  private int[] waypoint = new int[1024];
  private int[] limit = new int[1024];
  private int[] tagAndClass = new int[1024];
  private long[] id = new long[1024];
  private long[] generated = new long[1024];
  private long[] total = new long[1024];
  private long[] remaining = new long[1024];
  private int count;
  private int free = NONE;

  int allocate(long messageId, int fromRank, int to, long bytes, long time) {
    int message = free;
    if (message != NONE) {
      free = next[message];
    } else {
      if (count == next.length) {
        grow();
      }
      message = count++;
    }
    next[message] = NONE;
    id[message] = messageId;
    rank[message] = fromRank;
    destination[message] = to;
    total[message] = bytes;
    remaining[message] = bytes;
    generated[message] = time;
    return message;
  }

  void plan(int message, int firstWaypoint, int unitLimit, int tag, int trafficClass) {
    waypoint[message] = firstWaypoint;
    limit[message] = unitLimit;
    tagAndClass[message] = (tag + 1) << 3 | trafficClass;
  }

  void release(int message) {
    next[message] = free;
    free = message;
  }

  int next(int message) {
    return next[message];
  }

  void next(int message, int following) {
    next[message] = following;
  }

  int rank(int message) {
    return rank[message];
  }

  int destination(int message) {
    return destination[message];
  }

  int waypoint(int message) {
    return waypoint[message];
  }

  int tag(int message) {
    return (tagAndClass[message] >>> 3) - 1;
  }

  int trafficClass(int message) {
    return tagAndClass[message] & 7;
  }

  long id(int message) {
    return id[message];
  }

  long generated(int message) {
    return generated[message];
  }

  long total(int message) {
    return total[message];
  }

  long remaining(int message) {
    return remaining[message];
  }

  /** Cuts the next unit off and returns its payload. */
  int cut(int message) {
    int payload = (int) Math.min(remaining[message], limit[message]);
    remaining[message] -= payload;
    return payload;
  }

  private void grow() {
    int grown = 2 * count;
    next = Arrays.copyOf(next, grown);
    rank = Arrays.copyOf(rank, grown);
    destination = Arrays.copyOf(destination, grown);
    waypoint = Arrays.copyOf(waypoint, grown);
    limit = Arrays.copyOf(limit, grown);
    tagAndClass = Arrays.copyOf(tagAndClass, grown);
    id = Arrays.copyOf(id, grown);
    generated = Arrays.copyOf(generated, grown);
    total = Arrays.copyOf(total, grown);
    remaining = Arrays.copyOf(remaining, grown);
  }
}
