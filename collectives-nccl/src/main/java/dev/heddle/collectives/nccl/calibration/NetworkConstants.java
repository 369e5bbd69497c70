package dev.heddle.collectives.nccl.calibration;

import dev.heddle.collectives.nccl.timing.NetworkTiming;
import java.util.List;

/** The constants of a network with their bounds. */
public final class NetworkConstants {
  private static final List<Constant> CONSTANTS = List.of(
      new Constant("latency", "us", "a step besides its data: proxy, clear to send, NIC, wire", 1, 600,
          "perftest's write latency from 1.6 us; NCCL plans 5"),
      new Constant("simple", "us", "more of a step with Simple: post of a slice, fence, completion", 1, 40,
          "NCCL plans 9 us"),
      new Constant("message", "us", "a proxy's time for a message", 0.02, 15,
          "a post costs 0.1 us or more; NCCL plans 1 to 2 us"));

  /** The share of the NICs' rate that a machine reaches; a network's own value is the median of its machines. */
  public static final Constant EFFICIENCY = new Constant("efficiency", "1",
      "share of the NICs' rate that headers, acknowledgements and PCIe leave", 0.6, 0.995,
      "packet headers take 0.7 to 3.5 %; TCP, striping and rendezvous more");

  private NetworkConstants() {}

  /** The constants, in the order of {@link #values}. */
  public static List<Constant> all() {
    return CONSTANTS;
  }

  /** The values of a network. */
  public static double[] values(NetworkTiming timing) {
    return new double[] {GpuConstants.micros(timing.latency()),
        GpuConstants.micros(timing.simple()), Math.max(0.02, GpuConstants.micros(timing.message()))};
  }

  /** A network with other values of the fitted constants. */
  public static NetworkTiming timing(NetworkTiming base, double[] values) {
    return base.toBuilder().latency(GpuConstants.time(values[0])).simple(GpuConstants.time(values[1]))
        .message(GpuConstants.time(values[2])).build();
  }

  /** A network with another efficiency. */
  public static NetworkTiming timing(NetworkTiming base, double efficiency) {
    return base.toBuilder().efficiency(efficiency).build();
  }
}
