package dev.heddle.network.packet;

import java.util.Arrays;

/** A growing list of {@code long}s. */
final class LongList {
  private long[] words = new long[64];
  private int size;

  void add(long word) {
    if (size == words.length) {
      words = Arrays.copyOf(words, 2 * size);
    }
    words[size++] = word;
  }

  void set(int at, long word) {
    words[at] = word;
  }

  long get(int at) {
    return words[at];
  }

  /** Whether two lists hold the same. */
  boolean holdsSame(LongList other) {
    return Arrays.equals(words, 0, size, other.words, 0, other.size);
  }

  int size() {
    return size;
  }

  void clear() {
    size = 0;
  }

  long[] toArray() {
    return Arrays.copyOf(words, size);
  }
}
