package dev.heddle.collectives.nccl.timing;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.spi.InvalidSettingException;
import java.util.function.Supplier;

/**
 * How long NCCL's calls take on a machine with nothing else going on, in closed form: loops, steps, slices and chunks as
 * NCCL cuts them, each with the times of the machine. Pure: equal calls take equal times.
 */
public final class NcclTiming {
  private final MachineTiming machine;
  private final RankLayout layout;
  private final Buffers buffers;
  private final Supplier<ChainOrder> chains;

  /**
   * Prepares a communicator's timing.
   *
   * @throws InvalidSettingException when the ranks lie on several nodes and the machine has no network
   */
  public NcclTiming(MachineTiming machine, RankLayout layout, Buffers buffers) {
    this(machine, layout, buffers, () -> ChainOrder.ALIKE);
  }

  /** The same where ranks lie differently on the chains of different channels. */
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
   * @param execution what the tuner takes
   * @param inPlace whether a rank's own block need not be copied
   * @throws InvalidSettingException when the machine's timing has none of the algorithm
   */
  public CallTime collective(CollectiveOp op, long bytes, Execution execution, boolean inPlace) {
    ChannelTime course = switch (execution.algorithm()) {
      case RING -> new RingModel(machine, layout, buffers, execution, chains).of(op, bytes, inPlace);
      case TREE, COLLNET_CHAIN, COLLNET_DIRECT -> new TreeModel(machine, layout, buffers, execution).of(op, bytes);
      case NVLS, NVLS_TREE -> new NvlsCourse(machine, layout, buffers, execution).of(bytes);
      case PAT -> new PatCourse(machine, layout, buffers, execution).of(bytes);
    };
    HostTiming host = machine.host();
    int used = execution.channels();
    double launch = machine.launchNs() + (used - 1) * host.channelNs(execution.version());
    return call(course, launch, host.queueNs(layout.perThread(), used, 0));
  }

  /**
   * The time of send and receive, or of a collective that NCCL builds of them.
   *
   * @param op send_recv, all_to_all, gather or scatter
   * @param bytes as for a collective
   * @param channels what NCCL's plan of messages takes
   * @param inPlace whether a rank's own block need not be copied
   * @throws IllegalArgumentException for other operations
   */
  public CallTime pairs(CollectiveOp op, long bytes, PairChannels channels, boolean inPlace) {
    ChannelTime course = new SendRecvModel(machine, layout, channels).of(op, bytes, inPlace);
    HostTiming host = machine.host();
    int messages = op == CollectiveOp.SEND_RECV ? 1 : layout.ranks();
    return call(course, machine.launchNs(), host.queueNs(layout.perThread(), 1, messages));
  }

  /** The time when every rank sends and receives messages, or as long as the one that has most takes. */
  CallTime exchange(SendRecvModel.Messages messages, PairChannels channels) {
    ChannelTime course = new SendRecvModel(machine, layout, channels).exchange(messages);
    return call(course, machine.launchNs(), 0);
  }

  private static CallTime call(ChannelTime course, double launchNs, double queueNs) {
    double nanos = launchNs + course.nanos();
    ChannelTiming channel = course.channel();
    if (queueNs > nanos) {
      return new CallTime(queueNs - course.nanos(), course.transferNs(), course.waitNs(), Bound.HOST, channel,
          course.resources());
    }
    return new CallTime(launchNs, course.transferNs(), course.waitNs(), course.bound(), channel, course.resources());
  }
}
