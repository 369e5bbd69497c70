package dev.heddle.collectives.nccl.timing;

import dev.heddle.units.SimTime;

/**
 * The time of a channel from its first step to its last, without the launch.
 *
 * @param nanos total, nanoseconds
 * @param rates rates of its edges
 * @param data bytes on each edge
 * @param waits whether latency instead of bandwidth limits the time
 * @param connection rate of a connection to another node besides that of NICs, bytes per nanosecond; infinite if it is
 *     unlimited
 */
record ChannelTime(double nanos, Rates rates, double data, boolean waits, double connection) {
  private static final double PS_PER_NS = 1000;

  ChannelTime(double nanos, Rates rates, double data, boolean waits) {
    this(nanos, rates, data, waits, Double.POSITIVE_INFINITY);
  }

  /**
   * The data rates of an edge, bytes per nanosecond.
   *
   * @param copy copy rate of a thread block
   * @param port share of the GPU's links
   * @param network share of the NICs; infinite within a node
   * @param wirePerData bytes on the wire per byte of data
   */
  record Rates(double copy, double port, double network, double wirePerData) {
    /** The rates of an edge without data. */
    static final Rates UNLIMITED =
        new Rates(Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, 1);

    /** The rate of a thread block that polls, adds and stores line by line: its own time and the port's add up. */
    static double serial(double block, double port) {
      return 1 / (1 / block + 1 / port);
    }

    double least() {
      return Math.min(copy, Math.min(port, network));
    }

    /** The times for which some bytes occupy each resource, nanoseconds. */
    CallTime.Resources times(double data) {
      return new CallTime.Resources(data / copy, data / port, data / network);
    }

    /** The rate between two GPUs of a node. */
    double local() {
      return Math.min(copy, port);
    }
  }

  double transferNs() {
    return data / rates.least();
  }

  /** The time without the transfer; never negative despite rounding. */
  double waitNs() {
    return Math.max(0, nanos - transferNs());
  }

  Bound bound() {
    if (waits) {
      return Bound.LATENCY;
    }
    double least = rates.least();
    return least == rates.network() ? Bound.NETWORK : least == rates.port() ? Bound.PORT : Bound.COPY;
  }

  CallTime.Resources resources() {
    return rates.times(data);
  }

  ChannelTiming channel() {
    return new ChannelTiming(
        SimTime.ofNanos(waitNs()), Math.min(rates.copy() * rates.wirePerData(), connection) / PS_PER_NS,
        Math.round(data * rates.wirePerData()));
  }
}
