package dev.heddle.network.packet;

import java.util.Arrays;

/** The links to be arbitrated at an instant's end, in order: first those that became free, then those asked for. */
final class LinkMarks {
  int[] links = new int[256];
  int count;
  private int freed;

  void add(int link) {
    if (count == links.length) {
      links = Arrays.copyOf(links, 2 * count);
    }
    links[count++] = link;
  }

  /** The last link of those so far became free. */
  void endFreed() {
    freed = count;
  }

  /** Adds a link as if the event at which it became free had come in the order of links. */
  void addFreed(int link) {
    add(link);
    int place = freed++;
    while (place > 0 && links[place - 1] > link) {
      place--;
    }
    System.arraycopy(links, place, links, place + 1, count - 1 - place);
    links[place] = link;
  }

  void addAll(LinkMarks others) {
    for (int i = 0; i < others.count; i++) {
      add(others.links[i]);
    }
  }

  void clear() {
    count = 0;
    freed = 0;
  }
}
