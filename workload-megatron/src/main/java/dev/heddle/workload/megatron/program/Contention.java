package dev.heddle.workload.megatron.program;

import dev.heddle.spi.Cluster;
import dev.heddle.workload.megatron.parallel.Execution;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.RankGrid;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/**
 * Time that computation loses to the collectives of parameters and gradients beside it: their thread blocks occupy
 * compute units for as long as the links carry the collective, and the others do the work of all.
 */
final class Contention {
  /** No loss. */
  static final Contention NONE = new Contention(Map.of());
  private static final double PS_PER_SECOND = 1e12;
  private static final long PROBE = 1 << 30;

  private final Map<GroupKind, Loss> losses;

  /**
   * The loss to one kind of group.
   *
   * @param secondsPerByte that the links take
   * @param share by which kernels take longer meanwhile
   */
  private record Loss(double secondsPerByte, double share) {}

  private Contention(Map<GroupKind, Loss> losses) {
    this.losses = losses;
  }

  /**
   * The loss of a job's ranks.
   *
   * @param execution with the units that a collective occupies
   * @param grid of the ranks
   * @param cluster the machine
   * @param terminals of the ranks
   */
  static Contention of(Execution execution, RankGrid grid, Cluster cluster, int[] terminals) {
    int units = cluster.accelerator(terminals[0]).orElseThrow().computeUnits();
    Map<GroupKind, Loss> losses = new EnumMap<>(GroupKind.class);
    for (GroupKind kind : new GroupKind[] {GroupKind.DATA, GroupKind.PARAMETERS, GroupKind.EXPERT_DATA}) {
      if (grid.size(kind) > 1 && !execution.launchBlocking()) {
        int[] members = Arrays.stream(grid.members(kind, 0)).map(rank -> terminals[rank]).toArray();
        int node = cluster.node(members[0]);
        long here = Arrays.stream(members).filter(each -> cluster.node(each) == node).count();
        boolean near = here == members.length;
        int taken = Math.min(units / 2, near ? execution.collectiveUnits() * 3 / 2 : execution.collectiveUnits());
        double share = (double) (members.length - 1) / members.length;
        losses.put(kind, new Loss(
            share * perByte(cluster, members, near ? 1 : here), (double) taken / (units - taken)));
      }
    }
    return new Contention(losses);
  }

  // Pipelines leave a node once for each of its members, which divide the bytes; the slowest link sets the pace.
  private static double perByte(Cluster cluster, int[] members, long ways) {
    int other = members[members.length - 1];
    long ps = Arrays.stream(cluster.route(members[0], other))
        .mapToLong(link -> cluster.linkModel(link).rate().wirePs(PROBE)).max().orElse(0);
    return ps / PS_PER_SECOND / PROBE / ways;
  }

  /** Makes the kernels of a pass lose time to a collective that gathers or scatters so many bytes. */
  void lose(StageOps pieces, GroupKind kind, long bytes) {
    Loss loss = losses.get(kind);
    if (loss != null) {
      pieces.lose(bytes * loss.secondsPerByte() * loss.share(), loss.share());
    }
  }
}
