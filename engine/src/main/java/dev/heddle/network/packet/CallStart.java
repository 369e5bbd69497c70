package dev.heddle.network.packet;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * All on which the course of a call depends besides its shape: the begins of its members and messages in their order,
 * and the state of its links. Equal ones lead to equal courses.
 */
final class CallStart {
  /** The value for states that differ in more than times, or in times by more than a limit. */
  static final long FAR = -1;
  private static final int FIRST = 1;

  final long[] words;
  final int senders;
  /** The first word of the state of the links. */
  final int state;
  /** Per link the time since which it is kept, counted from the begin. */
  final long[] sincePs;
  private final int hash;

  /**
   * A start.
   *
   * @param words as of {@link PendingCall#describe}, then as of {@link FootprintState#describe}
   */
  CallStart(long[] words, int senders, int state, long[] sincePs) {
    this.words = words;
    this.senders = senders;
    this.state = state;
    this.sincePs = sincePs;
    hash = Arrays.hashCode(words);
  }

  /** The sender that is one of an order of their begins. */
  int sender(int at) {
    return (int) words[FIRST + 2 * at];
  }

  /** Its begin. */
  long beginPs(int at) {
    return words[FIRST + 2 * at + 1];
  }

  /** The begins of all, by sender. */
  long[] begins() {
    long[] begins = new long[senders];
    for (int at = 0; at < senders; at++) {
      begins[sender(at)] = beginPs(at);
    }
    return begins;
  }

  /** The places of all in the order of their begins, by sender. */
  int[] places() {
    int[] places = new int[senders];
    for (int at = 0; at < senders; at++) {
      places[sender(at)] = at;
    }
    return places;
  }

  /** Whether members' streams have slots of the same order. */
  boolean hasSameSlots(CallStart other) {
    int from = FIRST + 2 * senders;
    return senders == other.senders && words[0] == other.words[0]
        && Arrays.equals(words, from, state, other.words, from, other.state);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof CallStart that && hash == that.hash && Arrays.equals(words, that.words);
  }

  @Override
  public int hashCode() {
    return hash;
  }
}
