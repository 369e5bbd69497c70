package dev.heddle.network;

import dev.heddle.spi.TransportProtocol;
import org.jspecify.annotations.Nullable;

/**
 * Options of a run of a network, at any fidelity.
 *
 * @param burstBytes the most payload of a burst of packets; 0: single packets
 * @param injectionQueue messages that a rank's injection queue holds
 * @param windowStartPs begin of the measured window
 * @param windowEndPs end of the measured window and of the run; {@link Long#MAX_VALUE} to run to completion
 * @param limitPs simulated time after which a run to completion is given up
 * @param partitions parts of the fabric that own their state; 0: as many as make the run short; no effect on results
 * @param threads that run the partitions, at least 1; no effect on results
 * @param seed of all random streams
 * @param transport protocol between terminals; null for links that are lossless by credits alone
 * @param memoizes whether collective calls that recur undisturbed are replayed, and states of packets that recur are
 *     skipped; no effect on results
 * @param tolerancePs picoseconds by which the begins of calls may differ from those of a record that is replayed; 0:
 *     none
 * @param sampling standard error of rates up to which a steady state is skipped; 0: none is
 */
public record RunOptions(
    int burstBytes, int injectionQueue, long windowStartPs, long windowEndPs, long limitPs, int partitions, int threads,
    long seed, @Nullable TransportProtocol transport, boolean memoizes, long tolerancePs,
    double sampling) {
  /** Options of a run to completion on one thread, measured as a whole, without a transport protocol. */
  public static RunOptions toCompletion(int burstBytes, int injectionQueue, long limitPs, long seed) {
    return new RunOptions(burstBytes, injectionQueue, 0, Long.MAX_VALUE, limitPs, 1, 1, seed, null, false, 0, 0);
  }

  /** Whether the run ends when everything is delivered, not at the end of a window. */
  public boolean toCompletion() {
    return windowEndPs == Long.MAX_VALUE;
  }

  /** Simulated time at which the run ends at the latest. */
  public long untilPs() {
    return toCompletion() ? limitPs : windowEndPs;
  }

  /** Length of the measured window of a run that ended at a time; the whole run to completion. */
  public long windowPs(long endPs) {
    return Math.min(endPs, windowEndPs) - windowStartPs;
  }
}
