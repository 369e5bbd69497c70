package dev.heddle.network.flow;

import java.util.Arrays;

/** Links by the level at which they become full, lowest first; of equal levels the lower link. */
final class LinkHeap {
  private double[] keys = new double[64];
  private int[] links = new int[64];
  private int size;

  void clear() {
    size = 0;
  }

  /** The link that becomes full first. */
  int link() {
    return links[0];
  }

  /** Its level. */
  double key() {
    return keys[0];
  }

  /** Adds a link at the end; {@link #order} then makes a heap of all. */
  void append(int link, double key) {
    if (size == links.length) {
      keys = Arrays.copyOf(keys, 2 * size);
      links = Arrays.copyOf(links, 2 * size);
    }
    keys[size] = key;
    links[size++] = link;
  }

  /** Makes a heap of the links that were appended. */
  void order() {
    for (int at = (size >> 1) - 1; at >= 0; at--) {
      sink(at, keys[at], links[at]);
    }
  }

  /** Gives the first link a higher level. */
  void raise(double key) {
    sink(0, key, links[0]);
  }

  /** Removes the first. */
  void remove() {
    size--;
    sink(0, keys[size], links[size]);
  }

  // Puts a link at a place, or below it where links with lower levels are.
  private void sink(int place, double key, int link) {
    int at = place;
    while (true) {
      int child = 2 * at + 1;
      if (child >= size) {
        break;
      }
      if (child + 1 < size && before(keys[child + 1], links[child + 1], keys[child], links[child])) {
        child++;
      }
      if (!before(keys[child], links[child], key, link)) {
        break;
      }
      keys[at] = keys[child];
      links[at] = links[child];
      at = child;
    }
    keys[at] = key;
    links[at] = link;
  }

  private static boolean before(double key, int link, double otherKey, int otherLink) {
    return key < otherKey || (key == otherKey && link < otherLink);
  }
}
