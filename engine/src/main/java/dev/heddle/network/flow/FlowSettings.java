package dev.heddle.network.flow;

/**
 * How a flow network runs.
 *
 * @param trainBytes the most payload of a unit, as in a packet network: it decides what a message's head costs where
 *     whole units are stored; 0: every packet is a unit of its own
 * @param injectionQueue messages that a rank's injection queue holds
 * @param windowStartPs when the measured window begins
 * @param windowEndPs when it ends, and with it the run; {@link Long#MAX_VALUE} to run to completion
 * @param limitPs simulated time after which a run to completion is given up
 * @param seed of all random streams
 * @param reuses whether a collective on idle links takes what one like it took, without being worked out again
 */
public record FlowSettings(
    int trainBytes, int injectionQueue, long windowStartPs, long windowEndPs, long limitPs, long seed,
    boolean reuses) {}
