package dev.heddle.network;

/**
 * Counters of a transport protocol over the whole run.
 *
 * @param firstAcknowledgedPs time at which the first message was acknowledged whole, in picoseconds; -1 for none
 * @param lastAcknowledgedPs time at which the last message was acknowledged whole, in picoseconds
 * @param repeated packets that were sent again
 * @param marked packets that switches marked
 * @param trimmed packets that switches trimmed
 * @param dropped packets that switches or links dropped
 * @param pauses pause frames of priority flow control
 */
public record TransportCounters(
    long firstAcknowledgedPs, long lastAcknowledgedPs, long repeated, long marked, long trimmed, long dropped,
    long pauses) {}
