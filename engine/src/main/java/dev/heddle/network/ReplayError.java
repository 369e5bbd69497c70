package dev.heddle.network;

/**
 * Replays of calls from records whose begins differed within a tolerance, and the error that this brings.
 *
 * @param calls that were replayed so
 * @param errorPs greatest sum of the deviations of replays that follow one another, picoseconds: an estimate of how far
 *     any time of the run may be off, which holds as long as no packets go in another order than in the record
 */
public record ReplayError(long calls, long errorPs) {}
