package dev.heddle.collectives.nccl.timing;

import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import java.util.Arrays;

/**
 * Where ranks lie on the chains of broadcast and reduce. Calls that follow one another overlap, but a rank begins the next
 * when it has ended on all channels: where it is near the root on one and far from it on another, it keeps the first waiting.
 */
final class ChainOrder {
  /** Ranks that lie alike on all channels. */
  static final ChainOrder ALIKE = new ChainOrder(new int[0][], new boolean[0][]);

  /** Calls until all go at the same pace, and as many to take it from. */
  private static final int CALLS = 16;

  private final int[][] ranks;
  private final boolean[][] apart;

  /**
   * Chains in given orders.
   *
   * @param ranks of each channel, from the root on
   * @param apart whether a rank lies on another node than the one before
   */
  ChainOrder(int[][] ranks, boolean[][] apart) {
    this.ranks = ranks;
    this.apart = apart;
  }

  /** The chains of a communicator, from its first rank on. */
  static ChainOrder of(CommunicatorTopology channels) {
    int count = channels.placement().ranks();
    int[][] ranks = new int[channels.count()][];
    for (int channel = 0; channel < ranks.length; channel++) {
      ranks[channel] = new int[count];
      for (int at = 1; at < count; at++) {
        ranks[channel][at] = channels.ringNext(channel, ranks[channel][at - 1]);
      }
    }
    return Arrays.stream(ranks).allMatch(order -> Arrays.equals(order, ranks[0])) ? ALIKE : of(ranks, channels);
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
   * The time from call to call.
   *
   * @param channels that a call has, the first ones
   * @param busyNs what a call keeps a rank busy for, nanoseconds
   * @param hopNs what a chunk takes from a rank to the next of its node, nanoseconds
   * @param networkNs the same to one of another node
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
