package dev.heddle.network.packet;

/** The channels by which ranks inject messages, and the messages at their heads. */
final class InjectionHeads {
  private static final int NONE = NetworkState.NONE;

  private final VirtualChannels channels;
  private final Messages messages;
  private final int[] injecting;

  InjectionHeads(NetworkPlan plan, RunContext setup, VirtualChannels channels, Messages messages, int[] links) {
    this.channels = channels;
    this.messages = messages;
    int count = 0;
    for (int link : links) {
      count += leavesRank(plan, setup, link) ? plan.channelCount[link] : 0;
    }
    injecting = new int[count];
    int next = 0;
    for (int link : links) {
      for (int channel = 0; leavesRank(plan, setup, link) && channel < plan.channelCount[link]; channel++) {
        injecting[next++] = plan.firstChannel[link] + channel;
      }
    }
  }

  private static boolean leavesRank(NetworkPlan plan, RunContext setup, int link) {
    return setup.rankOf[plan.linkSource[link]] != NONE;
  }

  /** The number of channels. */
  int count() {
    return injecting.length;
  }

  /** The message of the fewest units that are left; none without messages. */
  int shortest() {
    long least = Long.MAX_VALUE;
    int found = NONE;
    for (int channel : injecting) {
      int head = channels.injectionHead(channel);
      if (head != NONE && messages.unitsLeft(head) < least) {
        least = messages.unitsLeft(head);
        found = head;
      }
    }
    return found;
  }

  /** Adds the message of each channel to a list, or none. */
  void copyTo(LongList into) {
    for (int channel : injecting) {
      int head = channels.injectionHead(channel);
      into.add(head == NONE ? NONE : messages.id(head));
    }
  }
}
