package dev.heddle.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.primitives.Ints;
import dev.heddle.results.Results.Metric;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadContext;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.spi.WorkloadProvider;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.testkit.fixture.Seeds;
import dev.heddle.units.SimTime;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * The rules of {@link Workload} and of the {@link Program}s that it makes.
 *
 * @param <S> the settings record
 */
public abstract class WorkloadContract<S extends Record> extends ProviderContract<S, Workload> {
  private static final int MOST_OPERATIONS = 20_000;
  private static final long ALLOCATION_SLACK_BYTES = 4096;

  /** The machine that a workload of these settings runs on; four nodes of four accelerators unless overridden. */
  protected Cluster cluster(S settings) {
    return Fabrics.nodesOnStars(4, 4);
  }

  /** When open-loop generation ends; 1 ms unless overridden. */
  protected SimTime end() {
    return SimTime.parse("1 ms");
  }

  /** Whether {@link Program#next} allocates nothing, as PROGRAM-4 wishes; a program that cannot keep it declines. */
  protected boolean allocationFree() {
    return true;
  }

  /** One operation as a value. */
  private record Step(Operation.Kind kind, int peer, int tag, int trafficClass, long bytes, long timePs) {
    // Only the fields of the operation's kind: the reusable operation keeps the other fields of the one before.
    static Step of(Operation operation) {
      return switch (operation.kind()) {
        case COMPUTE -> new Step(operation.kind(), 0, 0, 0, 0, operation.timePs());
        case SEND -> new Step(
            operation.kind(), operation.peer(), operation.tag(), operation.trafficClass(), operation.bytes(), 0);
        case RECEIVE -> new Step(operation.kind(), operation.peer(), operation.tag(), 0, 0, 0);
        case GENERATE -> new Step(
            operation.kind(), operation.peer(), 0, operation.trafficClass(), operation.bytes(), operation.timePs());
        case SIGNAL -> new Step(operation.kind(), 0, operation.tag(), 0, 0, 0);
        case AWAIT -> new Step(operation.kind(), 0, operation.tag(), 0, operation.bytes(), 0);
        case COLLECTIVE -> new Step(
            operation.kind(), operation.peer(), operation.tag(), operation.collectiveOp().ordinal(), operation.bytes(),
            0);
      };
    }

    // The step with places in a template in place of the numbers of peer and group.
    Step within(Program.Template template) {
      int place = hasPeer(kind) ? Ints.indexOf(template.peers(), peer)
          : kind == Operation.Kind.COLLECTIVE ? Ints.indexOf(template.groups(), tag) : 0;
      assertThat(place).as("place in the template of the peer or group of %s", this).isNotNegative();
      return hasPeer(kind) ? new Step(kind, place, tag, trafficClass, bytes, timePs)
          : kind == Operation.Kind.COLLECTIVE ? new Step(kind, peer, place, trafficClass, bytes, timePs) : this;
    }
  }

  /** Reads a program's streams; those of a reactive one only when the signals that they wait for have been raised. */
  private static final class Walk {
    private final Program program;
    private final Operation[] operations;
    private final long[] signals = new long[1 << 16];

    Walk(Program program) {
      this.program = program;
      operations = new Operation[program.streams()];
      Arrays.setAll(operations, stream -> new Operation());
    }

    boolean next(int stream) {
      Operation last = operations[stream];
      if (program.reactive() && last.kind() == Operation.Kind.AWAIT && signals[last.tag()] < last.bytes()) {
        return false;
      }
      boolean more = program.next(stream, last);
      if (more && last.kind() == Operation.Kind.SIGNAL) {
        signals[last.tag()]++;
      }
      return more;
    }
  }

  private interface Rule<S> {
    void check(S settings, WorkloadContext context, Workload workload);
  }

  @Test
  void workload1ShouldNameDistinctTerminalsAlikeAtEveryCall() {
    for (S settings : settings()) {
      Cluster cluster = cluster(settings);
      int[] ranks = product(settings).plan(cluster).ranks();
      assertThat(ranks).as("ranks of %s", settings).isNotEmpty().doesNotHaveDuplicates();
      assertThat(Arrays.stream(ranks)).as("terminals").allMatch(t -> t >= 0 && t < cluster.terminals());
      assertThat(product(settings).plan(cluster).ranks()).as("made again").isEqualTo(ranks);
    }
  }

  @Test
  void workload5ShouldHaveTheActivitiesAndMetricsThatTheProviderDeclares() {
    WorkloadProvider<S> provider = (WorkloadProvider<S>) provider();
    List<Metric> declared = provider.metrics().stream().map(WorkloadContract::named).toList();
    for (S settings : settings()) {
      WorkloadPlan plan = product(settings).plan(cluster(settings));
      assertThat(provider.activities()).as("activities of %s", settings).containsAll(plan.activities());
      assertThat(plan.metrics(1)).as("metrics of %s", settings)
          .allSatisfy(metric -> assertThat(declared).contains(named(metric)));
    }
  }

