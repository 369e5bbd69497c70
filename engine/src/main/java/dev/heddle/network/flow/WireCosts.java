package dev.heddle.network.flow;

import dev.heddle.spi.Link;
import java.util.Arrays;

/** What links answer about units, remembered: a direct-mapped cache per link model. */
final class WireCosts {
  private static final int SLOTS = 64;
  private static final int GOLDEN = 0x9E3779B9;

  private final Link[] specs;
  private final long[] key;
  private final long[] wirePs;
  private final long[] headPs;
  private final long[] ackPs;

  WireCosts(Link[] specs) {
    this.specs = specs;
    int size = specs.length * SLOTS;
    key = new long[size];
    wirePs = new long[size];
    headPs = new long[size];
    ackPs = new long[size];
    Arrays.fill(key, -1);
  }

  /** The slot that holds what a link model says of a unit's payload; valid until the next call. */
  int slot(int spec, int payload, int trafficClass) {
    long wanted = (long) payload << 3 | trafficClass;
    int slot = spec * SLOTS + ((int) wanted * GOLDEN >>> 26);
    if (key[slot] != wanted) {
      key[slot] = wanted;
      int crossed = specs[spec].memoryTransfers(trafficClass);
      wirePs[slot] = Math.max(1, crossed * specs[spec].wirePs(payload, trafficClass));
      headPs[slot] = Math.max(1, crossed * specs[spec].headPs(payload, trafficClass));
      ackPs[slot] = crossed * specs[spec].ackPs(payload, trafficClass);
    }
    return slot;
  }

  long wirePs(int slot) {
    return wirePs[slot];
  }

  long headPs(int slot) {
    return headPs[slot];
  }

  long ackPs(int slot) {
    return ackPs[slot];
  }
}
