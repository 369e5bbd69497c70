package dev.heddle.standard.workload;

import com.google.common.collect.ImmutableList;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.collective.MessageLabel;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Plugin;
import dev.heddle.spi.Setting;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.spi.WorkloadProvider;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Provides several workloads at the same time, such as a collective and traffic that contends with it. A terminal that
 * takes part in several runs their streams concurrently.
 */
@Plugin(id = "concurrent",
    description = "Several workloads at the same time, such as a collective and competing traffic")
public final class ConcurrentWorkloadProvider implements WorkloadProvider<ConcurrentWorkloadProvider.Settings> {
  private static final int MOST = 8;
  private static final int TAGS = 1 << 20;
  private static final int SIGNALS = 1 << 12;

  /**
   * Which workloads.
   *
   * @param workloads at least 1, at most 8
   */
  public record Settings(@Setting("workloads that run at the same time, 1 to 8") List<Workload> workloads) {
    /** Copies the list. */
    public Settings {
      workloads = List.copyOf(workloads);
    }
  }

  @Override
  public Workload create(Settings settings) {
    if (settings.workloads().isEmpty() || settings.workloads().size() > MOST) {
      throw new InvalidSettingException("workloads", settings.workloads().size() + " workloads; 1 to " + MOST
          + " can run together");
    }
    List<Workload> workloads = ImmutableList.copyOf(settings.workloads());
    return cluster -> plan(workloads, cluster);
  }

  private static WorkloadPlan plan(List<Workload> workloads, Cluster cluster) {
    Concurrent plans = new Concurrent(
        workloads.stream().map(workload -> workload.plan(cluster)).collect(ImmutableList.toImmutableList()));
    return WorkloadPlan.of(plans.terminals, plans::program).withGroups(plans.groups())
        .withAllToAllVSizes(plans.plans.stream().flatMap(plan -> plan.allToAllVSizes().stream()).toList());
  }

  /** Plans of the workloads on one cluster, with the ranks of each in the whole. */
  private static final class Concurrent {
    private final List<WorkloadPlan> plans;
    private final int[] terminals;
    // The rank in the whole of each rank of a plan, and the rank in a plan of each rank of the whole, -1 for none.
    private final int[][] ranks;
    private final int[][] positions;
    private @Nullable WorkloadContext whole;
    private List<WorkloadContext> parts = List.of();

    Concurrent(List<WorkloadPlan> plans) {
      this.plans = plans;
      terminals = plans.stream().flatMapToInt(plan -> Arrays.stream(plan.ranks())).distinct().sorted().toArray();
      ranks = plans.stream()
          .map(plan -> Arrays.stream(plan.ranks()).map(own -> Arrays.binarySearch(terminals, own)).toArray())
          .toArray(int[][]::new);
      positions = Arrays.stream(ranks).map(this::inverse).toArray(int[][]::new);
    }

    private int[] inverse(int[] own) {
      int[] inverse = new int[terminals.length];
      Arrays.fill(inverse, -1);
      for (int position = 0; position < own.length; position++) {
        inverse[own[position]] = position;
      }
      return inverse;
    }

    private List<Group> groups() {
      List<Group> groups = new ArrayList<>();
      for (int number = 0; number < plans.size(); number++) {
        int[] own = ranks[number];
        for (Group group : plans.get(number).groups()) {
          groups.add(Group.of(Arrays.stream(group.members()).map(member -> own[member]).toArray()));
        }
      }
      return groups;
    }

    private Program program(int rank, WorkloadContext context) {
      List<WorkloadContext> contexts = contexts(context);
      List<Part> running = new ArrayList<>();
      int firstGroup = 0;
      int firstExchange = 0;
      for (int number = 0; number < plans.size(); number++) {
        WorkloadPlan plan = plans.get(number);
        int position = positions[number][rank];
        if (position >= 0) {
          Program program = plan.program(position, contexts.get(number));
          running.add(new Part(program, ranks[number], number, firstGroup, firstExchange));
        }
        firstGroup += plan.groups().size();
        firstExchange += plan.allToAllVSizes().size();
      }
      return new Streams(running);
    }

    // The contexts of the plans, one for all ranks of a run.
    private synchronized List<WorkloadContext> contexts(WorkloadContext context) {
      if (whole != context) {
        whole = context;
        parts = IntStream.range(0, plans.size())
            .mapToObj(number -> context.of(plans.get(number).ranks(), "together/" + number)).toList();
      }
      return parts;
    }
  }

  /** A workload's program on one rank, with the offsets of its numbers in the whole. */
  private record Part(Program program, int[] ranks, int number, int firstGroup, int firstExchange) {
    private boolean next(int stream, Operation operation) {
      if (!program.next(stream, operation)) {
        return false;
      }
      int label = operation.label();
      switch (operation.kind()) {
        case SEND -> {
          long lag = operation.timePs();
          long turn = operation.turnPs();
          operation.send(
              ranks[operation.peer()], operation.bytes(), tag(operation.tag(), TAGS), operation.trafficClass());
          treatAs(label, operation);
          operation.sendAfter(lag, turn);
        }
        case RECEIVE -> operation.receive(ranks[operation.peer()], tag(operation.tag(), TAGS));
        case GENERATE -> {
          operation.generate(
              operation.timePs(), ranks[operation.peer()], operation.bytes(), operation.trafficClass());
          treatAs(label, operation);
        }
        case SIGNAL -> operation.signal(tag(operation.tag(), SIGNALS));
        case AWAIT -> operation.await(tag(operation.tag(), SIGNALS), operation.bytes());
        case COLLECTIVE -> {
          collective(operation);
          treatAs(label, operation);
        }
        case COMPUTE -> {
        }
      }
      return true;
    }

    private static void treatAs(int label, Operation operation) {
      int bits = MessageLabel.networkBits(label);
      operation.onNetwork(MessageLabel.networkClass(bits), MessageLabel.labelledRoute(bits));
    }

    private void collective(Operation operation) {
      int group = firstGroup + operation.tag();
      if (operation.collectiveOp() == CollectiveOp.ALL_TO_ALL_V) {
        operation.allToAllV(group, firstExchange + operation.peer(), operation.bytes());
      } else {
        operation.collective(group, operation.collectiveOp(), operation.bytes(), operation.peer());
      }
    }

    private int tag(int own, int most) {
      if (own >= most) {
        throw new IllegalStateException("workloads that run together have tags and signals below " + most + ": " + own);
      }
      return own < 0 ? own : number * most + own;
    }
  }

  private static final class Streams implements Program {
    private final List<Part> parts;
    private final int[] partOf;
    private final int[] streamOf;

    Streams(List<Part> parts) {
      this.parts = parts;
      int count = parts.stream().mapToInt(part -> part.program().streams()).sum();
      partOf = new int[count];
      streamOf = new int[count];
      int at = 0;
      for (int part = 0; part < parts.size(); part++) {
        for (int stream = 0; stream < parts.get(part).program().streams(); stream++) {
          partOf[at] = part;
          streamOf[at++] = stream;
        }
      }
    }

    @Override
    public int streams() {
      return partOf.length;
    }

    @Override
    public boolean next(int stream, Operation operation) {
      return parts.get(partOf[stream]).next(streamOf[stream], operation);
    }

    @Override
    public boolean reactive() {
      return parts.stream().anyMatch(part -> part.program().reactive());
    }
  }
}
