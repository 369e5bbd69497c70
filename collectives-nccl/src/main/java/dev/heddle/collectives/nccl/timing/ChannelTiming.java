package dev.heddle.collectives.nccl.timing;

import dev.heddle.units.SimTime;

/**
 * A channel as a fluid: every edge carries so many bytes at no more than a limit, and the whole takes so much longer
 * than that. What links allow besides is the network model's affair.
 *
 * @param latency what the channel takes besides moving its bytes
 * @param limit the most that an edge carries, in bytes on the wire per picosecond: what thread blocks copy, with what
 *     each slice costs them
 * @param wireBytes that each edge carries
 */
public record ChannelTiming(SimTime latency, double limit, long wireBytes) {}
