package dev.heddle.collectives.nccl.algorithm;

import dev.heddle.collective.Group;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.p2p.DirectAccess;
import dev.heddle.collectives.nccl.search.ClusterPlan;
import dev.heddle.collectives.nccl.search.CommunicatorTopology;
import dev.heddle.collectives.nccl.search.NodePlans;
import dev.heddle.collectives.nccl.timing.CommunicatorTiming;
import dev.heddle.collectives.nccl.timing.Hops;
import dev.heddle.collectives.nccl.timing.MachineTiming;
import dev.heddle.collectives.nccl.timing.NicAddress;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.Communicator;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Retransmission;
import java.util.Optional;

/** NCCL with a configuration on a machine. */
final class NcclAlgorithm implements CollectiveAlgorithm {
  private final NodePlans nodes;
  private final Retransmission retransmission;
  private final Optional<MachineTiming> machine;
  private final int perProcess;
  private final boolean repeated;

  NcclAlgorithm(NcclConfig config, Optional<MachineTiming> machine, int perProcess) {
    this(config, machine, perProcess, false);
  }

  /**
   * NCCL.
   *
   * @param repeated whether pipelines of broadcasts and reductions are those of a call that follows equal ones
   */
  NcclAlgorithm(NcclConfig config, Optional<MachineTiming> machine, int perProcess, boolean repeated) {
    this.repeated = repeated;
    nodes = new NodePlans(config);
    retransmission = config.retransmission();
    this.machine = machine;
    this.perProcess = perProcess;
  }

  @Override
  public Communicator communicator(Cluster cluster, Group group) {
    CommunicatorTopology channels = ClusterPlan.channels(cluster, group, nodes);
    DirectAccess access = DirectAccess.of(channels, perProcess);
    MachineTiming timing =
        NicAddress.of(cluster, channels.config()).limit(machine.orElseThrow(NcclAlgorithm::untimed), cluster);
    long linkLatencyPs = Hops.linkLatencyPs(cluster, group, true);
    return new NcclCommunicator(CommunicatorTiming.of(channels, timing, access, linkLatencyPs), access, group, cluster,
        repeated);
  }

  /** The refusal of an algorithm without times. */
  static InvalidSettingException untimed() {
    return new InvalidSettingException("timing", "is missing; only a scenario derives it from the cluster");
  }

  @Override
  public Retransmission retransmission() {
    return retransmission;
  }
}
