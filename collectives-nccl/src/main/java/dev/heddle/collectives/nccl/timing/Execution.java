package dev.heddle.collectives.nccl.timing;

import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.Protocol;

/**
 * The execution of a collective as NCCL's tuner chooses it.
 *
 * @param algorithm algorithm
 * @param protocol protocol
 * @param channels number of channels, at least 1
 * @param version of NCCL
 * @param sums rate at which a multiprocessor adds the call's numbers, bytes per nanosecond; infinite where that takes
 *     no longer than to copy them
 */
public record Execution(
    Algorithm algorithm, Protocol protocol, int channels, NcclVersion version, double sums) {
  /** An execution by the newest version. */
  public Execution(Algorithm algorithm, Protocol protocol, int channels) {
    this(algorithm, protocol, channels, NcclVersion.LATEST);
  }

  /** An execution of sums that take no longer than copies. */
  public Execution(Algorithm algorithm, Protocol protocol, int channels, NcclVersion version) {
    this(algorithm, protocol, channels, version, Double.POSITIVE_INFINITY);
  }

  /**
   * Checks the number of channels.
   *
   * @throws IllegalArgumentException when there is none
   */
  public Execution {
    if (channels < 1) {
      throw new IllegalArgumentException("a collective runs on at least 1 channel: " + channels);
    }
  }

  /** The names of algorithm and protocol in NCCL's log, as {@code Ring/LL128}. */
  public String title() {
    return algorithm.title() + "/" + protocol.title();
  }
}
