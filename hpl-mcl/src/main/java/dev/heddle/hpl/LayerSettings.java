package dev.heddle.hpl;

import dev.heddle.spi.Setting;
import dev.heddle.units.DataRate;
import dev.heddle.units.SimTime;

/**
 * A communication layer, as users describe it.
 *
 * @param name of its hardware
 * @param reach of the layer
 * @param latency α: per message
 * @param rate the reciprocal of β, before it is shared
 * @param sharedBy the processes that share the rate
 * @param blocking factor by which the topology reduces a device's rate, at least 1
 */
public record LayerSettings(
    @Setting("name of its hardware") String name,
    @Setting("reach of the layer") LayerReach reach,
    @Setting("latency per message, alpha") SimTime latency,
    @Setting("rate, the reciprocal of beta, before it is shared") DataRate rate,
    @Setting(value = "processes that share the rate", def = "none") RateSharing sharedBy,
    @Setting(value = "factor by which the topology reduces a device's rate", def = "1", min = "1",
        max = "1000") double blocking) {
  /** The layer in a system with a given number of devices per node. */
  public CommunicationLayer layer(int devicesPerNode) {
    return CommunicationLayer.of(name, latency, rate).slowedBy(sharedBy.sharers(devicesPerNode) * blocking);
  }
}
