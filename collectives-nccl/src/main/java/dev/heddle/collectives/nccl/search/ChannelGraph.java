package dev.heddle.collectives.nccl.search;

import dev.heddle.collectives.nccl.PathType;
import java.util.Arrays;
import java.util.Locale;

/**
 * The channels that the search found for one algorithm on one node. GPUs and ports have the indices of the system
 * graph.
 */
public final class ChannelGraph {
  private final Attempt attempt;
  private final double latencyUs;
  private final int hops;
  private final int[][] orders;
  private final int[] entries;
  private final int[] exits;

  /** Result of a search; the graph takes ownership of the arrays. */
  ChannelGraph(Attempt attempt, double latencyUs, int hops, Routes routes) {
    this.attempt = attempt;
    this.latencyUs = latencyUs;
    this.hops = hops;
    orders = routes.orders();
    entries = routes.entries();
    exits = routes.exits();
  }

  /** The order of GPUs of each channel, the port by which it enters and the port by which it leaves; -1 for none. */
  record Routes(int[][] orders, int[] entries, int[] exits) {
    /** No channels. */
    static Routes none() {
      return new Routes(new int[0][], new int[0], new int[0]);
    }

    Routes copy(int channels) {
      return new Routes(
          Arrays.stream(orders).limit(channels).map(int[]::clone).toArray(int[][]::new),
          Arrays.copyOf(entries, channels), Arrays.copyOf(exits, channels));
    }

    /** The first channels, repeated. */
    Routes repeated(int channels) {
      int[][] order = new int[channels][];
      int[] in = new int[channels];
      int[] out = new int[channels];
      for (int c = 0; c < channels; c++) {
        int source = c % orders.length;
        order[c] = orders[source].clone();
        in[c] = entries[source];
        out[c] = exits[source];
      }
      return new Routes(order, in, out);
    }
  }

  /** The shape of each channel. */
  public Pattern pattern() {
    return attempt.pattern();
  }

  /** The number of channels of the search; a communicator uses each of them at least twice. */
  public int channels() {
    return orders.length;
  }

  /** The bandwidth of each channel on links between GPUs, GB/s. */
  public double intraSpeed() {
    return attempt.speeds().intra() / 1e3;
  }

  /** The bandwidth of each channel on links to ports, GB/s. */
  public double interSpeed() {
    return attempt.speeds().inter() / 1e3;
  }

  /** The worst type of paths between GPUs that the search allowed. */
  public PathType intraType() {
    return attempt.types().intra();
  }

  /** The worst type of paths between a GPU and a port that the search allowed. */
  public PathType interType() {
    return attempt.types().inter();
  }

  /**
   * The use of ports: 0: channels leave by the port by which they enter; 1: by any port; 2: pairs of channels swap
   * ports.
   */
  public int crossNic() {
    return attempt.rules().crossNic();
  }

  /** Whether all channels have the same order of GPUs. */
  public boolean sameChannels() {
    return attempt.rules().same();
  }

  /** The latency of the last channel's port, microseconds. */
  public double latencyUs() {
    return latencyUs;
  }

  /** The number of links of all channels. */
  public int hops() {
    return hops;
  }

  /** The number of GPUs in a channel's order. */
  public int gpus(int channel) {
    return orders[channel].length;
  }

  /** The GPU at a place of a channel's order. */
  public int gpu(int channel, int place) {
    return orders[channel][place];
  }

  /** The port by which a channel enters the node; -1 for none. */
  public int entry(int channel) {
    return entries[channel];
  }

  /** The port by which a channel leaves the node; -1 for none. */
  public int exit(int channel) {
    return exits[channel];
  }

  Attempt attempt() {
    return attempt;
  }

  Routes routes() {
    return new Routes(orders, entries, exits);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(String.format(Locale.ROOT,
        "Pattern %d, crossNic %d, nChannels %d, bw %f/%f, type %s/%s, sameChannels %d", pattern().number(),
        crossNic(), channels(), intraSpeed(), interSpeed(), intraType(), interType(), sameChannels() ? 1 : 0));
    for (int c = 0; c < channels(); c++) {
      text.append('\n').append(c).append(" :").append(entries[c] < 0 ? "" : " NET/" + entries[c]);
      for (int gpu : orders[c]) {
        text.append(" GPU/").append(gpu);
      }
      text.append(exits[c] < 0 ? "" : " NET/" + exits[c]);
    }
    return text.toString();
  }
}
