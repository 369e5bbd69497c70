package dev.heddle.collectives.nccl.timing;

import dev.heddle.spi.Setting;
import dev.heddle.units.DataRate;
import dev.heddle.units.SimTime;

/**
 * What a GPU takes for a protocol whose lines carry data and flag together: LL, LL128. A rank sends a line on when it has
 * seen it, so that steps follow one another without slices.
 *
 * @param ringRate rate of data at which a channel's thread block polls, adds and stores, in a ring
 * @param treeRate the same in a tree, whose two ways share the threads
 * @param ringHop time of a step besides its data, in a ring
 * @param treeHop the same in a tree
 * @param network what a step to another node takes on top of the network's own latency
 */
public record LineTiming(
    @Setting("rate of data at which a channel's thread block polls, adds and stores, in a ring") DataRate ringRate,
    @Setting("the same in a tree, whose two ways share the threads") DataRate treeRate,
    @Setting("time of a step besides its data, in a ring") SimTime ringHop,
    @Setting("the same in a tree") SimTime treeHop,
    @Setting(value = "what a step to another node takes on top of the network's own latency",
        def = "0 s") SimTime network) {}
