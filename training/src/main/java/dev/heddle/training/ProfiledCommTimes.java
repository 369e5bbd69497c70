package dev.heddle.training;

import com.google.common.collect.ImmutableList;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.fabric.Fabric;
import dev.heddle.network.Measurements;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectiveAlgorithm;
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
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/** Times of communication from a simulation of each kind in isolation, at flow fidelity on the job's own fabric. */
public final class ProfiledCommTimes implements CommunicationTimes {
  private final Fabric fabric;
  private final CollectiveAlgorithm algorithm;
  private final RankGrid grid;
  private final int[] terminals;
  private final Map<List<Object>, Long> known = new LinkedHashMap<>();
  private final Map<List<Object>, Placed> placed = new LinkedHashMap<>();
  private final Map<List<Object>, LinkUse> uses = new LinkedHashMap<>();
  private final JobPlacement placement;
  private final NodeLinks links;

  /** Time and use of links of communication in one placement. */
  private record Placed(long ps, LinkUse use) {}

  /**
   * Prepares the times of a job.
   *
   * @param iteration of the job
   * @param fabric the machine
   * @param algorithm of the collectives
   */
  public ProfiledCommTimes(Iteration iteration, Fabric fabric, CollectiveAlgorithm algorithm) {
    this(iteration, fabric, new SharedCommunicators(algorithm), new NodeLinks(fabric));
  }

  /** The times of a job on a machine whose communicators and places of links jobs share. */
  ProfiledCommTimes(Iteration iteration, Fabric fabric, SharedCommunicators algorithm, NodeLinks links) {
    this.fabric = fabric;
    this.algorithm = algorithm;
    grid = iteration.grid();
    terminals = iteration.terminals();
    placement = new JobPlacement(fabric, grid, terminals);
    this.links = links;
  }

  @Override
  public long collectivePs(GroupKind kind, int rank, CollectiveOp op, long bytes) {
    return known.computeIfAbsent(List.of(kind, grid.stage(rank), op, bytes),
        key -> longestPs(placed(kind, rank, op, bytes)));
  }

  @Override
  public LinkUse use(GroupKind kind, int rank, CollectiveOp op, long bytes) {
    return uses.computeIfAbsent(List.of(kind, grid.stage(rank), op, bytes),
        key -> placed(kind, rank, op, bytes).get(0).use());
  }

  private List<Placed> placed(GroupKind kind, int rank, CollectiveOp op, long bytes) {
    return placed(List.of(op, bytes), placement.groups(kind, grid.stage(rank)),
        operation -> operation.collective(0, op, bytes, 0));
  }

  // The slowest placement holds the others up.
  private static long longestPs(List<Placed> placements) {
    return placements.stream().mapToLong(Placed::ps).max().orElse(0);
  }

  /**
   * Whether pipeline stages share links by which nodes send. Their collectives are then timed as if all ran at once,
   * which holds where none waits for another.
   */
  public boolean stagesShareLinks() {
    return placement.stagesShareLinks();
  }

  /**
   * The placements of a stage's groups of a kind, on which their times depend besides operation and size, and on the
   * first of them the use of links.
   */
  Object shape(GroupKind kind, int rank) {
    return List.copyOf(placement.groups(kind, grid.stage(rank)).keySet());
  }

  /** The placements of a stage's messages to another, on which their times depend besides the size. */
  Object messageShape(int rank, int peer) {
    return placement.messages(grid.stage(rank), grid.stage(peer)).keySet();
  }

  @Override
  public long messagePs(int rank, int peer, long bytes) {
    return known.computeIfAbsent(List.of(grid.stage(rank), grid.stage(peer), bytes),
        key -> longestPs(placed(List.of(bytes), placement.messages(grid.stage(rank), grid.stage(peer)),
            operation -> operation.send(-1, bytes, 0, 0))));
  }

  // Communication in its placements, which other stages have in common. Placements do not depend on one another: those
  // that are not known are simulated side by side.
  private List<Placed> placed(
      List<Object> call, Map<List<Integer>, List<int[]>> placements, MemberOperation operation) {
    Map<List<Object>, Supplier<Placed>> unknown = new LinkedHashMap<>();
    List<List<Object>> keys = new ArrayList<>();
    placements.forEach((shape, groups) -> {
      List<Object> key = ImmutableList.builder().addAll(call).add(shape).build();
      keys.add(key);
      if (!placed.containsKey(key)) {
        unknown.put(key, () -> run(new IsolatedWorkload(groups, operation)));
      }
    });
    placed.putAll(SideBySide.results(unknown));
    return keys.stream().map(key -> Objects.requireNonNull(placed.get(key))).toList();
  }

  private Placed run(IsolatedWorkload workload) {
    Measurements run =
        new Simulation("isolated communication", fabric, workload, SimulationOptions.defaults(), 0)
            .at(Fidelity.FLOW).with(algorithm).measurements();
    return new Placed(run.endPs(), LinkUse.of(run, links));
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
