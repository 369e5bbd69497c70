package dev.heddle.internal.collect;

import java.util.Arrays;

/** Crossings of links by flows of which each may stand for several: by entry of a flow, and summed by link. */
final class Crossings {
  private double[] ofEntry = new double[64];
  private double[] ofLink = new double[64];

  /** A flow begins whose entry stands for a number of crossings of a link. */
  void add(int entry, int link, double number) {
    if (entry >= ofEntry.length) {
      ofEntry = Arrays.copyOf(ofEntry, Math.max(entry + 1, 2 * ofEntry.length));
    }
    if (link >= ofLink.length) {
      ofLink = Arrays.copyOf(ofLink, Math.max(link + 1, 2 * ofLink.length));
    }
    ofEntry[entry] = number;
    ofLink[link] += number;
  }

  /** A flow with that entry ends. */
  void remove(int entry, int link) {
    ofLink[link] -= ofEntry[entry];
  }

  /** The crossings for which an entry stands. */
  double ofEntry(int entry) {
    return ofEntry[entry];
  }

  /** The crossings of a link: a whole number, as a sum over a class of links is divided among its members. */
  double ofLink(int link) {
    return link < ofLink.length ? Math.rint(ofLink[link]) : 0;
  }
}
