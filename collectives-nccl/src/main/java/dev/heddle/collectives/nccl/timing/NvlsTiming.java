package dev.heddle.collectives.nccl.timing;

import dev.heddle.spi.Setting;
import dev.heddle.units.DataRate;
import dev.heddle.units.SimTime;

/**
 * What a GPU takes to scatter chunks to the heads' multicast buffers, have them reduced and multicast by the switches, and
 * gather them: a loop moves a chunk per head.
 *
 * @param copy rate at which a channel moves data over the GPU's port: with {@code h} heads, {@code 1 + 1/h} of the call's
 * @param loop what a loop takes besides copying
 * @param fill what filling takes besides loops
 * @param fillLoops copies of a loop until the first result is there
 */
public record NvlsTiming(
    @Setting("rate at which a channel moves data over the GPU's port; with h heads, 1 + 1/h of the call's") DataRate copy,
    @Setting("what a loop takes besides copying") SimTime loop,
    @Setting("what filling takes besides loops") SimTime fill,
    @Setting(value = "copies of a loop until the first result is there", min = "0", max = "10") double fillLoops) {}
