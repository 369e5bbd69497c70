package dev.heddle.network.flow;

import dev.heddle.network.MessageNumbers;
import java.util.Arrays;

/** The messages that wait for their turn, are under way, or have left their source and not yet arrived. */
final class FlowMessages {
  static final int NONE = -1;
  static final long MAX_BYTES = (1L << 40) - 1;

  private int[] next = new int[1024];
  private int[] destination = new int[1024];
  private int[] tagAndClass = new int[1024];
  private int[] firstLink = new int[1024];
  private int[] flow = new int[1024];
  private long[] id = new long[1024];
  private long[] generated = new long[1024];
  private long[] bytes = new long[1024];
  private int count;
  private int live;
  private int free = NONE;

  int allocate(long messageId, int to, long payload, long time) {
    live++;
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
    destination[message] = to;
    bytes[message] = payload;
    generated[message] = time;
    return message;
  }

  void plan(int message, int link, int tag, int trafficClass) {
    firstLink[message] = link;
    tagAndClass[message] = (tag + 1) << 3 | trafficClass;
  }

  void release(int message) {
    live--;
    next[message] = free;
    free = message;
  }

  /** Messages that have been submitted and not delivered. */
  int live() {
    return live;
  }

  int next(int message) {
    return next[message];
  }

  void next(int message, int following) {
    next[message] = following;
  }

  int source(int message) {
    return MessageNumbers.source(id[message]);
  }

  int destination(int message) {
    return destination[message];
  }

  int firstLink(int message) {
    return firstLink[message];
  }

  /** The flow that carries a message that is under way. */
  int flow(int message) {
    return flow[message];
  }

  void flow(int message, int carrier) {
    flow[message] = carrier;
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

  long bytes(int message) {
    return bytes[message];
  }

  private void grow() {
    int grown = 2 * count;
    next = Arrays.copyOf(next, grown);
    destination = Arrays.copyOf(destination, grown);
    tagAndClass = Arrays.copyOf(tagAndClass, grown);
    firstLink = Arrays.copyOf(firstLink, grown);
    flow = Arrays.copyOf(flow, grown);
    id = Arrays.copyOf(id, grown);
    generated = Arrays.copyOf(generated, grown);
    bytes = Arrays.copyOf(bytes, grown);
  }
}
