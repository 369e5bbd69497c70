package dev.heddle.network.flow;

import dev.heddle.internal.collect.LongLongMap;
import java.util.Arrays;

/**
 * The messages of each injection channel and of each connection of a transport protocol, in their order: first those
 * that are under way, then those that wait. Queues are numbered from 0, first those of channels.
 */
final class InjectionQueues {
  private static final int NONE = FlowMessages.NONE;

  private final FlowMessages messages;
  // By the number of a connection, its queue.
  private final LongLongMap connections = new LongLongMap(NONE);
  private int count;
  private int[] head;
  private int[] tail;
  private int[] waiting;
  // The message that began last of those under way.
  private int[] newest;
  // Where a message waits behind one under way: the number of leading links that they share, if known.
  private int[] common;

  InjectionQueues(int channels, FlowMessages messages) {
    this.messages = messages;
    count = channels;
    common = filled(channels);
    head = filled(channels);
    tail = filled(channels);
    waiting = filled(channels);
    newest = filled(channels);
  }

  private static int[] filled(int length) {
    int[] array = new int[length];
    Arrays.fill(array, NONE);
    return array;
  }

  /** The number of queues. */
  int count() {
    return count;
  }

  /** The queue of a connection. */
  int ofConnection(long connection) {
    int queue = (int) connections.get(connection);
    if (queue == NONE) {
      queue = count++;
      connections.put(connection, queue);
      if (queue == head.length) {
        grow(Math.max(64, 2 * queue));
      }
    }
    return queue;
  }

  private void grow(int length) {
    head = grown(head, length);
    tail = grown(tail, length);
    waiting = grown(waiting, length);
    newest = grown(newest, length);
    common = grown(common, length);
  }

  private static int[] grown(int[] array, int length) {
    int[] longer = Arrays.copyOf(array, length);
    Arrays.fill(longer, array.length, length, NONE);
    return longer;
  }

  /** Leading links that the first message that waits shares with the newest one under way, as it was noted. */
  int common(int channel) {
    return common[channel];
  }

  /** Notes the leading links that they share. */
  void common(int channel, int links) {
    common[channel] = links;
  }

  /** The first message, under way or waiting. */
  int first(int channel) {
    return head[channel];
  }

  /** The first message that waits. */
  int waiting(int channel) {
    return waiting[channel];
  }

  /** The message that began last and is under way. */
  int newest(int channel) {
    return newest[channel];
  }

  /** Whether a message before a place has yet to leave. */
  boolean isAhead(int channel, long place) {
    return head[channel] != NONE && messages.order(head[channel]) < place;
  }

  /** Adds a message that waits. */
  void add(int channel, int message) {
    if (head[channel] == NONE) {
      head[channel] = message;
    } else {
      messages.next(tail[channel], message);
    }
    tail[channel] = message;
    if (waiting[channel] == NONE) {
      waiting[channel] = message;
    }
  }

  /** The first message that waits is under way. */
  void begin(int channel) {
    newest[channel] = waiting[channel];
    waiting[channel] = messages.next(waiting[channel]);
  }

  /** Takes out a message that is under way; those come first, so it is not far. */
  void remove(int channel, int message) {
    int before = NONE;
    for (int at = head[channel]; at != message; at = messages.next(at)) {
      before = at;
    }
    int after = messages.next(message);
    if (before == NONE) {
      head[channel] = after;
    } else {
      messages.next(before, after);
    }
    if (after == NONE) {
      tail[channel] = before;
    }
    if (newest[channel] == message) {
      newest[channel] = before;
    }
  }
}
