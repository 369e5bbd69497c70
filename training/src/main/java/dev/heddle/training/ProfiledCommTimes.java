package dev.heddle.training;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.fabric.Fabric;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.RankGrid;
import dev.heddle.workload.megatron.program.Iteration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Times of communication from a simulation of each kind in isolation, at flow fidelity on the job's own fabric. */
public final class ProfiledCommTimes implements CommunicationTimes {
  private final Fabric fabric;
  private final CollectiveAlgorithm algorithm;
  private final RankGrid grid;
  private final int[] terminals;
  private final Map<List<Object>, Long> known = new LinkedHashMap<>();
  private final Map<List<Object>, Integer> flows = new LinkedHashMap<>();

  /**
   * Prepares the times of a job.
   *
   * @param iteration of the job
   * @param fabric the machine
   * @param algorithm of the collectives
   */
  public ProfiledCommTimes(Iteration iteration, Fabric fabric, CollectiveAlgorithm algorithm) {
    this.fabric = fabric;
    this.algorithm = algorithm;
    grid = iteration.grid();
    terminals = iteration.terminals();
  }

  @Override
  public long collectivePs(GroupKind kind, int rank, CollectiveOp op, long bytes) {
    return known.computeIfAbsent(List.of(kind, op, bytes), key -> collective(kind, rank, op, bytes));
  }

  @Override
  public boolean near(GroupKind kind, int rank) {
    int[] members = grid.members(kind, rank);
    return Arrays.stream(members).allMatch(member -> fabric.sameNode(terminals[member], terminals[rank]));
  }

  // Each rank of an all_to_all sends one message; a pipelined collective leaves a node by each of its adapters, or
  // once.
  @Override
  public int flows(GroupKind kind, int rank, CollectiveOp op) {
    boolean exchange = op == CollectiveOp.ALL_TO_ALL || op == CollectiveOp.ALL_TO_ALL_V;
    return flows.computeIfAbsent(List.of(kind, exchange), key -> flows(kind, rank, exchange));
  }

  private int flows(GroupKind kind, int rank, boolean exchange) {
    int node = fabric.node(terminals[rank]);
    int adapters = Math.max(1, fabric.terminals(DeviceKind.NIC).length / fabric.nodes());
    int sum = 0;
    for (int[] group : groupsOnNodes(kind, rank)) {
      int here = (int) Arrays.stream(group).filter(member -> fabric.node(terminals[member]) == node).count();
      sum += exchange || here == group.length ? here : Math.min(here, adapters);
    }
    return Math.max(1, sum);
  }

  /** The placement of a group of a kind, on which its times depend besides operation and size. */
  Object shape(GroupKind kind, int rank) {
    return groupsOnNodes(kind, rank).stream().map(group -> Arrays.stream(group).boxed().toList()).toList();
  }

  private long collective(GroupKind kind, int rank, CollectiveOp op, long bytes) {
    return run(new IsolatedWorkload(groupsOnNodes(kind, rank), operation -> operation.collective(0, op, bytes, 0)));
  }

  // Groups of a kind that share a node with a rank's group.
  private List<int[]> groupsOnNodes(GroupKind kind, int rank) {
    Set<Integer> nodes = new LinkedHashSet<>();
    for (int member : grid.members(kind, rank)) {
      nodes.add(fabric.node(terminals[member]));
    }
    List<int[]> groups = new ArrayList<>();
    for (int other = 0; other < terminals.length; other++) {
      if (grid.first(kind, other) != other) {
        continue;
      }
      int[] members = grid.members(kind, other);
      boolean shares = Arrays.stream(members).anyMatch(member -> nodes.contains(fabric.node(terminals[member])));
      if (shares) {
        groups.add(members);
      }
    }
    return groups;
  }

  @Override
  public long messagePs(int rank, int peer, long bytes) {
    boolean near = fabric.sameNode(terminals[rank], terminals[peer]);
    return known.computeIfAbsent(List.of(near, bytes), key -> message(rank, peer, bytes));
  }

  /** The ranks on a rank's node that send to the next stage at the same time. */
  int[] senders(int rank) {
    return grid.concurrentSenders(rank, other -> fabric.node(terminals[other]));
  }

  private long message(int rank, int peer, long bytes) {
    List<int[]> pairs = new ArrayList<>();
    for (int sender : senders(rank)) {
      pairs.add(new int[] {sender, grid.atStage(sender, grid.stage(peer))});
    }
    return run(new IsolatedWorkload(pairs, operation -> operation.send(-1, bytes, 0, 0)));
  }

  private long run(IsolatedWorkload workload) {
    return new Simulation("isolated communication", fabric, workload, SimulationOptions.defaults(), 0)
        .at(Fidelity.FLOW).with(algorithm).timePs();
  }

  /** The operation of each member of a group, or of the sender of a pair. */
  private interface MemberOperation {
    void fill(Operation operation);
  }

  /**
   * A workload in which all groups perform one operation at the same time. Ranks are the members of the groups, group
   * by group.
   */
  private final class IsolatedWorkload implements Workload {
    private final List<int[]> groups;
    private final MemberOperation memberOperation;
    private final int[] members;

    IsolatedWorkload(List<int[]> groups, MemberOperation memberOperation) {
      this.groups = groups;
      this.memberOperation = memberOperation;
      members = groups.stream().flatMapToInt(Arrays::stream).toArray();
    }

    @Override
    public WorkloadPlan plan(Cluster cluster) {
      int[] ranks = ranks(cluster);
      return WorkloadPlan.of(ranks, this::program).withGroups(groups(ranks, cluster));
    }

    private int[] ranks(Cluster cluster) {
      return Arrays.stream(members).map(member -> terminals[member]).toArray();
    }

    private List<Group> groups(int[] ranks, Cluster cluster) {
      List<Group> numbered = new ArrayList<>();
      int next = 0;
      for (int[] group : groups) {
        int first = next;
        int[] positions = new int[group.length];
        Arrays.setAll(positions, i -> first + i);
        numbered.add(Group.of(positions));
        next += group.length;
      }
      return numbered;
    }

    private Program program(int rank, WorkloadContext context) {
      int before = 0;
      int number = 0;
      while (rank >= before + groups.get(number).length) {
        before += groups.get(number).length;
        number++;
      }
      return new SingleOperation(memberOperation, number, before, rank);
    }
  }

  /** A program of a single operation. */
  private static final class SingleOperation implements Program {
    private final MemberOperation memberOperation;
    private final int group;
    private final int first;
    private final int rank;
    private boolean done;

    SingleOperation(MemberOperation memberOperation, int group, int first, int rank) {
      this.memberOperation = memberOperation;
      this.group = group;
      this.first = first;
      this.rank = rank;
    }

    @Override
    public int streams() {
      return 1;
    }

    @Override
    public boolean next(int stream, Operation operation) {
      if (done) {
        return false;
      }
      done = true;
      memberOperation.fill(operation);
      if (operation.kind() == Operation.Kind.COLLECTIVE) {
        operation.collective(group, operation.collectiveOp(), operation.bytes(), 0);
      } else if (rank == first) {
        operation.send(first + 1, operation.bytes(), 0, 0);
      } else {
        operation.receive(first, 0);
      }
      return true;
    }
  }
}
