package dev.heddle.collectives.nccl.timing;

import dev.heddle.units.SimTime;

/**
 * A channel of a call as a pipeline: every edge carries data at a limited rate, and a latency is added. Limits of links
 * are left to the network model.
 *
 * @param latency time besides the transfer
 * @param limit largest rate of an edge, bytes on the wire per picosecond: the copy rate of thread blocks, with the cost
 *     of slices
 * @param wireBytes bytes on each edge
 */
public record ChannelTiming(SimTime latency, double limit, long wireBytes) {}
