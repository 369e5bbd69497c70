package dev.heddle.collectives.nccl.timing;

import dev.heddle.collectives.nccl.Protocol;

/** What a step to another node takes besides its data. */
public final class Hops {
  private Hops() {}

  /** The latency of a step whose message the host need not copy, nanoseconds; 0 without a network. */
  public static double networkNs(MachineTiming machine, Protocol protocol) {
    return networkNs(machine, protocol, 0);
  }

  /** The latency of a step whose message has so many bytes of data, nanoseconds; 0 without a network. */
  static double networkNs(MachineTiming machine, Protocol protocol, double data) {
    double extra = switch (protocol) {
      case LL -> machine.gpu().ll().network().nanos();
      case LL128 -> machine.gpu().ll128().network().nanos();
      case SIMPLE -> machine.gpu().simple().network().nanos();
    };
    double wire = data * Buffers.wirePerData(protocol);
    return machine.network().map(net -> net.latencyNs(wire) + extra).orElse(0.0);
  }

  /** What proxies take per message of every channel: each GPU's serves its channels in turn, nanoseconds. */
  static double messageNs(MachineTiming machine, RankLayout layout, int channels) {
    return machine.network().filter(any -> layout.networked())
        .map(net -> net.message().nanos() * Math.max(1, (double) channels / net.nics())).orElse(0.0);
  }
}
