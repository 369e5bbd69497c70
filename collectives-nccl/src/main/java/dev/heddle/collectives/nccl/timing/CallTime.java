package dev.heddle.collectives.nccl.timing;

import dev.heddle.units.SimTime;

/**
 * How long a call takes when the same one is repeated without a pause, as nccl-tests measures.
 *
 * @param launchNs host and start of the kernel, nanoseconds
 * @param transferNs moving the bytes at the rate of the narrowest part, nanoseconds
 * @param waitNs all else, nanoseconds: steps that wait, slices' costs, filling and draining
 * @param bound what keeps it from being faster
 * @param channel the same as a fluid
 * @param resources time that each resource alone would take for the data
 */
public record CallTime(double launchNs, double transferNs, double waitNs, Bound bound, ChannelTiming channel,
    Resources resources) {
  /**
   * The time that each resource alone would take for a channel's data, nanoseconds; 0 where it is not used.
   *
   * @param blockNs thread block
   * @param portNs the channel's share of the GPU's links
   * @param nicNs its share of the NICs in use and of their paths over PCIe
   */
  public record Resources(double blockNs, double portNs, double nicNs) {}

  /** The whole, nanoseconds. */
  public double nanos() {
    return launchNs + transferNs + waitNs;
  }

  /** The whole. */
  public SimTime time() {
    return SimTime.ofNanos(nanos());
  }
}
