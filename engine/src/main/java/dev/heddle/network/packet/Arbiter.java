package dev.heddle.network.packet;

/** Arbitration at the outputs of a partition's devices. */
final class Arbiter {
  private static final int NONE = NetworkState.NONE;
  private static final byte AGE = 1;
  private static final byte FIXED_PRIORITY = 2;

  private final NetworkPlan plan;
  private final NetworkState state;
  private final VirtualChannels channels;
  private final Requests requests;
  private final PacketTable units;

  Arbiter(NetworkPlan plan, NetworkState state, PacketTable units) {
    this.plan = plan;
    this.state = state;
    channels = state.channels;
    requests = state.requests;
    this.units = units;
  }

  int pick(int device, int channel) {
    if (plan.buffering[device] == NetworkPlan.OUTPUT) {
      // Bits other than injection's are inputs that wait for the output's buffer, not for its wire.
      boolean own = (requests.word(channel, 0) & 1) != 0;
      boolean queued = state.head(plan.firstOutputQueue + channel) != NONE;
      if (own && queued) {
        return channels.isInjectedLast(channel) ? 1 : 0;
      }
      return queued ? 1 : own ? 0 : NONE;
    }
    if (plan.arbitration[device] == AGE) {
      return oldest(device, channel);
    }
    return requests.next(channel, plan.arbitration[device] == FIXED_PRIORITY ? NONE : channels.lastGranted(channel));
  }

  /**
   * The input whose turn it is among those that wait for an output's buffer; bit 0 is injection, which waits for the
   * wire alone.
   */
  int nextWaiting(int device, int channel) {
    if (plan.arbitration[device] == AGE) {
      return oldest(device, channel);
    }
    int requester =
        requests.next(channel, plan.arbitration[device] == FIXED_PRIORITY ? 0 : channels.lastGranted(channel));
    if (requester == 0) {
      requester = requests.next(channel, 0);
    }
    return requester == 0 ? NONE : requester;
  }

  // Of messages generated at the same instant the one after the last granted: a tie by number would starve the rest.
  private int oldest(int device, int channel) {
    int last = channels.lastGranted(channel);
    int best = NONE;
    long bestGenerated = 0;
    boolean waiting = plan.buffering[device] == NetworkPlan.OUTPUT;
    for (int w = 0; w < channels.requestWords(channel); w++) {
      long bits = requests.word(channel, w);
      if (waiting && w == 0) {
        bits &= ~1L;
      }
      while (bits != 0) {
        int requester = (w << 6) + Long.numberOfTrailingZeros(bits);
        bits &= bits - 1;
        int unit = waiting
            ? state.head(plan.firstInputQueue + inputOf(device, requester))
            : head(device, channel, requester);
        long generated = units.generated(unit);
        boolean inTurn = generated == bestGenerated && best <= last && requester > last;
        if (best == NONE || generated < bestGenerated || inTurn) {
          best = requester;
          bestGenerated = generated;
        }
      }
    }
    return best;
  }

  int head(int device, int channel, int requester) {
    if (requester == 0) {
      return channels.injectionUnit(channel);
    }
    return state.head(queueOf(device, channel, requester));
  }

  int queueOf(int device, int channel, int requester) {
    switch (plan.buffering[device]) {
      case NetworkPlan.INPUT :
        return plan.firstInputQueue + inputOf(device, requester);
      case NetworkPlan.OUTPUT :
        return plan.firstOutputQueue + channel;
      default :
        return channels.firstVirtualQueue(channel) + requester;
    }
  }

  int inputOf(int device, int requester) {
    return plan.inputChannels[plan.firstInput[device] + requester - 1];
  }
}
