package dev.heddle.workload.trace.graph;

import dev.heddle.collective.Group;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.workload.Program;
import java.util.Arrays;
import java.util.List;

/**
 * A graph of operations per rank; the ranks are the first terminals of a kind.
 *
 * @param graphs of the ranks
 * @param collectiveGroups by number
 * @param participants kind of the terminals
 */
public record GraphWorkload(List<OperationGraph> graphs, List<Group> collectiveGroups, DeviceKind participants)
    implements Workload {
  /** Copies the lists. */
  public GraphWorkload {
    graphs = List.copyOf(graphs);
    collectiveGroups = List.copyOf(collectiveGroups);
  }

  @Override
  public WorkloadPlan plan(Cluster cluster) {
    int[] ranks = ranks(cluster);
    return WorkloadPlan.of(ranks, this::program).withGroups(groups(ranks, cluster)).withActivities(activities());
  }

  private int[] ranks(Cluster cluster) {
    return firstTerminals(cluster, participants, graphs.size());
  }

  /**
   * The terminals of a file's ranks: the first of their kind.
   *
   * @throws InvalidSettingException when the cluster has fewer
   */
  public static int[] firstTerminals(Cluster cluster, DeviceKind kind, int ranks) {
    int[] present = cluster.terminals(kind);
    if (present.length < ranks) {
      throw new InvalidSettingException("file", "has " + ranks + " ranks, but the cluster has " + present.length
          + " terminals of the kind " + kind.key());
    }
    return Arrays.copyOf(present, ranks);
  }

  private List<Group> groups(int[] terminals, Cluster cluster) {
    return collectiveGroups;
  }

  private List<Activity> activities() {
    return graphs.stream().anyMatch(graph -> graph.computes) ? TraceActivities.ALL : List.of();
  }

  private Program program(int rank, WorkloadContext context) {
    return graphs.get(rank).program();
  }
}
