package dev.heddle.network.flow;

import java.util.Arrays;

/** The messages of each injection channel, in their order: first those that are under way, then those that wait. */
final class InjectionQueues {
  private static final int NONE = FlowMessages.NONE;

  private final FlowMessages messages;
  private final int[] head;
  private final int[] tail;
  private final int[] waiting;
  // The message that began last of those under way.
  private final int[] newest;

  InjectionQueues(int channels, FlowMessages messages) {
    this.messages = messages;
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

  int channels() {
    return head.length;
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
