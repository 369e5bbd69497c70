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

  boolean isEmpty() {
    return size == 0;
  }

  /** The link that becomes full first. */
  int link() {
    return links[0];
  }

  /** Its level. */
  double key() {
    return keys[0];
  }

  void add(int link, double key) {
    if (size == links.length) {
      keys = Arrays.copyOf(keys, 2 * size);
      links = Arrays.copyOf(links, 2 * size);
    }
    int at = size++;
    while (at > 0) {
      int parent = (at - 1) >> 1;
      if (!before(key, link, keys[parent], links[parent])) {
        break;
      }
      keys[at] = keys[parent];
      links[at] = links[parent];
      at = parent;
    }
    keys[at] = key;
    links[at] = link;
  }

  /** Removes the first. */
  void remove() {
    size--;
    double key = keys[size];
    int link = links[size];
    int at = 0;
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
