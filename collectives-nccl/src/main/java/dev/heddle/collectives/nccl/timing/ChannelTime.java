package dev.heddle.collectives.nccl.timing;

import dev.heddle.units.SimTime;

/**
 * What a channel takes from its first step to its last, before the host's part.
 *
 * @param nanos the whole
 * @param rates of its edges
 * @param data that each edge carries, bytes
 * @param waits whether steps that wait for one another count, not bytes
 */
record ChannelTime(double nanos, Rates rates, double data, boolean waits) {
  private static final double PS_PER_NS = 1000;

  /**
   * The rates of data of an edge, bytes per nanosecond.
   *
   * @param copy what a thread block does
   * @param port its share of the GPU's links
   * @param network its share of the NICs; infinite within a node
   * @param wirePerData bytes on the wire per byte of data
   */
  record Rates(double copy, double port, double network, double wirePerData) {
    /** What a thread block does that polls, adds and stores line by line: the port's time comes on top of its own. */
    static double serial(double block, double port) {
      return 1 / (1 / block + 1 / port);
    }

    double least() {
      return Math.min(copy, Math.min(port, network));
    }

    /** Between two GPUs of a node. */
    double local() {
      return Math.min(copy, port);
    }
  }

  double transferNs() {
    return data / rates.least();
  }

  /** What is not moving bytes; what rounding leaves below nothing is nothing. */
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
    return new CallTime.Resources(data / rates.copy(), data / rates.port(), data / rates.network());
  }

  ChannelTiming channel() {
    return new ChannelTiming(
        SimTime.ofNanos(waitNs()), rates.copy() * rates.wirePerData() / PS_PER_NS,
        Math.round(data * rates.wirePerData()));
  }
}
