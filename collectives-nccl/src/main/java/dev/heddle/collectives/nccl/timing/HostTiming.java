package dev.heddle.collectives.nccl.timing;

import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.spi.Setting;
import dev.heddle.units.SimTime;
import java.util.Optional;

/**
 * Times of host and driver for a call. Calls are queued: the time to queue a call shows only when the GPU has finished
 * the one before.
 *
 * @param launch time from a call to the kernel's first step, and from its last step to the next call's; absent: that of
 *     the generation
 * @param enqueue time in which a process queues a call for one of its GPUs
 * @param channel additional launch time for each channel beyond the first; absent: by NCCL's version
 * @param post time for which a chunk of send and receive to another node holds up its thread block, until the host has
 *     posted it; absent: by the host's processors, as in NCCL's tuning model
 */
public record HostTiming(
    @Setting("from a call to the kernel's first step, and from its last to the next call's; without it, as the GPUs'"
        + " generation has it") Optional<SimTime> launch,
    @Setting(value = "time of a process to queue a call for one of its GPUs", def = "4.5 us") SimTime enqueue,
    @Setting("more of the launch per channel beyond the first; without it, by NCCL's version: kernels before 2.11 fetch"
        + " each channel's work by itself") Optional<SimTime> channel,
    @Setting("for which a chunk of send and receive to another node holds up its thread block, until the host has"
        + " posted it; without it, by the processors, as in NCCL's tuning model: 6 us with AMD's, 3 with"
        + " others'") Optional<SimTime> post) {
  /** The first minor version whose kernels fetch the work of all channels at once. */
  private static final int WORK_AT_ONCE = 11;
  private static final double CHANNEL_NS = 50;
  private static final double OLD_CHANNEL_NS = 1_900;
  private static final double OLD_QUEUED_CHANNEL_NS = 220;
  private static final double QUEUED_PEER_NS = 1_100;

  /** The times of a host with a launch; all else by default. */
  public HostTiming(Optional<SimTime> launch) {
    this(launch, SimTime.ofNanos(4_500), Optional.empty(), Optional.empty());
  }

  /** The host for calls in a graph, which are not queued one by one. */
  public HostTiming graph() {
    return new HostTiming(launch, SimTime.ZERO, Optional.of(SimTime.ZERO), post);
  }

  /** The host with a time for a post, unless it has one. */
  HostTiming posting(SimTime time) {
    return new HostTiming(launch, enqueue, channel, Optional.of(post.orElse(time)));
  }

  /** The time for which a post holds up a thread block, nanoseconds; 0 where it is not known. */
  public double postNs() {
    return post.map(SimTime::nanos).orElse(0.0);
  }

  /** The start time of a kernel for each channel beyond the first, nanoseconds. */
  double channelNs(NcclVersion version) {
    return channel.map(SimTime::nanos).orElse(version.since(WORK_AT_ONCE) ? CHANNEL_NS : OLD_CHANNEL_NS);
  }

  /** The time in which a process queues a call for all its GPUs, nanoseconds; 0 if each GPU has its own thread. */
  double queueNs(NcclVersion version, int gpus, int channels, int messages) {
    double more = (channels - 1) * (version.since(WORK_AT_ONCE) ? CHANNEL_NS : OLD_QUEUED_CHANNEL_NS);
    return gpus <= 1 || enqueue.ps() == 0 ? 0 : gpus * (enqueue.nanos() + more + messages * QUEUED_PEER_NS);
  }
}
