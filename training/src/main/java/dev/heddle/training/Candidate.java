package dev.heddle.training;

import dev.heddle.workload.megatron.job.Training;

/**
 * A division of a job among ranks.
 *
 * @param training the job
 * @param data its data-parallel ranks
 * @param seconds of an iteration, as estimated
 * @param utilization share of the peak rate of 16 bits, 0 to 1
 * @param memoryBytes that the fullest stage's ranks need
 */
public record Candidate(Training training, int data, double seconds, double utilization, long memoryBytes) {}
