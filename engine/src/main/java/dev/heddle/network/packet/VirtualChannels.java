package dev.heddle.network.packet;

import dev.heddle.internal.collect.LongList;
import dev.heddle.spi.Credits;

/**
 * Virtual channels: fixed words, which both ends of a link read, words that change at its source, and words that change
 * at its target. The three are apart, as the words of an end belong to the partition of that end.
 */
final class VirtualChannels {
  /** The words of a channel that change. */
  static final int STRIDE = 8;
  private static final int CREDIT = 0;
  private static final int RETURNING = 1;
  private static final int INJECTION = 2;
  private static final int TURN = 3;
  private static final int OUTPUT_BYTES = 4;
  private static final int FLAGS = 5;

  private static final int INPUTS = 2;
  private static final int INPUT_FREE_AT = 0;
  private static final int EXPOSE_SCHEDULED = 1;
  // The place of the target's words in a copy of all that change, where those of the source are unused.
  private static final int COPIED_INPUTS = STRIDE - INPUTS;

  private static final int FIXED = 6;
  private static final int CAPACITY = 0;
  private static final int RETURN_TIME = 1;
  private static final int PLACE = 2;
  private static final int REQUEST_WORDS = 3;
  private static final int QUEUES = 4;
  private static final int SENDER = 5;

  private static final long INJECTED_LAST = 1;
  private static final long FILL_MARKED = 2;
  private static final long LOW = 0xFFFFFFFFL;

  private final long[] words;
  private final long[] inputs;
  private final long[] fixed;

  VirtualChannels(NetworkPlan plan) {
    words = new long[Math.multiplyExact(STRIDE, plan.channels)];
    inputs = new long[INPUTS * plan.channels];
    fixed = new long[FIXED * plan.channels];
    for (int channel = 0; channel < plan.channels; channel++) {
      int at = STRIDE * channel;
      words[at + CREDIT] = pack(plan.capacityBytes[channel], plan.capacityHeaders[channel]);
      words[at + RETURNING] = pack(NetworkState.NONE, NetworkState.NONE);
      words[at + INJECTION] = pack(NetworkState.NONE, NetworkState.NONE);
      words[at + TURN] = pack(NetworkState.NONE, NetworkState.NONE);
      int link = plan.channelLink[channel];
      int from = FIXED * channel;
      fixed[from + CAPACITY] = words[at + CREDIT];
      fixed[from + RETURN_TIME] = plan.returnPs[channel];
      fixed[from + PLACE] = pack(link, plan.requester[channel]);
      fixed[from + REQUEST_WORDS] = pack(plan.requestWord[channel], plan.requestWords[channel]);
      fixed[from + QUEUES] = pack(plan.firstVirtualQueue[channel], plan.wholePacket[channel] ? 1 : 0);
      fixed[from + SENDER] = pack(plan.linkSource[link], plan.granule[channel]);
    }
  }

  private static long pack(int high, int low) {
    return (long) high << 32 | (low & LOW);
  }

  private int high(int channel, int word) {
    return (int) (words[STRIDE * channel + word] >> 32);
  }

  private int low(int channel, int word) {
    return (int) words[STRIDE * channel + word];
  }

  private int fixedHigh(int channel, int word) {
    return (int) (fixed[FIXED * channel + word] >> 32);
  }

  private int fixedLow(int channel, int word) {
    return (int) fixed[FIXED * channel + word];
  }

  private void high(int channel, int word, int value) {
    int at = STRIDE * channel + word;
    words[at] = (long) value << 32 | (words[at] & LOW);
  }

  private void low(int channel, int word, int value) {
    int at = STRIDE * channel + word;
    words[at] = (words[at] & ~LOW) | (value & LOW);
  }

  int creditBytes(int channel) {
    return high(channel, CREDIT);
  }

  int creditHeaders(int channel) {
    return low(channel, CREDIT);
  }

  void credit(int channel, int bytes, int headers) {
    words[STRIDE * channel + CREDIT] = pack(bytes, headers);
  }

  /** The first credit on its way back, as the ledger numbers them. */
  int firstReturning(int channel) {
    return high(channel, RETURNING);
  }

  /** The last credit on its way back. */
  int lastReturning(int channel) {
    return low(channel, RETURNING);
  }

  void returning(int channel, int first, int last) {
    words[STRIDE * channel + RETURNING] = pack(first, last);
  }

  int capacityBytes(int channel) {
    return fixedHigh(channel, CAPACITY);
  }

  int capacityHeaders(int channel) {
    return fixedLow(channel, CAPACITY);
  }

  boolean hasUnlimitedBytes(int channel) {
    return fixedHigh(channel, CAPACITY) == Credits.UNLIMITED;
  }

  boolean hasUnlimitedHeaders(int channel) {
    return fixedLow(channel, CAPACITY) == Credits.UNLIMITED;
  }

