package dev.heddle.collectives.nccl.timing;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.spi.InvalidSettingException;
import java.util.function.Supplier;

/**
 * Closed forms of the time of NCCL's calls on an idle machine: loops, steps, slices and chunks as in NCCL, with the
 * timing of the machine. Equal calls have equal times.
 */
public final class NcclTiming {
  private final MachineTiming machine;
  private final RankLayout layout;
  private final Buffers buffers;
  private final Supplier<ChainOrder> chains;

  /**
   * The timing of a communicator with equal chains on all channels.
   *
   * @throws InvalidSettingException when the ranks lie on several nodes and the machine has no network
   */
  public NcclTiming(MachineTiming machine, RankLayout layout, Buffers buffers) {
    this(machine, layout, buffers, () -> ChainOrder.UNIFORM);
  }

  /** The timing of a communicator with given chains. */
  NcclTiming(MachineTiming machine, RankLayout layout, Buffers buffers, Supplier<ChainOrder> chains) {
    if (layout.networked() && machine.network().isEmpty()) {
      throw new InvalidSettingException("timing",
          "there is no network in the timing, and ranks lie on " + layout.nodes()
              + " nodes; it takes such as network: {preset: nccl-infiniband}");
    }
    this.machine = machine;
    this.layout = layout;
    this.buffers = buffers;
    this.chains = chains;
  }

  /**
   * The time of a collective with an algorithm of its own.
   *
   * @param op all_reduce, all_gather, reduce_scatter, broadcast or reduce
   * @param bytes of the largest buffer of any rank, at least 0
   * @param execution choice of the tuner
   * @param inPlace whether the call is in place, so that a rank does not copy its own block
   * @throws InvalidSettingException when the machine's timing lacks the algorithm
   */
  public CallTime collective(CollectiveOp op, long bytes, Execution execution, boolean inPlace) {
    ChannelTime time = execution.pairs() ? new AllPairsModel(machine, layout, execution).of(op, bytes)
        : own(op, bytes, execution, inPlace);
    HostTiming host = machine.host();
    int used = execution.channels();
    double launch = machine.launchNs() + (used - 1) * host.channelNs(execution.version());
    return call(time, launch, host.queueNs(execution.version(), layout.perThread(), used, 0));
  }

  private ChannelTime own(CollectiveOp op, long bytes, Execution execution, boolean inPlace) {
    return switch (execution.algorithm()) {
      case RING -> new RingModel(machine, layout, buffers, execution, chains).of(op, bytes, inPlace);
      case TREE, COLLNET_CHAIN, COLLNET_DIRECT -> new TreeModel(machine, layout, buffers, execution).of(op, bytes);
      case NVLS, NVLS_TREE -> new NvlsModel(machine, layout, buffers, execution).of(bytes);
      case PAT -> new PatModel(machine, layout, buffers, execution).of(bytes);
    };
  }

  /**
   * The time of send and receive, or of a collective that consists of them.
   *
   * @param op send_recv, all_to_all, gather or scatter
   * @param bytes as for a collective
   * @param channels channels of the messages
   * @param inPlace whether the call is in place, so that a rank does not copy its own block
   * @throws IllegalArgumentException for other operations
   */
  public CallTime pairs(CollectiveOp op, long bytes, PairChannels channels, boolean inPlace) {
    return pairs(op, bytes, channels, inPlace, PairLinks.Load.NONE);
  }

  /** The time of send and receive with the load of the busiest link between GPUs of a node. */
  CallTime pairs(CollectiveOp op, long bytes, PairChannels channels, boolean inPlace, PairLinks.Load link) {
    ChannelTime time = new SendRecvModel(machine, layout, channels, link).of(op, bytes, inPlace);
    int messages = op == CollectiveOp.SEND_RECV ? 1 : layout.ranks();
    return call(time, launchNs(channels, messages),
        machine.host().queueNs(NcclVersion.LATEST, layout.perThread(), 1, messages));
  }

  /** The model of send and receive. */
  SendRecvModel pairs(PairChannels channels) {
    return new SendRecvModel(machine, layout, channels);
  }

  /** The time in which every rank sends and receives messages. */
  CallTime exchange(SendRecvModel.Messages messages, PairChannels channels) {
    return exchange(messages, channels, PairLinks.Load.NONE);
  }

  /** The time of exchanged messages with the load of the busiest link between GPUs of a node. */
  CallTime exchange(SendRecvModel.Messages messages, PairChannels channels, PairLinks.Load link) {
    ChannelTime time = new SendRecvModel(machine, layout, channels, link).exchange(messages);
    return call(time, launchNs(channels, messages.local() + messages.remote()), 0);
  }

  // The launch of a kernel with a thread block for each channel that some messages use.
  private double launchNs(PairChannels channels, int messages) {
    int used = Math.max(1, Math.min(channels.all(), channels.message() * messages));
    return machine.launchNs() + (used - 1) * machine.host().channelNs(NcclVersion.LATEST);
  }

  private static CallTime call(ChannelTime time, double launchNs, double queueNs) {
    double nanos = launchNs + time.nanos();
    ChannelTiming channel = time.channel();
    if (queueNs > nanos) {
      return new CallTime(queueNs - time.nanos(), time.transferNs(), time.waitNs(), Bound.HOST, channel,
          time.resources());
    }
    return new CallTime(launchNs, time.transferNs(), time.waitNs(), time.bound(), channel, time.resources());
  }
}
