package dev.heddle.collectives.nccl.tuner;

import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.Protocol;
import java.util.Optional;

/**
 * The estimate of the tuning model for an algorithm with a protocol.
 *
 * @param algorithm algorithm
 * @param protocol protocol
 * @param latencyUs latency of the model, without corrections by size, microseconds
 * @param gigabytesPerSecond bandwidth of the model, without corrections by size: bytes of the call per nanosecond
 * @param timeUs estimated time, microseconds; infinite if excluded
 * @param shape channels and threads of the execution
 * @param excluded reason of the exclusion
 */
public record Candidate(
    Algorithm algorithm, Protocol protocol, double latencyUs, double gigabytesPerSecond, double timeUs, Shape shape,
    Optional<String> excluded) {
  /**
   * The number of channels and threads.
   *
   * @param channels at least 1
   * @param threads per channel
   */
  public record Shape(int channels, int threads) {}
}
