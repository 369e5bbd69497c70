package dev.heddle.network.packet;

import dev.heddle.spi.Link;
import java.util.Arrays;

/**
 * What links answer about units, remembered: a direct-mapped cache per link model, so that the hot path calls no link
 * once it has seen a payload.
 */
final class WireTimes {
  private static final int SLOTS = 64;
  private static final int GOLDEN = 0x9E3779B9;

  private final Link[] specs;
  private final int[] key;
  private final long[] wirePs;
  private final long[] wireBytes;
  private final long[] headPs;
  private final long[] ackPs;
  private final int[] packets;
  private final int[] crossings;

  WireTimes(Link[] specs) {
    this.specs = specs;
    int size = specs.length * SLOTS;
    key = new int[size];
    wirePs = new long[size];
    wireBytes = new long[size];
    headPs = new long[size];
    ackPs = new long[size];
    packets = new int[size];
    crossings = new int[size];
    Arrays.fill(key, -1);
  }

  /** The slot that holds what a link model says of a payload; valid until the next call. */
  int slot(int spec, int payload, int trafficClass) {
    int wanted = payload << 3 | trafficClass;
    int slot = spec * SLOTS + (wanted * GOLDEN >>> 26);
    if (key[slot] != wanted) {
      fill(slot, specs[spec], payload, trafficClass, wanted);
    }
    return slot;
  }

  private void fill(int slot, Link link, int payload, int trafficClass, int wanted) {
    int crossed = link.memoryTransfers(trafficClass);
    key[slot] = wanted;
    crossings[slot] = crossed;
    wirePs[slot] = Math.max(1, crossed * link.wirePs(payload, trafficClass));
    wireBytes[slot] = link.wireBytes(payload, trafficClass);
    headPs[slot] = Math.max(1, crossed * link.headPs(payload, trafficClass));
    ackPs[slot] = crossed * link.ackPs(payload, trafficClass);
    packets[slot] = link.packets(payload);
  }

  long wirePs(int slot) {
    return wirePs[slot];
  }

  long wireBytes(int slot) {
    return wireBytes[slot];
  }

  long headPs(int slot) {
    return headPs[slot];
  }

  long ackPs(int slot) {
    return ackPs[slot];
  }

  int packets(int slot) {
    return packets[slot];
  }

  int crossings(int slot) {
    return crossings[slot];
  }
}
