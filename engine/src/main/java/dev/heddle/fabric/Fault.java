package dev.heddle.fabric;

import dev.heddle.spi.Setting;
import dev.heddle.units.DataRate;
import dev.heddle.units.Fraction;
import dev.heddle.units.SimTime;
import java.util.Optional;

/**
 * A part of a cluster that is slow, lossy or down, from the start or for a time. Several faults of one link add up in
 * their order.
 *
 * @param device name of a device, or a pattern with {@code *}; a NIC's links out of its node are affected, of any other
 *     device all its links
 * @param link two names of devices, joined by an arrow; parallel links are all affected
 * @param rate data rate of the links, where theirs is higher
 * @param latency of the links
 * @param loss share of packets that the links lose
 * @param down whether the links carry nothing, those within a NIC's node included
 * @param at simulated time at which it begins; absent: the start
 * @param until simulated time at which it ends; absent: never
 */
public record Fault(
    @Setting("name of a device, such as node5.nic3 or cluster.spine0: a NIC's links out of its node, of another device"
        + " all its links; * stands for any text, as in node*.nic3") Optional<String> device,
    @Setting("two devices: 'node5.nic3 -> cluster.leaf3' is one direction of a link, 'node5.nic3 <-> cluster.leaf3'"
        + " both; parallel links all; * stands for any text, '* -> *' for all links") Optional<String> link,
    @Setting(value = "data rate, where the link's is higher", min = "1 b/s") Optional<DataRate> rate,
    @Setting("latency instead of the link's") Optional<SimTime> latency,
    @Setting(value = "share of packets that are lost instead of the link's; packet fidelity only", min = "0 %",
        max = "99.9 %") Optional<Fraction> loss,
    @Setting(value = "whether it carries nothing: routes lead around it, and another NIC of its node replaces a NIC",
        def = "false") boolean down,
    @Setting("simulated time at which it begins, else the start; packet fidelity with a transport only: packets on"
        + " their way to a link that is down are lost, later ones take other routes") Optional<SimTime> at,
    @Setting("simulated time at which it ends; packet fidelity with a transport only") Optional<SimTime> until) {
  /** Whether it begins or ends during a run. */
  boolean isTimed() {
    return at.isPresent() || until.isPresent();
  }

  /** Whether it is there at a time. */
  boolean isActive(long timePs) {
    return at.map(each -> each.ps() <= timePs).orElse(true) && until.map(each -> timePs < each.ps()).orElse(true);
  }
}
