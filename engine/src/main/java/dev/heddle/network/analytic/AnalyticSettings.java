package dev.heddle.network.analytic;

/**
 * Settings of an analytic network.
 *
 * @param trainBytes the most payload of a packet train, as in a packet network; 0: single packets
 * @param injectionQueue messages that a rank's injection queue holds
 * @param windowStartPs begin of the measurement window
 * @param windowEndPs end of the measurement window and of the run; {@link Long#MAX_VALUE} to run to completion
 * @param limitPs simulated time after which a run to completion is given up
 * @param seed of all random streams
 */
public record AnalyticSettings(
    int trainBytes, int injectionQueue, long windowStartPs, long windowEndPs, long limitPs, long seed) {}
