package dev.heddle.collectives.nccl.timing;

import dev.heddle.units.DataRate;
import dev.heddle.units.SimTime;
import java.util.Optional;

/** Machines with round numbers, for which closed forms have few terms. */
public final class Machines {
  /** Time of a hop, nanoseconds. */
  static final double HOP = 700;
  /** Time of a slice besides copying, nanoseconds. */
  static final double SLICE = 2000;
  /** Latency of the network, nanoseconds. */
  static final double LATENCY = 4000;
  /** Time of a read of GPU memory, nanoseconds. */
  static final double FLUSH = 500;
  /** Start time of a kernel, nanoseconds. */
  static final double LAUNCH = 5000;

  /** Rate of copies within memory that is practically unlimited, bytes per nanosecond. */
  static final double OWN_COPY = 1e8;

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
    return gpu(port, copy, hop, slice, OWN_COPY);
  }

  /**
   * A GPU with limited channels of send and receive, whose thread blocks copy twice as much in both directions
   * together.
   */
  static GpuTiming exchanging(double port, double channel) {
    return gpu(port, channel, 0, 0, 2 * channel);
  }

  /** A GPU with a copy rate of one thread block for a rank's own block, bytes per nanosecond. */
  static GpuTiming gpu(double port, double copy, double hop, double slice, double own) {
    LineTiming lines = new LineTiming(rate(copy), ns(hop));
    NvlsTiming nvls = new NvlsTiming(rate(copy), Optional.of(ns(0)));
    return new GpuTiming(ns(LAUNCH), rate(port), rate(copy), rate(own), ns(slice), Optional.of(ns(hop)), lines,
        Optional.of(lines), ns(0), Optional.of(nvls));
  }

  static HostTiming host() {
    return new HostTiming(Optional.empty(), ns(0), Optional.of(ns(0)), Optional.empty());
  }

  /** A network with a total rate of the NICs of a node, bytes per nanosecond. */
  static NetworkTiming network(double bytesPerNano, double latencyNs, double messageNs, int nics,
      Optional<NetworkTiming.Staging> staging, Optional<NetworkTiming.Arrival> arrival) {
    return new NetworkTiming(Optional.of(rate(bytesPerNano)), 1, ns(latencyNs), ns(0), ns(messageNs),
        Optional.of(nics), false, ns(FLUSH), staging, arrival, Optional.empty(), Optional.empty());
  }

  /** A network without limits of rate, whose proxies divide messages into packets. */
  static NetworkTiming packing(double messageNs, NetworkTiming.Packets packets) {
    return new NetworkTiming(Optional.of(rate(1e6)), 1, ns(LATENCY), ns(0), ns(messageNs), Optional.of(1), false,
        ns(FLUSH), Optional.empty(), Optional.empty(), Optional.of(packets), Optional.empty());
  }

  static MachineTiming node(GpuTiming gpu) {
    return new MachineTiming(gpu, host(), Optional.empty());
  }

  /** Nodes of such GPUs, with a total rate of the NICs, bytes per nanosecond. */
  public static MachineTiming cluster(GpuTiming gpu, double bytesPerNano) {
    return new MachineTiming(
        gpu, host(),
        Optional.of(network(bytesPerNano, LATENCY, 0, 8, Optional.empty(), Optional.empty())));
  }

  /** The timing of ranks on nodes, with NCCL's default buffers. */
  static NcclTiming timing(MachineTiming machine, int ranks, int nodes) {
    return new NcclTiming(machine, new RankLayout(ranks, nodes), Buffers.DEFAULT);
  }
}
