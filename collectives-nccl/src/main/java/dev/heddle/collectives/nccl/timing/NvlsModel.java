package dev.heddle.collectives.nccl.timing;

import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.timing.ChannelTime.Rates;
import dev.heddle.spi.InvalidSettingException;

/**
 * The closed form of NVLS and NVLSTree. In each loop a channel scatters a chunk for each head, which the switches
 * reduce and multicast, and gathers the results; between nodes the trees of the heads, or reduction in the network,
 * carry the reduced chunks. With {@code h} heads a GPU's port carries {@code 1 + 1/h} times the bytes of the call.
 */
public final class NvlsModel {
  // Number of times that the threads of the trees between nodes wait in a loop: for the way up and the way down.
  private static final int TREE_WAYS = 2;
  // Number of trees between nodes, between which channels alternate.
  private static final int TREES = 2;
  // Share of a loop's sends that precede the first chunks' arrival at another node: those of one tree.
  private static final double FIRST_SENDS = 1.0 / TREES;
  // Share of a loop's posts that precede it, since receives of all channels are posted as well. A GPU has one thread
  // for both, and a loop as many receives as sends [NCCL 2.18 to 2.30.7, transport/net.cc, progress of both sides'
  // proxies].
  private static final double FIRST_POSTS = (1 + FIRST_SENDS) / 2;
  /** Share of a loop's posts by which receives for the first chunks come before the sends, at each crossing. */
  public static final double POSTS_AHEAD = FIRST_POSTS - FIRST_SENDS;

  // Number of loops until the first result: scatter, reduction and gather, of which every loop counts one.
  private static final double FILL_LOOPS = 2;
  // Data of an all_reduce for each channel that takes part: 32 KiB of traffic, two for each byte [NCCL, enqueue.cc].
  private static final double LEAST_PART = 16 << 10;

  private final MachineTiming machine;
  private final RankLayout layout;
  private final Buffers buffers;
  private final int channels;
  private final boolean tree;
  private final NvlsTiming timing;

  NvlsModel(MachineTiming machine, RankLayout layout, Buffers buffers, Execution execution) {
    this.machine = machine;
    this.layout = layout;
    this.buffers = buffers;
    channels = execution.channels();
    tree = execution.algorithm() == Algorithm.NVLS_TREE;
    timing = machine.gpu().nvls().orElseThrow(
        () -> new InvalidSettingException(
            "timing", "the timing of these GPUs has none of " + execution.algorithm().title()));
  }

  ChannelTime of(long bytes) {
    int heads = Math.min(layout.perNode(), CommunicatorTopology.MOST_NVLS_HEADS);
    double part = (double) bytes / channels;
    double loop = (double) heads * buffers.nvlsChunk(bytes, (long) channels * heads, layout, tree);
    Rates rates = new Rates(
        timing.copy().bytesPerNano() / (1 + 1.0 / heads), Double.POSITIVE_INFINITY, network(), 1);
    double loops = Math.ceil(part / loop);
    double block = part / rates.copy() + loops * (tree ? TREE_WAYS : 1) * machine.gpu().nvlsLoop().nanos();
    double wire = Math.max(part / rates.network(), loops * proxiesNs());
    double first = Math.min(part, loop);
    double rate = proxiesNs() > first / rates.network() ? rates.copy() : rates.least();
    double fill = machine.gpu().nvlsFill().nanos() + FILL_LOOPS * first / rate + crossingNs(bytes);
    double nanos = fill + Math.max(block, wire);
    return new ChannelTime(nanos, rates, part, nanos > 2 * part / rates.least());
  }

  private double network() {
    double share = tree && layout.nodes() > 2 ? .5 : 1;
    return machine.network().filter(any -> layout.networked())
        .map(net -> share * net.nodeRate() / channels).orElse(Double.POSITIVE_INFINITY);
  }

  private double proxiesNs() {
    return machine.network().filter(any -> tree && layout.networked())
        .map(net -> net.message().nanos() * channels).orElse(0.0);
  }

  // The time of the first chunks between nodes. All channels with data have one at once, which a proxy posts in turn:
  // of one tree's channels up and of the other's down. The NIC sends chunks while others are posted, so that its own
  // time counts only where it is longer.
  private double crossingNs(long bytes) {
    int crossings = !layout.networked() ? 0 : tree ? 2 * layout.depth() : 1;
    double used = Math.min(1, Math.ceil(bytes / LEAST_PART) / channels);
    return crossings * (Hops.networkNs(machine, layout, Protocol.SIMPLE) + FIRST_POSTS * used * proxiesNs());
  }
}
