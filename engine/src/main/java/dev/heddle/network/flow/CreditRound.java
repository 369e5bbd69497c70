package dev.heddle.network.flow;

import dev.heddle.network.WireTimeCache;

/** The round of a channel's credits for units of one size, of the channel that was asked for last. */
final class CreditRound {
  private final CreditLoops loops;
  private final WireTimeCache costs;

  /** The most units that the buffer of the channel holds. */
  int window;
  /** The time from a unit's first bit on the link until its credit is back, in picoseconds. */
  long ps;

  CreditRound(CreditLoops loops, WireTimeCache costs) {
    this.loops = loops;
    this.costs = costs;
  }

  /**
   * Whether credits hold up units on a channel that has nothing else to carry. A link that carries a unit in several
   * packets, as PCIe and NVLink do, gives credits back packet by packet.
   *
   * @param virtual channel of the link
   * @param payload of a unit, in bytes, above 0
   * @param slot of such units among the costs
   * @param wirePs of the unit on the link
   * @param nextPs wire time on the link by which it goes on; negative at its destination
   */
  boolean binds(int link, int virtual, int payload, int slot, long wirePs, long nextPs) {
    int packets = costs.packets(slot);
    long wireBytes = costs.wireBytes(slot);
    long headPs = costs.headPs(slot);
    if (packets > 1) {
      long packetPs = wirePs / packets;
      window = loops.window(link, virtual, 1, (payload + packets - 1) / packets, (wireBytes + packets - 1) / packets);
      ps = loops.roundPs(
          link, virtual, packetPs, Math.min(headPs, packetPs), nextPs < 0 ? nextPs : nextPs / packets);
      if (!CreditLoops.binds(ps, window, packetPs)) {
        return false;
      }
    }
    window = loops.window(link, virtual, packets, payload, wireBytes);
    ps = loops.roundPs(link, virtual, wirePs, headPs, nextPs);
    return CreditLoops.binds(ps, window, wirePs);
  }
}
