package dev.heddle.collectives.nccl.timing;

import dev.heddle.units.SimTime;

/**
 * The time of a call when the same call is repeated without a pause, as nccl-tests measures it.
 *
 * @param launchNs host and start of the kernel, nanoseconds
 * @param transferNs transfer of the data at the rate of the slowest resource, nanoseconds
 * @param waitNs all else, nanoseconds: steps that wait, costs of slices, start and end of the pipeline
 * @param bound resource that limits the time
 * @param channel the call's channels as pipelines
 * @param resources time that each resource alone would take for the data
 */
public record CallTime(double launchNs, double transferNs, double waitNs, Bound bound, ChannelTiming channel,
    Resources resources) {
  /**
   * The time that each resource alone would take for a channel's data, nanoseconds; 0 if it is not used.
   *
   * @param blockNs thread block
   * @param portNs the channel's share of the GPU's links
   * @param nicNs its share of the NICs in use and of their PCIe paths
   */
  public record Resources(double blockNs, double portNs, double nicNs) {}

  /** The total, nanoseconds. */
  public double nanos() {
    return launchNs + transferNs + waitNs;
  }

  /** The total. */
  public SimTime time() {
    return SimTime.ofNanos(nanos());
  }
}
