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
final class NvlsModel {
  // Number of times that the threads of the trees between nodes wait in a loop: for the way up and the way down.
  private static final int TREE_WAYS = 2;
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
    double fill =
        machine.gpu().nvlsFill().nanos() + FILL_LOOPS * Math.min(part, loop) / rates.least() + crossingNs(bytes);
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

  // The time of the first chunks between nodes. All channels with data have one at once, which a proxy posts in turn.
  private double crossingNs(long bytes) {
    int crossings = !layout.networked() ? 0 : tree ? 2 * layout.depth() : 1;
    double used = Math.min(1, Math.ceil(bytes / LEAST_PART) / channels);
    return crossings * (Hops.networkNs(machine, layout, Protocol.SIMPLE) + used * proxiesNs());
  }
}
