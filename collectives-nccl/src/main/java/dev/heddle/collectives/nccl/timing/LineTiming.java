package dev.heddle.collectives.nccl.timing;

import dev.heddle.spi.Setting;
import dev.heddle.units.DataRate;
import dev.heddle.units.SimTime;

/**
 * Rate and latency of a protocol whose lines carry data and flag together: LL, LL128. A rank forwards a line as soon as
 * it has seen it, so that steps follow without slices.
 *
 * @param rate data rate at which a channel's thread block polls, adds and stores
 * @param hop time of a step besides the transfer
 */
public record LineTiming(
    @Setting("data rate at which a channel's thread block polls, adds and stores") DataRate rate,
    @Setting("time of a step besides its data") SimTime hop) {}
