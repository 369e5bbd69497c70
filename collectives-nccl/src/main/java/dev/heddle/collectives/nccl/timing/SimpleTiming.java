package dev.heddle.collectives.nccl.timing;

import dev.heddle.spi.Setting;
import dev.heddle.units.DataRate;
import dev.heddle.units.SimTime;
import java.util.Optional;

/**
 * What a GPU takes for the protocol Simple: whole slices, each followed by a flag.
 *
 * @param ringCopy rate at which a channel's thread block copies or adds slices of a ring
 * @param treeCopy the same where half of its threads serve the way up, half the way down
 * @param slice what a thread block takes per slice besides copying: waiting, fences, the flag
 * @param ringHop from a flag's writing to its being seen, in a ring
 * @param treeHop the same in a tree
 * @param network what a step to another node takes on top of the network's own latency
 * @param together what all channels of a ring together move over a GPU's links in a call of one loop, where one process
 *     drives all GPUs of the node and they stay in step; absent: what they move else
 */
public record SimpleTiming(
    @Setting("rate at which a channel's thread block copies or adds slices of a ring") DataRate ringCopy,
    @Setting("the same where half of its threads serve the way up, half the way down") DataRate treeCopy,
    @Setting("what a thread block takes per slice besides copying: waiting, fences, the flag") SimTime slice,
    @Setting("from a flag's writing to its being seen, in a ring") SimTime ringHop,
    @Setting("the same in a tree") SimTime treeHop,
    @Setting(value = "what a step to another node takes on top of the network's own latency", def = "9 us",
        source = "NCCL's tuning model: a network step of a tree takes 14 us with Simple, 5 with LL") SimTime network,
    @Setting("what all channels of a ring together move over a GPU's links in a call of one loop, where one process drives"
        + " all GPUs of the node and they stay in step; without it, what they move else") Optional<DataRate> together) {
  /** What a channel of a ring copies while so many are in step, bytes per nanosecond. */
  double inStep(int channels) {
    double copy = ringCopy.bytesPerNano();
    return together.map(rate -> Math.min(copy, rate.bytesPerNano() / channels)).orElse(copy);
  }

  /** The same whose steps to other nodes take longer. */
  SimpleTiming later(SimTime by) {
    return new SimpleTiming(ringCopy, treeCopy, slice, ringHop, treeHop, SimTime.ofPs(network.ps() + by.ps()),
        together);
  }
}
