package dev.heddle.workload.trace.export;

import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.collective.Schedule;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.workload.trace.graph.TraceException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A workload on a machine: its ranks' operations, one rank at a time, and how their collectives are done. */
public final class ExportedJob {
  private final WorkloadPlan plan;
  private final Cluster cluster;
  private final CollectiveAlgorithm algorithm;
  private final int[] terminals;
  private final List<Group> groups;
  private final List<Collective> exchanges;
  private final WorkloadContext context;
  private final long limit;
  private final Map<OperationNode, Schedule> schedules = new LinkedHashMap<>();

  /**
   * Asks for the participants.
   *
   * @param workload the exported workload
   * @param cluster the machine, on which groups and times may depend
   * @param algorithm of collectives, for formats that have none
   * @param context of programs: the machine, the ranks, the seed, the end
   * @param limit the most operations of a rank
   */
  public ExportedJob(Workload workload, Cluster cluster, CollectiveAlgorithm algorithm, WorkloadContext context,
      long limit) {
    this.cluster = cluster;
    this.algorithm = algorithm;
    this.context = context;
    this.limit = limit;
    plan = workload.plan(cluster);
    terminals = plan.ranks();
    groups = plan.groups();
    exchanges = plan.allToAllVSizes();
  }

  /** The number of ranks. */
  public int ranks() {
    return terminals.length;
  }

  /** The groups, by number. */
  List<Group> groups() {
    return groups;
  }

  /**
   * The operations of a rank.
   *
   * @throws TraceException when a trace cannot hold them
   */
  RankOperations operations(int rank) {
    return ProgramReader.read(plan.program(rank, context), rank, limit);
  }

  /** The schedule of a collective; its ranks are the group's members in order. */
  Schedule schedule(OperationNode call) {
    // The schedule is the same for every stream and processor.
    return schedules.computeIfAbsent(
        new OperationNode(call.kind(), 0, call.amount(), call.peer(), call.number(), call.op()), this::plan);
  }

  private Schedule plan(OperationNode call) {
    Group group = groups.get(call.number());
    int[] members = new int[group.size()];
    for (int i = 0; i < members.length; i++) {
      members[i] = terminals[group.member(i)];
    }
    Collective collective = call.op() == CollectiveOp.ALL_TO_ALL_V
        ? exchanges.get(call.peer()) : Collective.of(call.op(), members.length, call.amount(), call.peer());
    Schedule schedule = algorithm.communicator(cluster, Group.of(members)).plan(collective).schedule();
    if (!schedule.aggregators().isEmpty()) {
      throw new TraceException(schedule + " lets switches add, which no message between ranks can say; choose another"
          + " algorithm");
    }
    return schedule;
  }
}