  private static Metric named(Metric metric) {
    return new Metric(metric.id(), metric.title(), metric.unit(), 0);
  }

  @Test
  void workload2ShouldProgramAlikeInWhicheverOrderRanksAreAsked() {
    forAll((settings, context, workload) -> {
      List<List<List<Step>>> oneByOne = new ArrayList<>();
      for (int rank = 0; rank < context.ranks(); rank++) {
        oneByOne.add(drain(workload.plan(context.cluster()).program(rank, context), MOST_OPERATIONS));
      }
      Workload again = product(settings);
      for (int rank = context.ranks() - 1; rank >= 0; rank--) {
        assertThat(drain(again.plan(context.cluster()).program(rank, context), MOST_OPERATIONS))
            .as("rank %s asked in reverse, %s", rank, settings)
            .isEqualTo(oneByOne.get(rank));
      }
      if (!workload.plan(context.cluster()).program(0, context).reactive()) {
        assertThat(drainTogether(product(settings), context)).as("asked in turn, %s", settings).isEqualTo(oneByOne);
      }
    });
  }

  @Test
  void workload2ShouldProgramAlikeForEqualContexts() {
    forAll((settings, context, workload) -> {
      WorkloadContext equal = context(settings, workload, Seeds.fixed());
      assertThat(drain(workload.plan(context.cluster()).program(0, equal), MOST_OPERATIONS))
          .as("%s", settings)
          .isEqualTo(drain(workload.plan(context.cluster()).program(0, context), MOST_OPERATIONS));
    });
  }

  @Test
  void workload3ShouldMatchEverySendWithReceiveWhenItEnds() {
    forAll((settings, context, workload) -> {
      Map<String, Integer> open = new TreeMap<>();
      boolean ended = true;
      for (int rank = 0; rank < context.ranks(); rank++) {
        for (List<Step> stream : drain(workload.plan(context.cluster()).program(rank, context), MOST_OPERATIONS)) {
          ended &= stream.size() < MOST_OPERATIONS;
          for (Step step : stream) {
            if (step.kind() == Operation.Kind.SEND && step.tag() != Operation.ONE_SIDED) {
              open.merge(rank + " to " + step.peer() + " tag " + step.tag(), 1, Integer::sum);
            } else if (step.kind() == Operation.Kind.RECEIVE) {
              open.merge(step.peer() + " to " + rank + " tag " + step.tag(), -1, Integer::sum);
            }
          }
        }
      }
      if (ended) {
        assertThat(open.values()).as("sends less receives of %s: %s", settings, open).allMatch(count -> count == 0);
      }
    });
  }

  @Test
  void workload4ShouldSendToOtherRanksOnly() {
    forAllSteps((rank, step, context) -> {
      if (hasPeer(step.kind())) {
        assertThat(step.peer()).as("peer of rank %s: %s", rank, step).isBetween(0, context.ranks() - 1)
            .isNotEqualTo(rank);
      }
    });
  }

  @Test
  void program1ShouldHaveConstantStreams() {
    forAll((settings, context, workload) -> {
      Program program = workload.plan(context.cluster()).program(0, context);
      int streams = program.streams();
      assertThat(streams).as("%s", settings).isPositive();
      drain(program, 100);
      assertThat(program.streams()).as("%s, later", settings).isEqualTo(streams);
    });
  }

  @Test
  void program3ShouldStayEndedWhenItHasEnded() {
    forAll((settings, context, workload) -> {
      Program program = workload.plan(context.cluster()).program(0, context);
      List<List<Step>> steps = drain(program, MOST_OPERATIONS);
      for (int stream = 0; stream < program.streams(); stream++) {
        for (int i = 0; i < 10 && steps.get(stream).size() < MOST_OPERATIONS; i++) {
          assertThat(program.next(stream, new Operation())).as("stream %s of %s", stream, settings).isFalse();
        }
      }
    });
  }

  @Test
  void program4ShouldAllocateNothingUnlessDeclined() {
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    forAll((settings, context, workload) -> {
      Program program = workload.plan(context.cluster()).program(0, context);
      Walk walk = new Walk(program);
      advance(program, walk, 1000);
      long before = threads.getCurrentThreadAllocatedBytes();
      int advanced = advance(program, walk, 10_000);
      long allocated = threads.getCurrentThreadAllocatedBytes() - before;
      if (advanced > 0 && allocationFree()) {
        assertThat(allocated).as("bytes for %s operations of %s", advanced, settings)
            .isLessThan(ALLOCATION_SLACK_BYTES);
      }
    });
  }

