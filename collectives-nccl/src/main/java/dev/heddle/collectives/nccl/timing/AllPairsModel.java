package dev.heddle.collectives.nccl.timing;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.timing.ChannelTime.Rates;

/**
 * The closed form of schedules by which all pairs of a node's ranks exchange data at once, each over links of its own.
 * A channel has a thread block for each peer. For all_gather a block sends its part of the rank's data to its peer and
 * receives the peer's. For all_reduce it does so with the parts that others sum; when all parts are there, which blocks
 * tell one another by flags in memory, each sums a share of the channel's part over all ranks; after another such wait
 * the blocks exchange the sums.
 */
final class AllPairsModel {
  // Waits of an all_reduce for all blocks of a channel: for the parts, and for the sums.
  private static final int WAITS = 2;

  private final MachineTiming machine;
  private final RankLayout layout;
  private final Protocol protocol;
  private final int channels;

  AllPairsModel(MachineTiming machine, RankLayout layout, Execution execution) {
    this.machine = machine;
    this.layout = layout;
    protocol = execution.protocol();
    channels = execution.channels();
  }

  ChannelTime of(CollectiveOp op, long bytes) {
    GpuTiming gpu = machine.gpu();
    int ranks = layout.ranks();
    double part = (double) bytes / ranks / channels;
    double wire = Buffers.wirePerData(protocol);
    Rates rates = new Rates(
        block(gpu), gpu.port().bytesPerNano() / channels / (ranks - 1) / wire, Double.POSITIVE_INFINITY, wire);
    double flags = protocol == Protocol.SIMPLE ? 2 * gpu.slice().nanos() : 0;
    double shot = gpu.hopNs(protocol, false) + flags + part / rates.least();
    if (op == CollectiveOp.ALL_GATHER) {
      return new ChannelTime(shot, rates, part, shot > 2 * part / rates.least());
    }
    double sums = (ranks - 1) * part / ranks / gpu.copy().bytesPerNano();
    double nanos = 2 * shot + WAITS * gpu.slice().nanos() + sums;
    return new ChannelTime(nanos, rates, 2 * part, nanos > 4 * part / rates.least());
  }

  // The rate of a thread block that sends as much as it receives.
  private double block(GpuTiming gpu) {
    return switch (protocol) {
      case SIMPLE -> gpu.channelCopy(false);
      case LL -> gpu.ll().rate().bytesPerNano();
      case LL128 -> gpu.ll128Rate();
    };
  }
}
