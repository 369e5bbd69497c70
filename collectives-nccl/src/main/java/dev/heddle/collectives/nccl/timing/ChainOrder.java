package dev.heddle.collectives.nccl.timing;

import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import java.util.Arrays;

/**
 * The positions of ranks on the chains of broadcast and reduce. Consecutive calls overlap, but a rank begins the next
 * call only when it has finished on all channels. A rank that is near the root on one channel and far from it on
 * another delays the first channel.
 */
final class ChainOrder {
  /** The same order of ranks on all channels. */
  static final ChainOrder UNIFORM = new ChainOrder(new int[0][], new boolean[0][]);

  /** The number of calls until the interval is steady, and of calls over which it is measured. */
  private static final int CALLS = 16;

  private final int[][] ranks;
  private final boolean[][] apart;

  /**
   * Chains with given orders of ranks.
   *
   * @param ranks ranks of each channel from the root
   * @param apart whether a rank and the one before it lie on different nodes
   */
  ChainOrder(int[][] ranks, boolean[][] apart) {
    this.ranks = ranks;
    this.apart = apart;
  }

  /** The chains of a communicator, beginning at its first rank. */
  static ChainOrder of(CommunicatorTopology channels) {
    int count = channels.placement().ranks();
    int[][] ranks = new int[channels.count()][];
    for (int channel = 0; channel < ranks.length; channel++) {
      ranks[channel] = new int[count];
      for (int at = 1; at < count; at++) {
        ranks[channel][at] = channels.ringNext(channel, ranks[channel][at - 1]);
      }
    }
    return Arrays.stream(ranks).allMatch(order -> Arrays.equals(order, ranks[0])) ? UNIFORM : of(ranks, channels);
  }

  private static ChainOrder of(int[][] ranks, CommunicatorTopology channels) {
    boolean[][] apart = new boolean[ranks.length][ranks[0].length];
    for (int channel = 0; channel < ranks.length; channel++) {
      for (int at = 1; at < ranks[channel].length; at++) {
        apart[channel][at] =
            channels.placement().node(ranks[channel][at]) != channels.placement().node(ranks[channel][at - 1]);
      }
    }
    return new ChainOrder(ranks, apart);
  }

  /**
   * The time between consecutive calls, nanoseconds.
   *
   * @param channels number of channels of a call
   * @param busyNs time for which a call keeps a rank busy, nanoseconds
   * @param hopNs time of a chunk from a rank to the next of its node, nanoseconds
   * @param networkNs time of a chunk from a rank to the next, of another node, nanoseconds
   */
  double intervalNs(int channels, double busyNs, double hopNs, double networkNs) {
    int used = Math.min(channels, ranks.length);
    if (used < 2) {
      return busyNs;
    }
    double[] starts = new double[ranks[0].length];
    double half = 0;
    for (int call = 0; call < 2 * CALLS; call++) {
      half = call == CALLS ? Arrays.stream(starts).max().orElseThrow() : half;
      double[] ends = new double[starts.length];
      for (int channel = 0; channel < used; channel++) {
        double end = Double.NEGATIVE_INFINITY;
        for (int at = 0; at < starts.length; at++) {
          int rank = ranks[channel][at];
          end = Math.max(starts[rank] + busyNs, end + (apart[channel][at] ? networkNs : hopNs));
          ends[rank] = Math.max(ends[rank], end);
        }
      }
      starts = ends;
    }
    return (Arrays.stream(starts).max().orElseThrow() - half) / CALLS;
  }
}