  long returnPs(int channel) {
    return fixed[FIXED * channel + RETURN_TIME];
  }

  int link(int channel) {
    return fixedHigh(channel, PLACE);
  }

  /** The device at which the channel begins. */
  int source(int channel) {
    return fixedHigh(channel, SENDER);
  }

  /** The channel's number among the requesters of the device at which it ends. */
  int requester(int channel) {
    return fixedLow(channel, PLACE);
  }

  int injectionHead(int channel) {
    return high(channel, INJECTION);
  }

  void injectionHead(int channel, int message) {
    high(channel, INJECTION, message);
  }

  int injectionTail(int channel) {
    return low(channel, INJECTION);
  }

  void injectionTail(int channel, int message) {
    low(channel, INJECTION, message);
  }

  int injectionUnit(int channel) {
    return high(channel, TURN);
  }

  void injectionUnit(int channel, int unit) {
    high(channel, TURN, unit);
  }

  int lastGranted(int channel) {
    return low(channel, TURN);
  }

  void lastGranted(int channel, int requester) {
    low(channel, TURN, requester);
  }

  int requestWord(int channel) {
    return fixedHigh(channel, REQUEST_WORDS);
  }

  int requestWords(int channel) {
    return fixedLow(channel, REQUEST_WORDS);
  }

  int firstVirtualQueue(int channel) {
    return fixedHigh(channel, QUEUES);
  }

  boolean countsWholePackets(int channel) {
    return fixedLow(channel, QUEUES) != 0;
  }

  long inputFreeAt(int channel) {
    return inputs[INPUTS * channel + INPUT_FREE_AT];
  }

  void inputFreeAt(int channel, long time) {
    inputs[INPUTS * channel + INPUT_FREE_AT] = time;
  }

  boolean isExposeScheduled(int channel) {
    return inputs[INPUTS * channel + EXPOSE_SCHEDULED] != 0;
  }

  void exposeScheduled(int channel, boolean value) {
    inputs[INPUTS * channel + EXPOSE_SCHEDULED] = value ? 1 : 0;
  }

  long outputBytes(int channel) {
    return words[STRIDE * channel + OUTPUT_BYTES];
  }

  void addOutputBytes(int channel, long bytes) {
    words[STRIDE * channel + OUTPUT_BYTES] += bytes;
  }

  int granule(int channel) {
    return fixedLow(channel, SENDER);
  }

  boolean isInjectedLast(int channel) {
    return (words[STRIDE * channel + FLAGS] & INJECTED_LAST) != 0;
  }

  void injectedLast(int channel, boolean value) {
    flag(channel, INJECTED_LAST, value);
  }

  boolean isFillMarked(int channel) {
    return (words[STRIDE * channel + FLAGS] & FILL_MARKED) != 0;
  }

  void fillMarked(int channel, boolean value) {
    flag(channel, FILL_MARKED, value);
  }

  private void flag(int channel, long bit, boolean value) {
    int at = STRIDE * channel + FLAGS;
    words[at] = value ? words[at] | bit : words[at] & ~bit;
  }

  /** Adds whose turn it is, credit, and the times of a channel's input and the bytes of its output to a list. */
  void describe(int channel, long now, LongList into) {
    int at = STRIDE * channel;
    into.add(words[at + CREDIT]);
    into.add(lastGranted(channel));
    into.add(Math.max(0, inputFreeAt(channel) - now));
    into.add(inputs[INPUTS * channel + EXPOSE_SCHEDULED]);
    into.add(words[at + OUTPUT_BYTES]);
    into.add(words[at + FLAGS]);
  }

  /** Reads the words of a channel, once a cache line. */
  long sweep(int channel) {
    return words[STRIDE * channel] + fixed[FIXED * channel];
  }

  /** Copies the words of a channel out. */
  void copyOut(int channel, long[] into, int at) {
    System.arraycopy(words, STRIDE * channel, into, at, COPIED_INPUTS);
    System.arraycopy(inputs, INPUTS * channel, into, at + COPIED_INPUTS, INPUTS);
  }

  /** Copies the words of a channel in. */
  void copyIn(int channel, long[] from, int at) {
    System.arraycopy(from, at, words, STRIDE * channel, COPIED_INPUTS);
    System.arraycopy(from, at + COPIED_INPUTS, inputs, INPUTS * channel, INPUTS);
  }

  /** The time until which an input is busy, of words that were copied out. */
  static long inputFreeAt(long[] copy, int at) {
    return copy[at + COPIED_INPUTS + INPUT_FREE_AT];
  }

  /** The requester that was granted last, of words that were copied out. */
  static int lastGranted(long[] copy, int at) {
    return (int) copy[at + TURN];
  }

  /** Gives the sender all credit. */
  void fillCredit(int channel) {
    words[STRIDE * channel + CREDIT] = fixed[FIXED * channel + CAPACITY];
  }
}
