package dev.heddle.network.packet;

import dev.heddle.network.InvariantViolation;
import dev.heddle.spi.Credits;
import java.util.Arrays;

/** Checks at the end of a run that no byte and no credit was lost or made. */
final class ConservationCheck {
  private ConservationCheck() {}

  /**
   * Bytes submitted are delivered, in units, or still to be cut; credits are with the sender, on their way back, or
   * held.
   *
   * @throws InvariantViolation when they are not
   */
  static void check(NetworkPlan plan, NetworkState state, Partition[] partitions) {
    long submitted = 0;
    long delivered = 0;
    long inUnits = 0;
    long uncut = 0;
    long[] heldBytes = new long[plan.channels];
    long[] heldHeaders = new long[plan.channels];
    for (Partition partition : partitions) {
      submitted += partition.meter.totalSubmittedBytes();
      delivered += partition.meter.totalDeliveredBytes();
      PacketTable units = partition.units;
      int live = 0;
      for (int unit = 0; unit < units.allocated(); unit++) {
        if (units.isLive(unit)) {
          live++;
          inUnits += units.payload(unit);
          if (units.heldChannel(unit) != NetworkState.NONE) {
            heldBytes[units.heldChannel(unit)] += units.heldBytes(unit);
            heldHeaders[units.heldChannel(unit)] += units.heldHeaders(unit);
          }
        }
      }
      if (live != units.live()) {
        throw new InvariantViolation("unit pool counts " + units.live() + " units but holds " + live);
      }
    }
    for (int channel = 0; channel < plan.channels; channel++) {
      Partition owner = partitions[partitions[0].returns.owner(channel)];
      for (int m = state.channels.injectionHead(channel); m != NetworkState.NONE; m = owner.messages.next(m)) {
        uncut += owner.messages.remaining(m);
      }
      if (plan.capacityBytes[channel] != Credits.UNLIMITED) {
        long bytes = state.channels.creditBytes(channel) + owner.ledger.returningBytes(channel) + heldBytes[channel];
        checkCredit(plan, channel, "bytes", bytes, plan.capacityBytes[channel], state.channels.creditBytes(channel));
      }
      if (plan.capacityHeaders[channel] != Credits.UNLIMITED) {
        long headers =
            state.channels.creditHeaders(channel) + owner.ledger.returningHeaders(channel) + heldHeaders[channel];
        checkCredit(plan, channel, "headers", headers, plan.capacityHeaders[channel],
            state.channels.creditHeaders(channel));
      }
    }
    if (!plan.transports && submitted != delivered + inUnits + uncut) {
      throw new InvariantViolation(
          "bytes are not conserved: " + submitted + " submitted, " + delivered + " delivered, " + inUnits
              + " in units, " + uncut + " waiting");
    }
  }

  /**
   * All bytes submitted are delivered, at the end of a run to completion.
   *
   * @throws InvariantViolation when they are not
   */
  static void checkDelivered(Partition[] partitions) {
    long submitted = Arrays.stream(partitions).mapToLong(each -> each.meter.totalSubmittedBytes()).sum();
    long delivered = Arrays.stream(partitions).mapToLong(each -> each.meter.totalDeliveredBytes()).sum();
    if (submitted != delivered) {
      throw new InvariantViolation(
          "bytes are not conserved: " + submitted + " submitted, " + delivered + " delivered at the end");
    }
  }

  private static void checkCredit(NetworkPlan plan, int channel, String what, long sum, long capacity, long left) {
    if (sum != capacity || left < 0) {
      throw new InvariantViolation(
          "credits are not conserved: link " + plan.fabric.linkName(plan.channelLink[channel]) + " accounts for " + sum
              + " " + what + " of " + capacity + ", " + left + " at the sender");
    }
  }
}
