package dev.heddle.collectives.nccl.timing;

import dev.heddle.spi.Setting;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * All that NCCL's time depends on besides the call: one set per machine, for all collectives and sizes.
 *
 * @param gpu the generation's
 * @param host the machine's
 * @param network the machine's; absent where it is one node
 */
public record MachineTiming(
    @Setting("the GPU generation's times") GpuTiming gpu,
    @Setting("the hosts' times") HostTiming host,
    @Setting("the network's times; without it, one node") Optional<NetworkTiming> network) {
  // The same whose network has no more than a rate, gigabytes per second.
  MachineTiming atMost(double rate) {
    return new MachineTiming(gpu, host, network.map(net -> net.atMost(rate)));
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
  MachineTiming flushing(NetworkTiming over) {
    return new MachineTiming(gpu.with(gpu.simple().later(over.flush())), host, network);
  }
}
