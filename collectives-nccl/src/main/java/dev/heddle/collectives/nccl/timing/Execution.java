package dev.heddle.collectives.nccl.timing;

import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.Protocol;

/**
 * How NCCL carries out a collective: what its tuner takes.
 *
 * @param algorithm which
 * @param protocol with which
 * @param channels on how many, at least 1
 * @param version of NCCL
 */
public record Execution(Algorithm algorithm, Protocol protocol, int channels, NcclVersion version) {
  /** The same by the newest version. */
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
