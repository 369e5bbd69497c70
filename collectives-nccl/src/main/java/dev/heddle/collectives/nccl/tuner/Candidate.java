package dev.heddle.collectives.nccl.tuner;

import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.Protocol;
import java.util.Optional;

/**
 * What NCCL expects of an algorithm with a protocol.
 *
 * @param algorithm which
 * @param protocol with which
 * @param latencyUs of the model, before what depends on the size, microseconds
 * @param gigabytesPerSecond of the model, before what depends on the size: bytes of the call per nanosecond
 * @param timeUs what it expects, microseconds; infinite where it is out of the question
 * @param shape the channels and threads with which it would run
 * @param excluded why it is out of the question
 */
public record Candidate(
    Algorithm algorithm, Protocol protocol, double latencyUs, double gigabytesPerSecond, double timeUs, Shape shape,
    Optional<String> excluded) {
  /**
   * How wide it runs.
   *
   * @param channels at least 1
   * @param threads per channel
   */
  public record Shape(int channels, int threads) {}
}