  @Test
  void program5ShouldDoTheSameButForPeersAndGroupsWhenOperationsOfTemplatesAreEqual() {
    forAll((settings, context, workload) -> {
      Map<Object, List<List<Step>>> known = new LinkedHashMap<>();
      for (int rank = 0; rank < context.ranks(); rank++) {
        Program program = workload.plan(context.cluster()).program(rank, context);
        Optional<Program.Template> template = program.template();
        if (template.isPresent()) {
          List<List<Step>> steps = drain(program, MOST_OPERATIONS).stream()
              .map(stream -> stream.stream().map(step -> step.within(template.get())).toList()).toList();
          assertThat(known.computeIfAbsent(template.get().operations(), first -> steps))
              .as("rank %s of %s", rank, settings).isEqualTo(steps);
        }
      }
    });
  }

  private static int advance(Program program, Walk walk, int most) {
    int advanced = 0;
    boolean any = true;
    while (any && advanced < most) {
      any = false;
      for (int stream = 0; stream < (program.reactive() ? program.streams() : 1); stream++) {
        while (advanced < most && walk.next(stream)) {
          advanced++;
          any = true;
        }
      }
    }
    return advanced;
  }

  @Test
  void operationsShouldBeInRange() {
    forAllSteps((rank, step, context) -> {
      assertThat(step.trafficClass()).as("traffic class: %s", step).isBetween(0, 7);
      assertThat(step.timePs()).as("time: %s", step).isNotNegative();
      assertThat(step.tag()).as("tag or signal: %s", step)
          .isGreaterThanOrEqualTo(step.kind() == Operation.Kind.SEND ? Operation.ONE_SIDED : 0);
      assertThat(step.bytes()).as("bytes: %s", step)
          .isGreaterThanOrEqualTo(step.kind() == Operation.Kind.GENERATE ? 1 : 0);
    });
  }

  @Test
  void operationsShouldBeGeneratedInOrderOfTimeBeforeTheEnd() {
    forAll((settings, context, workload) -> {
      for (int rank = 0; rank < context.ranks(); rank++) {
        for (List<Step> stream : drain(workload.plan(context.cluster()).program(rank, context), MOST_OPERATIONS)) {
          long[] times =
              stream.stream().filter(s -> s.kind() == Operation.Kind.GENERATE).mapToLong(Step::timePs).toArray();
          assertThat(times).as("times of rank %s, %s", rank, settings).isSorted();
          assertThat(Arrays.stream(times)).as("times before the end").allMatch(t -> t <= context.end().ps());
        }
      }
    });
  }

  private interface StepRule {
    void check(int rank, Step step, WorkloadContext context);
  }

  private void forAllSteps(StepRule rule) {
    forAll((settings, context, workload) -> {
      for (int rank = 0; rank < context.ranks(); rank++) {
        for (List<Step> stream : drain(workload.plan(context.cluster()).program(rank, context), MOST_OPERATIONS)) {
          for (Step step : stream) {
            rule.check(rank, step, context);
          }
        }
      }
    });
  }

  private static boolean hasPeer(Operation.Kind kind) {
    return kind == Operation.Kind.SEND || kind == Operation.Kind.RECEIVE || kind == Operation.Kind.GENERATE;
  }

  private void forAll(Rule<S> rule) {
    for (S settings : settings()) {
      Workload workload = product(settings);
      rule.check(settings, context(settings, workload, Seeds.fixed()), workload);
    }
  }

  private WorkloadContext context(S settings, Workload workload, long seed) {
    Cluster cluster = cluster(settings);
    return new WorkloadContext(cluster, workload.plan(cluster).ranks(), seed, end());
  }

  private static List<List<Step>> drain(Program program, int most) {
    List<List<Step>> streams = new ArrayList<>();
    for (int stream = 0; stream < program.streams(); stream++) {
      streams.add(new ArrayList<>());
    }
    Walk walk = new Walk(program);
    boolean any = true;
    while (any) {
      any = false;
      for (int stream = 0; stream < program.streams(); stream++) {
        List<Step> steps = streams.get(stream);
        while (steps.size() < most && walk.next(stream)) {
          steps.add(Step.of(walk.operations[stream]));
          any = true;
        }
      }
    }
    return streams;
  }

  private static List<List<List<Step>>> drainTogether(Workload workload, WorkloadContext context) {
    List<Program> programs = new ArrayList<>();
    List<List<List<Step>>> steps = new ArrayList<>();
    for (int rank = 0; rank < context.ranks(); rank++) {
      programs.add(workload.plan(context.cluster()).program(rank, context));
      List<List<Step>> streams = new ArrayList<>();
      for (int stream = 0; stream < programs.get(rank).streams(); stream++) {
        streams.add(new ArrayList<>());
      }
      steps.add(streams);
    }
    Operation operation = new Operation();
    boolean any = true;
    while (any) {
      any = false;
      for (int rank = 0; rank < context.ranks(); rank++) {
        for (int stream = programs.get(rank).streams() - 1; stream >= 0; stream--) {
          List<Step> own = steps.get(rank).get(stream);
          if (own.size() < MOST_OPERATIONS && programs.get(rank).next(stream, operation)) {
            own.add(Step.of(operation));
            any = true;
          }
        }
      }
    }
    return steps;
  }
}
