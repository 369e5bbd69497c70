package dev.heddle.workload.megatron.program;

import dev.heddle.spi.Cluster;
import dev.heddle.workload.megatron.parallel.Execution;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.RankGrid;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Slowdown of computation by concurrent collectives of parameters and gradients: their thread blocks occupy compute
 * units while the links carry the collective, and computation has the remaining units only.
 */
final class Contention {
  /** No slowdown. */
  static final Contention NONE = new Contention(Map.of());
  private static final double PS_PER_SECOND = 1e12;
  private static final long PROBE = 1 << 30;
  /**
   * Rate of a collective by the data sheet's of NVLink, within a node: 20, 20.6 and 40.1 of 25, 25 and 50 GB/s a link
   * on A100, H100 and B200 [NCCL, graph/topo.h: SM80_, SM90_ and SM100_NVLINK_BW].
   */
  private static final double NEAR_RATE = 0.81;

  private final Map<GroupKind, Slowdown> slowdowns;

  /**
   * The slowdown by one kind of group.
   *
   * @param secondsPerByte time on the links
   * @param share relative slowdown of kernels during that time
   */
  private record Slowdown(double secondsPerByte, double share) {}

  private Contention(Map<GroupKind, Slowdown> losses) {
    this.slowdowns = losses;
  }

  /**
   * The slowdown of a job's ranks.
   *
   * @param execution settings, with the units that a collective occupies
   * @param grid of the ranks
   * @param cluster the machine
   * @param terminals of the ranks
   */
  static Contention of(Execution execution, RankGrid grid, Cluster cluster, int[] terminals) {
    int units = cluster.accelerator(terminals[0]).orElseThrow().computeUnits();
    Map<GroupKind, Slowdown> losses = new EnumMap<>(GroupKind.class);
    for (GroupKind kind : List.of(GroupKind.DATA, GroupKind.PARAMETERS, GroupKind.EXPERT_DATA, GroupKind.REPLICAS,
        GroupKind.EXPERT_REPLICAS)) {
      if (grid.size(kind) > 1 && !execution.launchBlocking()) {
        int[] members = Arrays.stream(grid.members(kind, 0)).map(rank -> terminals[rank]).toArray();
        int node = cluster.node(members[0]);
        long here = Arrays.stream(members).filter(each -> cluster.node(each) == node).count();
        boolean near = here == members.length;
        int taken = Math.min(units / 2, near ? execution.collectiveUnits() * 3 / 2 : execution.collectiveUnits());
        double share = (double) (members.length - 1) / members.length;
        losses.put(kind, new Slowdown(
            share * perByte(cluster, members, near ? 1 : here) / (near ? NEAR_RATE : 1),
            (double) taken / (units - taken)));
      }
    }
    return new Contention(losses);
  }

  // The members on a node divide the bytes that leave it among them; the slowest link is the bottleneck.
  private static double perByte(Cluster cluster, int[] members, long ways) {
    int other = members[members.length - 1];
    long ps = Arrays.stream(cluster.route(members[0], other))
        .mapToLong(link -> cluster.linkModel(link).rate().wirePs(PROBE)).max().orElse(0);
    return ps / PS_PER_SECOND / PROBE / ways;
  }

  /** Slows the kernels of a pass by a collective that gathers or scatters a number of bytes. */
  void slow(StageOps ops, GroupKind kind, long bytes) {
    Slowdown loss = slowdowns.get(kind);
    if (loss != null) {
      ops.addContention(bytes * loss.secondsPerByte() * loss.share(), loss.share());
    }
  }

  /** Seconds that computation of a duration loses beside a collective that gathers or scatters a number of bytes. */
  double lostSeconds(GroupKind kind, long bytes, double computation) {
    Slowdown loss = slowdowns.get(kind);
    return loss == null ? 0 : loss.share() * Math.min(bytes * loss.secondsPerByte(), computation);
  }
}
