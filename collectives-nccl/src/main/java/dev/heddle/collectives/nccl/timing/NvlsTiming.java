package dev.heddle.collectives.nccl.timing;

import dev.heddle.spi.Setting;
import dev.heddle.units.DataRate;
import dev.heddle.units.SimTime;
import java.util.Optional;

/**
 * Rate and latency of reduction and multicast in NVSwitches.
 *
 * @param copy data rate of a channel's thread block over the GPU's port; with {@code h} heads it moves {@code 1 + 1/h}
 *     times the bytes of the call
 * @param fill time from the first store to the first result besides copying; absent: two flags, of scatter and gather
 */
public record NvlsTiming(
    @Setting("data rate at which a channel moves data over the GPU's port; with h heads,"
        + " 1 + 1/h of the call's") DataRate copy,
    @Setting("time from the first store to the first result besides copying; without it, until two flags are"
        + " seen") Optional<SimTime> fill) {}
