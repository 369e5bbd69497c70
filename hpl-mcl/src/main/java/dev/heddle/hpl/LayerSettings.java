package dev.heddle.hpl;

import dev.heddle.spi.Setting;
import dev.heddle.units.DataRate;
import dev.heddle.units.SimTime;

/**
 * A communication layer, as users describe it.
 *
 * @param name of its hardware
 * @param reach how far it reaches
 * @param latency α: per message
 * @param rate the reciprocal of β, before it is shared
 * @param sharedBy who divides the rate
 * @param blocking how many times less than its rate the topology leaves a device, at least 1
 */
public record LayerSettings(
    @Setting("name of its hardware") String name,
    @Setting("how far it reaches") LayerReach reach,
    @Setting("latency per message, alpha") SimTime latency,
    @Setting("rate, the reciprocal of beta, before it is shared") DataRate rate,
    @Setting(value = "who divides the rate", def = "none") RateSharing sharedBy,
    @Setting(value = "how many times less than its rate the topology leaves a device", def = "1", min = "1",
        max = "1000") double blocking) {
  /** The layer in a system of nodes of so many devices. */
  public CommunicationLayer layer(int devicesPerNode) {
    return CommunicationLayer.of(name, latency, rate).slowedBy(sharedBy.sharers(devicesPerNode) * blocking);
  }
}
