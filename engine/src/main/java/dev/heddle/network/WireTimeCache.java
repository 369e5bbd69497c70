package dev.heddle.network;

import dev.heddle.spi.Link;
import java.util.Arrays;

/**
 * Direct-mapped cache of the figures that links state for bursts, by link model, payload and traffic class, so that the
 * event loop calls no link for a payload that it has seen.
 */
public final class WireTimeCache {
  private static final int SLOTS = 64;
  private static final int GOLDEN = 0x9E3779B9;

  private final Link[] specs;
  private final long[] key;
  private final long[] wirePs;
  private final long[] wireBytes;
  private final long[] headPs;
  private final long[] ackPs;
  private final int[] packets;
  private final int[] transfers;

  /** An empty cache for some link models. */
  public WireTimeCache(Link[] specs) {
    this.specs = specs;
    int size = specs.length * SLOTS;
    key = new long[size];
    wirePs = new long[size];
    wireBytes = new long[size];
    headPs = new long[size];
    ackPs = new long[size];
    packets = new int[size];
    transfers = new int[size];
    Arrays.fill(key, -1);
  }

  /**
   * The slot with the figures of a burst; valid until the next call.
   *
   * @param spec number of the link model
   * @param payload of the burst in bytes
   */
  public int slot(int spec, int payload, int trafficClass) {
    long wanted = (long) payload << 3 | trafficClass;
    int slot = spec * SLOTS + ((int) wanted * GOLDEN >>> 26);
    if (key[slot] != wanted) {
      fill(slot, specs[spec], payload, trafficClass, wanted);
    }
    return slot;
  }

  private void fill(int slot, Link link, int payload, int trafficClass, long wanted) {
    int memory = link.memoryTransfers(trafficClass);
    key[slot] = wanted;
    transfers[slot] = memory;
    wirePs[slot] = Math.max(1, memory * link.wirePs(payload, trafficClass));
    wireBytes[slot] = link.wireBytes(payload, trafficClass);
    headPs[slot] = Math.max(1, memory * link.headPs(payload, trafficClass));
    ackPs[slot] = memory * link.ackPs(payload, trafficClass);
    packets[slot] = link.packets(payload);
  }

  /** Time for which the burst occupies the link, in picoseconds, at least 1. */
  public long wirePs(int slot) {
    return wirePs[slot];
  }

  /** Bytes of the burst on the wire. */
  public long wireBytes(int slot) {
    return wireBytes[slot];
  }

  /** Wire time of the burst's first packet, in picoseconds, at least 1. */
  public long headPs(int slot) {
    return headPs[slot];
  }

  /** Time for which acknowledgements of the burst occupy the opposite link, in picoseconds. */
  public long ackPs(int slot) {
    return ackPs[slot];
  }

  /** Packets of the burst. */
  public int packets(int slot) {
    return packets[slot];
  }

  /** Crossings of the bus of a memory by each byte of the burst; 1 for other links. */
  public int transfers(int slot) {
    return transfers[slot];
  }
}
