package dev.heddle.collectives.nccl.timing;

import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.rccl.MscclSchedules;

/**
 * The execution of a collective as NCCL's tuner chooses it.
 *
 * @param algorithm algorithm
 * @param protocol protocol
 * @param channels number of channels, at least 1
 * @param version of NCCL
 * @param sums rate at which a multiprocessor adds the call's numbers, bytes per nanosecond; infinite where that takes
 *     no longer than to copy them
 * @param pairs whether all pairs of ranks exchange data at once, by a schedule of MSCCL in place of the algorithm
 */
public record Execution(
    Algorithm algorithm, Protocol protocol, int channels, NcclVersion version, double sums, boolean pairs) {
  /** An execution by the newest version. */
  public Execution(Algorithm algorithm, Protocol protocol, int channels) {
    this(algorithm, protocol, channels, NcclVersion.LATEST);
  }

  /** An execution of sums that take no longer than copies. */
  public Execution(Algorithm algorithm, Protocol protocol, int channels, NcclVersion version) {
    this(algorithm, protocol, channels, version, Double.POSITIVE_INFINITY);
  }

  /** An execution by NCCL's own algorithm. */
  public Execution(Algorithm algorithm, Protocol protocol, int channels, NcclVersion version, double sums) {
    this(algorithm, protocol, channels, version, sums, false);
  }

  /** An execution by a schedule of MSCCL in place of an algorithm. */
  Execution(Algorithm algorithm, MscclSchedules.Schedule schedule, NcclVersion version) {
    this(algorithm, schedule.protocol(), schedule.channels(), version, Double.POSITIVE_INFINITY, true);
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

  /** The names of algorithm and protocol in NCCL's log, as {@code Ring/LL128}; of MSCCL's, {@code AllPairs/LL}. */
  public String title() {
    return (pairs ? "AllPairs" : algorithm.title()) + "/" + protocol.title();
  }
}
