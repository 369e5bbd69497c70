package dev.heddle.collectives.nccl.timing;

import dev.heddle.spi.Setting;
import dev.heddle.units.DataRate;
import dev.heddle.units.SimTime;

/**
 * Rate and latency of a protocol whose lines carry data and flag together: LL, LL128. A rank sends a line on when it has
 * seen it, so that steps follow one another without slices.
 *
 * @param rate data rate at which a channel's thread block polls, adds and stores
 * @param hop time of a step besides its data
 */
public record LineTiming(
    @Setting("data rate at which a channel's thread block polls, adds and stores") DataRate rate,
    @Setting("time of a step besides its data") SimTime hop) {}
