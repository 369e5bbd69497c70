package dev.heddle.collectives.nccl.algorithm;

import dev.heddle.collective.Collective;
import dev.heddle.collective.Group;
import dev.heddle.collective.Pipeline;
import dev.heddle.collective.RankSteps;
import dev.heddle.collective.Schedule;
import dev.heddle.collective.TransportModel;
import dev.heddle.collectives.nccl.env.Environment;
import dev.heddle.collectives.nccl.env.NcclConfig;
import dev.heddle.collectives.nccl.p2p.PeerOrder;
import dev.heddle.collectives.nccl.rccl.RcclRings;
import dev.heddle.collectives.nccl.rccl.RingOrders;
import dev.heddle.collectives.nccl.schedule.PeerSteps;
import dev.heddle.collectives.nccl.schedule.RingSteps;
import dev.heddle.collectives.nccl.search.Placement;
import dev.heddle.collectives.nccl.timing.CallTime;
import dev.heddle.collectives.nccl.timing.CommunicatorTiming;
import dev.heddle.collectives.nccl.timing.MachineTiming;
import dev.heddle.collectives.nccl.timing.NicAddress;
import dev.heddle.collectives.nccl.timing.RcclTiming;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectivePlan;
import dev.heddle.spi.Communicator;
import dev.heddle.spi.InvalidSettingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A communicator of RCCL. Collectives of rings have the time of RCCL's closed form on an idle machine, whatever
 * algorithm its tuner chooses, and the rings' load on the links; groups with different numbers of ranks on their nodes,
 * which the closed form does not know, have that load alone. Messages between pairs go at once, at the rate of the
 * links.
 */
final class RcclCommunicator implements Communicator {
  // Steps that a connection buffers, as in a ring of NCCL.
  private static final int WINDOW = 4;
  // A chain passes on pieces of this size, or larger ones where there would be more pieces than these: a choice.
  private static final long PIECE = 256L << 10;
  private static final long MOST_PIECES = 64;

  private final Group group;
  private final RingOrders rings;
  private final DirectPeers peers;
  private final Times times;

  // The closed form, on machines on which it has one, and whether calls follow equal ones.
  private record Times(Optional<RcclTiming> timing, MachineTiming machine, boolean repeated) {}

  private RcclCommunicator(Group group, RingOrders rings, DirectPeers peers, Times times) {
    this.group = group;
    this.rings = rings;
    this.peers = peers;
    this.times = times;
  }

  /**
   * A communicator.
   *
   * @param repeated whether pipelines of broadcasts and reductions are those of a call that follows equal ones
   * @throws InvalidSettingException when RCCL does not serve the accelerators, or the ranks of a node have no links
   */
  static RcclCommunicator of(Cluster cluster, Group group, NcclConfig config, MachineTiming machine,
      boolean repeated) {
    if (!RcclRings.serves(cluster)) {
      throw new InvalidSettingException("", "RCCL serves GPUs of AMD, MI200, MI300 and MI350, and the cluster has none;"
          + " nccl serves those of NVIDIA");
    }
    int[] members = group.members();
    Placement placement = Placement.of(
        Arrays.stream(members).map(cluster::node).toArray(), Arrays.stream(members).map(cluster::position).toArray());
    boolean timed = group.size() > 1 && placement.isEven();
    return new RcclCommunicator(
        group, RingOrders.of(cluster, group, placement),
        new DirectPeers(new PeerOrder(placement, config.get(Environment.P2P_SCHEDULE_GROUP_SIZE))),
        new Times(timed ? Optional.of(RcclTiming.of(cluster, group, config)) : Optional.empty(),
            NicAddress.of(cluster, config).limit(machine, cluster), repeated));
  }

  @Override
  public CollectivePlan plan(Collective collective) {
    if (collective.ranks() == 1) {
      return CollectivePlan.of(SchedulePlanner.alone(collective));
    }
    if (!CommunicatorTiming.tuned(collective.op())) {
      return CollectivePlan.of(PeerSteps.schedule(peers, collective, 1));
    }
    Schedule schedule = RingSteps.schedule(rings, collective, loops(collective)).withWindow(WINDOW);
    Optional<CallTime> time = times.timing().map(found -> found.on(times.machine()).collective(
        collective.op(), collective.bytes(), found.execution(collective.op(), collective.bytes()), false));
    return CollectivePlan.of(schedule.withProtocol(transport(collective, time)))
        .withPipelines(() -> pipelines(collective, time));
  }

  private int loops(Collective collective) {
    return collective.op().rooted()
        ? (int) Math.max(1, Math.min(MOST_PIECES, collective.bytes() / rings.channels() / PIECE)) : 1;
  }

  // Steps that follow each other at the rate of the closed form.
  private TransportModel transport(Collective collective, Optional<CallTime> time) {
    long bytes = ringBytes(collective);
    TransportModel.Costs costs = time.map(found -> {
      double pace = bytes == 0 ? 0 : transferPs(found) / bytes;
      return new TransportModel.Costs(Math.round(found.launchNs() * 1e3), 0, 0, 0, 0, 0, pace, pace, 0);
    }).orElse(TransportModel.Costs.NONE);
    return new TransportModel("Simple", 1, 1, Long.MAX_VALUE, WINDOW, costs);
  }

  private List<Pipeline> pipelines(Collective collective, Optional<CallTime> time) {
    long bytes = ringBytes(collective);
    long message = collective.op().rooted() ? bytes : Math.max(1, bytes / collective.ranks());
    List<Pipeline> pipelines = new ArrayList<>();
    for (int channel = 0; channel < rings.channels(); channel++) {
      Edges edges = new Edges(1);
      edges.addRing(rings, channel, collective, group::member, (from, to, on) -> RankSteps.NONE);
      Pipeline.Fill fill = new Pipeline.Fill(0, 0, time.map(found -> fillPs(collective, found)).orElse(0L));
      pipelines.add(edges.pipeline(bytes, message, time.map(RcclCommunicator::transferPs).orElse(0.0), fill));
    }
    return pipelines;
  }

  // The start, and the time in which the first piece of a chain travels on from the second rank unless equal calls come
  // before it.
  private long fillPs(Collective collective, CallTime time) {
    double travel = collective.op().rooted() && !times.repeated()
        ? transferPs(time) * (collective.ranks() - 2) / loops(collective) : 0;
    return Math.round(time.launchNs() * 1e3 + travel);
  }

  private static double transferPs(CallTime time) {
    return (time.transferNs() + time.waitNs()) * 1e3;
  }

  // The bytes that each edge of a ring carries.
  private long ringBytes(Collective collective) {
    int n = collective.ranks();
    long share = (collective.bytes() + rings.channels() - 1) / rings.channels();
    return switch (collective.op()) {
      case ALL_REDUCE -> 2 * (n - 1) * share / n;
      case ALL_GATHER, REDUCE_SCATTER -> (n - 1) * share / n;
      default -> share;
    };
  }
}
