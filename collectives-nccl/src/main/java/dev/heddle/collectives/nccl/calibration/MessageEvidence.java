package dev.heddle.collectives.nccl.calibration;

import java.util.OptionalDouble;

/**
 * Measurements of messages between two hosts without NCCL: a step of NCCL takes at least the latency of a message, and
 * NCCL's NICs send at most at the rate of messages alone.
 *
 * @param latency the least time of a message in one direction, microseconds
 * @param efficiency the greatest share of a NIC's rate that messages reached
 */
public record MessageEvidence(OptionalDouble latency, OptionalDouble efficiency) {
  /** No measurements. */
  public static final MessageEvidence NONE = new MessageEvidence(OptionalDouble.empty(), OptionalDouble.empty());
}
