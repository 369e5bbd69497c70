package dev.heddle.network.packet;

import dev.heddle.fabric.Fabric;
import java.util.Arrays;

/**
 * The links to which units have come since a time, with those of the opposite direction, and the devices that they
 * leave, each in the order of its first use.
 */
final class ActiveLinks {
  private static final int NONE = NetworkState.NONE;

  private final NetworkPlan plan;
  private final int[] rankOf;
  private final boolean[] listed;
  private final boolean[] hasDevice;
  private int[] all = new int[64];
  private int count;
  private boolean stale;
  private int[] links = new int[0];
  private int[] devices = new int[0];
  private int[] injecting = new int[0];

  ActiveLinks(NetworkPlan plan, int[] rankOf) {
    this.plan = plan;
    this.rankOf = rankOf;
    listed = new boolean[plan.links];
    hasDevice = new boolean[plan.devices];
  }

  /** A unit comes to a link. */
  void enter(int link) {
    if (!listed[link]) {
      add(link);
      add(Fabric.opposite(link));
    }
  }

  private void add(int link) {
    if (count == all.length) {
      all = Arrays.copyOf(all, 2 * count);
    }
    listed[link] = true;
    all[count++] = link;
    stale = true;
  }

  /** Counts from now on. */
  void clear() {
    for (int i = 0; i < count; i++) {
      listed[all[i]] = false;
    }
    count = 0;
    stale = true;
  }

  /** The links. */
  int[] links() {
    refresh();
    return links;
  }

  /** The devices that links leave. */
  int[] devices() {
    refresh();
    return devices;
  }

  /** The channels by which ranks inject into links. */
  int[] injecting() {
    refresh();
    return injecting;
  }

  private void refresh() {
    if (stale) {
      stale = false;
      links = Arrays.copyOf(all, count);
      devices = sources(links);
      injecting = injecting(links);
    }
  }

  /** The channels of those links that leave a rank's device. */
  int[] injecting(int[] within) {
    int channels = 0;
    for (int link : within) {
      channels += leavesRank(link) ? plan.channelCount[link] : 0;
    }
    int[] found = new int[channels];
    int next = 0;
    for (int link : within) {
      for (int channel = 0; leavesRank(link) && channel < plan.channelCount[link]; channel++) {
        found[next++] = plan.firstChannel[link] + channel;
      }
    }
    return found;
  }

  private boolean leavesRank(int link) {
    return rankOf[plan.linkSource[link]] != NONE;
  }

  // Devices that links leave, each once.
  private int[] sources(int[] within) {
    int[] found = new int[within.length];
    int distinct = 0;
    for (int link : within) {
      int device = plan.linkSource[link];
      if (!hasDevice[device]) {
        hasDevice[device] = true;
        found[distinct++] = device;
      }
    }
    for (int i = 0; i < distinct; i++) {
      hasDevice[found[i]] = false;
    }
    return Arrays.copyOf(found, distinct);
  }
}
