package dev.heddle.internal.collect;

import java.util.Arrays;

/** Crossings of links by paths that are planned and have not begun. */
public final class PlannedCrossings {
  private final int[] ofLink;
  private int[] crossed = new int[64];
  private int count;

  /** No paths over a number of links. */
  public PlannedCrossings(int links) {
    ofLink = new int[links];
  }

  /** The crossings of a link. */
  public int ofLink(int link) {
    return ofLink[link];
  }

  /** Adds a path by its first links. */
  public void add(int[] links, int hops) {
    if (count + hops > crossed.length) {
      crossed = Arrays.copyOf(crossed, 2 * (count + hops));
    }
    for (int hop = 0; hop < hops; hop++) {
      ofLink[links[hop]]++;
      crossed[count++] = links[hop];
    }
  }

  /** Forgets all, in time proportional to them. */
  public void clear() {
    for (int i = 0; i < count; i++) {
      ofLink[crossed[i]] = 0;
    }
    count = 0;
  }
}
