package dev.heddle.collectives.nccl.timing;

import dev.heddle.collectives.nccl.Protocol;

/** What a step to another node takes besides its data. */
public final class Hops {
  private Hops() {}

  /** The latency of a step, nanoseconds; 0 without a network. */
  public static double networkNs(MachineTiming machine, Protocol protocol) {
    double extra = switch (protocol) {
      case LL -> machine.gpu().ll().network().nanos();
      case LL128 -> machine.gpu().ll128().network().nanos();
      case SIMPLE -> machine.gpu().simple().network().nanos();
    };
    return machine.network().map(net -> net.latency().nanos() + extra).orElse(0.0);
  }

  /**
   * What a proxy takes for a message of each of the channels that share it, one after the other, nanoseconds;
   * 0 within a node.
   *
   * @param channels with a message at the same time, on all NICs of a node
   * @param data bytes of each message
   */
  static double messageNs(
      MachineTiming machine, RankLayout layout, Protocol protocol, double channels, double data) {
    double wire = data * Buffers.wirePerData(protocol);
    return machine.network().filter(any -> layout.networked())
        .map(net -> net.messageNs(wire) * Math.max(1, channels / net.nics())).orElse(0.0);
  }

  /** What a connection takes besides to tell a message's arrival, nanoseconds; 0 within a node. */
  public static double arrivalNs(MachineTiming machine, RankLayout layout, Protocol protocol, double data) {
    return machine.network().filter(any -> layout.networked())
        .map(net -> net.arrivalNs(data * Buffers.wirePerData(protocol))).orElse(0.0);
  }
}
