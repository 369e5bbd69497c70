package dev.heddle.internal.collect;

import dev.heddle.units.RandomStream;

/**
 * Messages at fixed times from a begin, each with a word of its own, as hashes of time and word. Sets that begin at one
 * time share them.
 */
public final class MixedTimes {
  private static final long[] TURN = new long[1 << 12];

  static {
    for (int i = 0; i < TURN.length; i++) {
      TURN[i] = i;
    }
  }

  private final long[] times;
  private final long[] words;
  private long[] mixed = new long[0];
  private long beginOf;

  /**
   * Messages.
   *
   * @param times of the messages, from the begin
   * @param words of the messages
   */
  public MixedTimes(long[] times, long[] words) {
    this.times = times;
    this.words = words;
  }

  /** The hash of each message of a set that begins at a time. */
  public long[] at(long begin) {
    if (mixed.length != times.length || beginOf != begin) {
      long[] hashes = mixed.length == times.length ? mixed : new long[times.length];
      for (int i = 0; i < hashes.length; i++) {
        hashes[i] = RandomStream.mix(begin + times[i] ^ words[i]);
      }
      mixed = hashes;
      beginOf = begin;
    }
    return mixed;
  }

  /** The sum of hashes of messages whose identities follow each other. */
  public long sum(int from, int to, long firstId, long begin) {
    long[] hashes = at(begin);
    long sum = 0;
    // The inner loop is one that compilers turn into vectors.
    for (int block = from; block < to; block += TURN.length) {
      int count = Math.min(TURN.length, to - block);
      long id = firstId + (block - from);
      for (int i = 0; i < count; i++) {
        sum += RandomStream.mix(id + TURN[i] ^ hashes[block + i]);
      }
    }
    return sum;
  }
}
