package dev.heddle.collectives.nccl.timing;

import dev.heddle.spi.Setting;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * All that NCCL's time depends on besides the call: one set per machine, for all collectives and sizes.
 *
 * @param gpu the generation's
 * @param host the machine's
 * @param network the network's; absent where it is one node
 */
public record MachineTiming(
    @Setting("rates and times of the GPU generation") GpuTiming gpu,
    @Setting("times of the hosts") HostTiming host,
    @Setting("rates and times of the network; without it, one node") Optional<NetworkTiming> network) {
  /** The launch of a call, nanoseconds. */
  double launchNs() {
    return host.launch().orElse(gpu.launch()).nanos();
  }

  MachineTiming with(NetworkTiming other) {
    return new MachineTiming(gpu, host, Optional.of(other));
  }

  /** The same whose NICs have no more than a rate in all, gigabytes per second. */
  public MachineTiming atMost(double rate) {
    return new MachineTiming(gpu, host, network.map(net -> net.atMost(rate)));
  }

  // The same whose NICs carry only a share of the data that they do with plain headers.
  MachineTiming efficient(double share) {
    return new MachineTiming(gpu, host, network.map(net -> net.efficient(share)));
  }

  // The same whose GPUs exchange no more than a rate within a node, gigabytes per second.
  MachineTiming within(double rate) {
    return new MachineTiming(gpu.atMost(rate), host, network);
  }

  // The same whose nodes talk by sockets.
  MachineTiming streaming() {
    return new MachineTiming(gpu, host, network.map(NetworkTiming::streaming));
  }

  // The same where messages above so many bytes are routed adaptively; none where that is absent.
  MachineTiming arriving(OptionalInt above) {
    return new MachineTiming(gpu, host, network.map(net -> net.arriving(above)));
  }

  // The same where GPU memory is read after every receipt with Simple.
  MachineTiming flushing() {
    return new MachineTiming(gpu, host, network.map(NetworkTiming::flushing));
  }
}
