package dev.heddle.collectives.nccl.timing;

import dev.heddle.units.DataRate;
import dev.heddle.units.SimTime;
import java.util.Optional;

/** Machines of round numbers, which closed forms of a few terms describe. */
public final class Machines {
  /** What a hop takes, nanoseconds. */
  static final double HOP = 700;
  /** What a slice takes besides copying, nanoseconds. */
  static final double SLICE = 2000;
  /** The network's latency, nanoseconds. */
  static final double LATENCY = 4000;
  /** A read of GPU memory, nanoseconds. */
  static final double FLUSH = 500;
  /** What a kernel takes to start, nanoseconds. */
  static final double LAUNCH = 5000;

  private Machines() {}

  static DataRate rate(double bytesPerNano) {
    return DataRate.ofGigabitsPerSecond(8 * bytesPerNano);
  }

  static SimTime ns(double nanos) {
    return SimTime.ofNanos(nanos);
  }

  /**
   * A GPU.
   *
   * @param port of all channels, bytes per nanosecond
   * @param copy of one channel, bytes per nanosecond
   * @param hop of every protocol, nanoseconds
   * @param slice nanoseconds
   */
  public static GpuTiming gpu(double port, double copy, double hop, double slice) {
    LineTiming lines = new LineTiming(rate(copy), rate(copy), ns(hop), ns(hop), ns(0));
    NvlsTiming nvls = new NvlsTiming(rate(copy), ns(slice), ns(0), 0);
    return new GpuTiming(
        rate(port), rate(4000),
        new SimpleTiming(rate(copy), rate(copy), ns(slice), ns(hop), ns(hop), ns(0), Optional.empty()), lines, lines,
        new PairTiming(rate(port), rate(copy), rate(copy / 2), rate(copy / 4), ns(0), ns(0), Optional.empty()),
        Optional.of(nvls), Optional.of(nvls));
  }

  static HostTiming host() {
    return new HostTiming(ns(LAUNCH), ns(0), ns(0), ns(0), ns(0));
  }

  static MachineTiming node(GpuTiming gpu) {
    return new MachineTiming(gpu, host(), Optional.empty());
  }

  /** Nodes of such GPUs, whose NICs send so many bytes per nanosecond. */
  public static MachineTiming cluster(GpuTiming gpu, double bytesPerNano) {
    return new MachineTiming(
        gpu, host(),
        Optional.of(new NetworkTiming(rate(bytesPerNano), ns(LATENCY), ns(0), 8, false, ns(FLUSH), Optional.empty(),
            Optional.empty())));
  }
}
