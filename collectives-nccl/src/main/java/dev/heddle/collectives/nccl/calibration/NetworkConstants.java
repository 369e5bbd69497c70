package dev.heddle.collectives.nccl.calibration;

import dev.heddle.collectives.nccl.timing.NetworkTiming;
import dev.heddle.units.DataRate;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/** The constants of a network with their bounds. */
public final class NetworkConstants {
  private static final List<Constant> CONSTANTS = List.of(
      new Constant("latency", "us", "a step besides its data: proxy, clear to send, NIC, wire", 1, 600,
          "perftest's write latency from 1.6 us; NCCL plans 5"),
      new Constant("simple", "us", "more of a step with Simple: post of a slice, fence, completion", 1, 40,
          "NCCL plans 9 us"),
      new Constant("message", "us", "a proxy's time for a message", 0.02, 15,
          "a post costs 0.1 us or more; NCCL plans 1 to 2 us"));
  private static final Constant PAIR = new Constant("pair", "GB/s",
      "a queue pair's rate, of which a connection has NCCL_IB_QPS_PER_CONNECTION", 10, 49,
      "one queue pair of ConnectX-7 carries 35.5 GB/s of messages of 1 MiB, eight 49 [NVIDIA/nccl issue 2409]");

  /** The share of the NICs' rate that a machine reaches; a network's own value is the median of its machines. */
  public static final Constant EFFICIENCY = new Constant("efficiency", "1",
      "share of the NICs' rate that headers, acknowledgements and PCIe leave", 0.6, 0.995,
      "packet headers take 0.7 to 3.5 %; TCP, striping and rendezvous more");

  private NetworkConstants() {}

  /** The constants of a network, in the order of {@link #values}. */
  public static List<Constant> of(NetworkTiming timing) {
    return timing.pair().map(any -> Stream.concat(CONSTANTS.stream(), Stream.of(PAIR)).toList()).orElse(CONSTANTS);
  }

  /** The latency of a step, the first of all networks' constants. */
  static Constant latency() {
    return CONSTANTS.get(0);
  }

  /** The values of a network. */
  public static double[] values(NetworkTiming timing) {
    DoubleStream.Builder values = DoubleStream.builder().add(GpuConstants.micros(timing.latency()))
        .add(GpuConstants.micros(timing.simple())).add(Math.max(0.02, GpuConstants.micros(timing.message())));
    timing.pair().ifPresent(rate -> values.add(rate.bytesPerNano()));
    return values.build().toArray();
  }

  /** A network with other values of the fitted constants. */
  public static NetworkTiming timing(NetworkTiming base, double[] values) {
    NetworkTiming.Builder timing = base.toBuilder().latency(GpuConstants.time(values[0]))
        .simple(GpuConstants.time(values[1])).message(GpuConstants.time(values[2]));
    return values.length > CONSTANTS.size()
        ? timing.pair(DataRate.ofGigabitsPerSecond(Byte.SIZE * values[CONSTANTS.size()])).build() : timing.build();
  }

  /** A network with another efficiency. */
  public static NetworkTiming timing(NetworkTiming base, double efficiency) {
    return base.toBuilder().efficiency(efficiency).build();
  }
}
