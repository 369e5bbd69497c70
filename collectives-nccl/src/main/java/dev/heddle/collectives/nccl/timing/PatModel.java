package dev.heddle.collectives.nccl.timing;

import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.timing.ChannelTime.Rates;

/**
 * The closed form of PAT: as many phases as a binary tree over the ranks has levels, the farthest first. A rank sends
 * the share of every other rank once; the chunks of a phase wait for those of the phase before.
 */
final class PatModel {
  private final MachineTiming machine;
  private final RankLayout layout;
  private final Buffers buffers;
  private final int channels;

  PatModel(MachineTiming machine, RankLayout layout, Buffers buffers, Execution execution) {
    this.machine = machine;
    this.layout = layout;
    this.buffers = buffers;
    channels = execution.channels();
  }

  ChannelTime of(long bytes) {
    GpuTiming gpu = machine.gpu();
    double network = machine.network().filter(any -> layout.networked())
        .map(net -> net.nodeRate() / layout.perNode() / channels).orElse(Double.POSITIVE_INFINITY);
    Rates rates = new Rates(
        gpu.copy().bytesPerNano(), gpu.port().bytesPerNano() / channels, network, 1);
    double sent = (double) bytes / channels * (layout.ranks() - 1) / layout.ranks();
    double chunk = Math.min((double) bytes / layout.ranks() / channels, buffers.step(Protocol.SIMPLE));
    int phases = Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(1, layout.ranks() - 1));
    double step = gpu.hop().nanos() + gpu.slice().nanos()
        + (layout.networked() ? Hops.networkNs(machine, layout, Protocol.SIMPLE) : 0)
        + Hops.readNs(machine, layout, Protocol.SIMPLE, chunk, channels);
    double slices = chunk > 0 ? Math.ceil(sent / buffers.step(Protocol.SIMPLE)) * gpu.slice().nanos() : 0;
    double wait = phases * (step + chunk / rates.least()) + slices
        + Hops.messageNs(machine, layout, Protocol.SIMPLE, channels, chunk, channels) * phases;
    return new ChannelTime(wait + sent / rates.least(), rates, sent, wait > sent / rates.least());
  }
}
