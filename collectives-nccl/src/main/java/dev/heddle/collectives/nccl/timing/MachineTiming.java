package dev.heddle.collectives.nccl.timing;

import dev.heddle.spi.Setting;
import dev.heddle.units.SimTime;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The timing of a machine: all on which the time of NCCL's calls depends besides the call. One set holds for all
 * collectives and sizes.
 *
 * @param gpu timing of the GPU generation
 * @param host timing of the hosts
 * @param network timing of the network; absent for a single node
 */
public record MachineTiming(
    @Setting("rates and times of the GPU generation") GpuTiming gpu,
    @Setting("times of the hosts") HostTiming host,
    @Setting("rates and times of the network; without it, one node") Optional<NetworkTiming> network) {
  /** The launch of a call, nanoseconds. */
  double launchNs() {
    return host.launch().orElse(gpu.launch()).nanos();
  }

  /**
   * The rate of a ring's connection to another node by its queue pairs, bytes per nanosecond; infinite if NICs alone
   * limit it, and within a node.
   */
  public double connectionRate(RankLayout layout) {
    return network.filter(any -> layout.networked()).map(net -> net.connectionRate(Double.POSITIVE_INFINITY))
        .orElse(Double.POSITIVE_INFINITY);
  }

  MachineTiming with(NetworkTiming other) {
    return new MachineTiming(gpu, host, Optional.of(other));
  }

  /** The machine with NICs of at most a total rate for each node, gigabytes per second. */
  public MachineTiming atMost(double rate) {
    return new MachineTiming(gpu, host, network.map(net -> net.atMost(rate)));
  }

  // The machine whose node uses a number of NICs, each with a proxy of its own.
  MachineTiming withNics(int count) {
    return new MachineTiming(gpu, host, network.map(net -> net.toBuilder().nics(count).build()));
  }

  // The machine with a share of its network efficiency.
  MachineTiming withEfficiencyShare(double share) {
    return new MachineTiming(gpu, host, network.map(net -> net.withEfficiencyShare(share)));
  }

  // The machine with at most a rate between GPUs of a node, gigabytes per second.
  MachineTiming withLocalRate(double rate) {
    return new MachineTiming(gpu.atMost(rate), host, network);
  }

  // The machine with sockets between nodes.
  MachineTiming withSockets() {
    return new MachineTiming(gpu, host, network.map(NetworkTiming::withSockets));
  }

  // The machine with adaptive routing of messages above a size; none if that is absent.
  MachineTiming withAdaptiveRouting(OptionalInt above) {
    return new MachineTiming(gpu, host, network.map(net -> net.withAdaptiveRouting(above)));
  }

  // The machine with a number of queue pairs for each connection between nodes.
  MachineTiming withPairs(int count) {
    return new MachineTiming(gpu, host, network.map(net -> net.withPairs(count)));
  }

  // The machine with a time for which a post holds up a thread block, unless its host has one.
  MachineTiming posting(SimTime time) {
    return new MachineTiming(gpu, host.posting(time), network);
  }

  // The machine with a read of GPU memory after every receive with Simple.
  MachineTiming withFlush() {
    return new MachineTiming(gpu, host, network.map(NetworkTiming::withFlush));
  }
}
