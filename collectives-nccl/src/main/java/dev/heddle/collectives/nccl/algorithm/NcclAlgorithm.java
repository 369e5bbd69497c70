package dev.heddle.collectives.nccl.algorithm;

import dev.heddle.collective.Group;
import dev.heddle.collective.Pipeline;
import dev.heddle.collective.Schedule;
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
import dev.heddle.spi.CollectiveCost;
import dev.heddle.spi.CollectiveRequest;
import dev.heddle.spi.Retransmission;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** NCCL on a machine. Communicators are planned once each, as NCCL's are. */
final class NcclAlgorithm implements CollectiveAlgorithm {
  private static final int MOST_COMMUNICATORS = 4096;
  private static final int WINDOW = 4;

  private final NodePlans nodes;
  private final Retransmission retransmission;
  private final MachineTiming machine;
  private final int perProcess;
  // Holds no more than what every plan could make again.
  private final Map<Key, NcclCommunicator> communicators = new LinkedHashMap<>();

  private record Key(Group group, Cluster cluster) {}

  NcclAlgorithm(NcclConfig config, MachineTiming machine, int perProcess) {
    nodes = new NodePlans(config);
    retransmission = config.retransmission();
    this.machine = machine;
    this.perProcess = perProcess;
  }

  private NcclCommunicator communicator(CollectiveRequest request) {
    Key key = new Key(request.group(), request.cluster());
    synchronized (communicators) {
      NcclCommunicator known = communicators.get(key);
      if (known == null) {
        if (communicators.size() == MOST_COMMUNICATORS) {
          communicators.remove(communicators.keySet().iterator().next());
        }
        CommunicatorTopology channels = ClusterPlan.channels(key.cluster(), key.group(), nodes);
        DirectAccess access = DirectAccess.of(channels, perProcess);
        MachineTiming timing = NicAddress.of(key.cluster(), channels.config()).limit(machine, key.cluster());
        long wayPs = Hops.wayPs(key.cluster(), key.group(), true);
        known = new NcclCommunicator(
            CommunicatorTiming.of(channels, timing, access, wayPs), access, key.group(), key.cluster());
        communicators.put(key, known);
      }
      return known;
    }
  }

  @Override
  public Schedule plan(CollectiveRequest request) {
    return new SchedulePlanner(communicator(request), request.collective()).schedule();
  }

  @Override
  public CollectiveCost cost(CollectiveRequest request) {
    return new SchedulePlanner(communicator(request), request.collective()).cost();
  }

  @Override
  public List<Pipeline> pipelines(CollectiveRequest request) {
    return request.group().size() == 1
        ? List.of()
        : new PipelinePlanner(communicator(request), request.collective()).pipelines();
  }

  @Override
  public Retransmission retransmission() {
    return retransmission;
  }

  // Rings pass on before they free: a connection holds at least four slices.
  @Override
  public int window() {
    return WINDOW;
  }
}
