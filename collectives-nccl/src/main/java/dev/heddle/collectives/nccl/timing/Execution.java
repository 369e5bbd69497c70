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
 */
public record Execution(Algorithm algorithm, Protocol protocol, int channels, NcclVersion version) {
  /** An execution by the newest version. */
  public Execution(Algorithm algorithm, Protocol protocol, int channels) {
    this(algorithm, protocol, channels, NcclVersion.LATEST);
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
