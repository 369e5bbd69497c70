package dev.heddle.internal.collect;

import java.util.Arrays;

/** A growing list of {@code long}s. */
public final class LongList {
  private long[] words = new long[64];
  private int size;

  /** Adds a number at the end. */
  public void add(long word) {
    if (size == words.length) {
      words = Arrays.copyOf(words, 2 * size);
    }
    words[size++] = word;
  }

  /** Replaces the number at a place. */
  public void set(int at, long word) {
    words[at] = word;
  }

  /** The number at a place. */
  public long get(int at) {
    return words[at];
  }

  /** Whether two lists hold the same. */
  public boolean holdsSame(LongList other) {
    return Arrays.equals(words, 0, size, other.words, 0, other.size);
  }

  /** The count of numbers. */
  public int size() {
    return size;
  }

  /** Removes all numbers. */
  public void clear() {
    size = 0;
  }

  /** A copy of the numbers. */
  public long[] toArray() {
    return Arrays.copyOf(words, size);
  }
}
