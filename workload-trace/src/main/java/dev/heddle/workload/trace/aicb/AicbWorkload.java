package dev.heddle.workload.trace.aicb;

import dev.heddle.collective.Group;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import dev.heddle.workload.trace.graph.GraphWorkload;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A script that all ranks follow, each with its own groups. */
record AicbWorkload(LayerScript script, GroupKind.Grid grid, DeviceKind participants) implements Workload {
  private static final GroupKind[] KINDS = GroupKind.values();

  @Override
  public WorkloadPlan plan(Cluster cluster) {
    int[] ranks = ranks(cluster);
    return WorkloadPlan.of(ranks, this::program).withGroups(groups(ranks, cluster)).withActivities(activities());
  }

  private int[] ranks(Cluster cluster) {
    return GraphWorkload.firstTerminals(cluster, participants, grid.ranks());
  }

  // Numbers of groups of different kinds differ modulo the number of kinds, so that no two of a pair of ranks share
  // tags; gaps are filled by groups of one.
  private List<Group> groups(int[] terminals, Cluster cluster) {
    int most = Arrays.stream(KINDS).mapToInt(grid::groups).max().orElseThrow();
    List<Group> groups = new ArrayList<>(Collections.nCopies(most * KINDS.length, Group.ofFirst(1)));
    for (GroupKind kind : KINDS) {
      Group[] all = grid.all(kind);
      for (int i = 0; i < all.length; i++) {
        groups.set(i * KINDS.length + kind.ordinal(), all[i]);
      }
    }
    return groups;
  }

  static List<Activity> activities() {
    Map<Integer, Activity> activities = new TreeMap<>();
    activities.put(LayerScript.COMPUTE, new Activity("compute", "Computation"));
    for (GroupKind kind : KINDS) {
      activities.put(1 + kind.ordinal(), new Activity(kind.id(), kind.title()));
    }
    return List.copyOf(activities.values());
  }

  private Program program(int rank, WorkloadContext context) {
    int[] groups = new int[KINDS.length];
    for (GroupKind kind : KINDS) {
      groups[kind.ordinal()] = grid.group(kind, rank) * KINDS.length + kind.ordinal();
    }
    return new Cursor(script, groups);
  }

  private static final class Cursor implements Program {
    private final LayerScript script;
    private final int[] groups;
    private final int[] at;

    Cursor(LayerScript script, int[] groups) {
      this.script = script;
      this.groups = groups;
      at = new int[script.streams()];
    }

    @Override
    public int streams() {
      return at.length;
    }

    @Override
    public boolean next(int stream, Operation operation) {
      if (at[stream] == script.length(stream)) {
        return false;
      }
      script.fill(stream, at[stream]++, groups, operation);
      return true;
    }
  }
}
