package dev.heddle.network.packet;

import dev.heddle.network.NetworkException;
import dev.heddle.spi.Credits;
import dev.heddle.spi.Retransmission;
import dev.heddle.tier.TierPlan;
import dev.heddle.units.SimTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Says in words why a run cannot go on. */
final class DeadlockReport {
  private static final int MAX_LINES = 12;

  private DeadlockReport() {}

  static NetworkException unitTooLarge(NetworkPlan plan, int channel, int payload, long bytes, int packets) {
    return new NetworkException(
        "a unit of " + payload + " B takes " + bytes + " B and " + packets + " packet(s) of receiver buffer on link "
            + plan.fabric.linkName(plan.channelLink[channel]) + ", which has "
            + limit(plan.capacityBytes[channel], " B") + " and " + limit(plan.capacityHeaders[channel], " packets")
            + "; enlarge the buffer or shorten the burst (run.burst)");
  }

  static NetworkException connectionFailed(
      NetworkPlan plan, int link, int[] ends, Retransmission resending, long timePs) {
    return new NetworkException(
        "the connection from " + plan.fabric.name(ends[0]) + " to " + plan.fabric.name(ends[1]) + " failed at "
            + SimTime.ofPs(timePs) + ": link " + plan.fabric.linkName(link) + " lost a packet and all "
            + resending.retries() + " that were sent in its place, a time-out of "
            + SimTime.ofPs(resending.timeoutPs()) + " apart; let the link lose fewer, or allow more retries");
  }

  private static String limit(int capacity, String unit) {
    return capacity == Credits.UNLIMITED ? "any number of" + unit : capacity + unit;
  }

  /**
   * The channels that can never move again: each has a unit that lacks credit, and all that could free credit waits on
   * channels of the same set, or for the rest of its message, which can only come over channels of that set.
   *
   * @return for each channel of the set the channel it waits for; empty when everything can still move
   */
  static int[] deadlocked(NetworkPlan plan, NetworkState state, Partition[] partitions) {
    int[] waitsFor = new int[plan.channels];
    Arrays.fill(waitsFor, NetworkState.NONE);
    boolean[] stuck = new boolean[plan.channels];
    for (int channel = 0; channel < plan.channels; channel++) {
      stuck[channel] = state.links.stalledSince(plan.channelLink[channel]) != NetworkState.NONE
          && state.channels.firstReturning(channel) == NetworkState.NONE
          && hasWork(plan, state, channel);
    }
    boolean changed = true;
    while (changed) {
      changed = false;
      Arrays.fill(waitsFor, NetworkState.NONE);
      boolean[] free = new boolean[plan.channels];
      for (Partition partition : partitions) {
        PacketTable units = partition.units;
        for (int unit = 0; unit < units.allocated(); unit++) {
          if (units.isLive(unit) && units.heldChannel(unit) != NetworkState.NONE) {
            int held = units.heldChannel(unit);
            int wanted = units.channel(unit) == NetworkState.NONE ? held : units.channel(unit);
            if (units.channel(unit) == NetworkState.NONE && nothingArrives(plan, state, held, stuck)) {
              waitsFor[held] = held;
              continue;
            }
            boolean arrived = plan.linkSource[plan.channelLink[wanted]] == plan.linkTarget[plan.channelLink[held]];
            if (arrived && stuck[wanted]) {
              waitsFor[held] = wanted;
            } else {
              free[held] = true;
            }
          }
        }
      }
      for (int channel = 0; channel < plan.channels; channel++) {
        if (stuck[channel] && (free[channel] || waitsFor[channel] == NetworkState.NONE)) {
          stuck[channel] = false;
          changed = true;
        }
      }
    }
    for (int channel = 0; channel < plan.channels; channel++) {
      if (!stuck[channel]) {
        waitsFor[channel] = NetworkState.NONE;
      }
    }
    return waitsFor;
  }

  // Whether every channel of a tier into a device that collects units is stuck or has nothing to bring.
  private static boolean nothingArrives(NetworkPlan plan, NetworkState state, int channel, boolean[] stuck) {
    int link = plan.channelLink[channel];
    int device = plan.linkTarget[link];
    int first = plan.firstInput[device];
    for (int input = first; input < first + plan.requesters[device] - 1; input++) {
      int other = plan.inputChannels[input];
      boolean sameTier = plan.fabric.linkTier(plan.channelLink[other]) == plan.fabric.linkTier(link);
      if (sameTier && !stuck[other] && hasWork(plan, state, other)) {
        return false;
      }
    }
    return stuck[channel];
  }

  /** The cycle of buffers among deadlocked channels, in words. */
  static NetworkException deadlock(NetworkPlan plan, int[] waitsFor, long timePs) {
    int start = 0;
    while (waitsFor[start] == NetworkState.NONE) {
      start++;
    }
    int[] seenAt = new int[plan.channels];
    Arrays.fill(seenAt, NetworkState.NONE);
    List<Integer> path = new ArrayList<>();
    int channel = start;
    while (seenAt[channel] == NetworkState.NONE) {
      seenAt[channel] = path.size();
      path.add(channel);
      channel = waitsFor[channel];
    }
    StringBuilder text = new StringBuilder();
    text.append("credit deadlock at ").append(SimTime.ofPs(timePs));
    if (waitsFor[channel] == channel) {
      int link = plan.channelLink[channel];
      text.append(": ").append(plan.fabric.name(plan.linkTarget[link]))
          .append(" collects packets into larger ones, and parts of several messages fill the ")
          .append(plan.capacityBytes[channel]).append(" B that it has for ").append(plan.fabric.linkName(link))
          .append("; enlarge the buffer, to a packet of the outer tier for every message that may arrive at once, or")
          .append(" let bursts pass (run.granularity: burst)");
      return new NetworkException(text.toString());
    }
    text.append(": each of these links waits for buffer that only the next one can free:");
    List<Integer> cycle = path.subList(seenAt[channel], path.size());
    for (int i = 0; i < cycle.size(); i++) {
      if (i == MAX_LINES) {
        text.append("\n  ... and ").append(cycle.size() - MAX_LINES).append(" more");
        break;
      }
      int link = plan.channelLink[cycle.get(i)];
      text.append("\n  ").append(plan.fabric.linkName(link)).append(", virtual channel ")
          .append(cycle.get(i) - plan.firstChannel[link]);
    }
    text.append("\nadd virtual channels, enlarge buffers, or choose a routing without cycles (at most ")
        .append(TierPlan.MAX_VIRTUAL_CHANNELS).append(" virtual channels a link)");
    return new NetworkException(text.toString());
  }

  private static boolean hasWork(NetworkPlan plan, NetworkState state, int channel) {
    if (state.head(plan.firstOutputQueue + channel) != NetworkState.NONE) {
      return true;
    }
    return state.requests.any(channel);
  }
}
