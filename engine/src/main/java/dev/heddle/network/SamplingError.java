package dev.heddle.network;

/**
 * The part of a run that was skipped as a steady state, and the error that this brings.
 *
 * @param skipped share of the simulated time, 0 to 1
 * @param standardError of the simulated time relative to it, by the scatter of the sampled rates
 */
public record SamplingError(double skipped, double standardError) {}
