package dev.heddle.workload.trace.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.DeviceKind;
import dev.heddle.standard.collective.RingAlgorithmProvider;
import dev.heddle.testkit.fixture.Fabrics;
import dev.heddle.testkit.fixture.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class GraphProgramTest {
  private static long run(List<OperationGraph> graphs, List<Group> groups) {
    GraphWorkload workload = new GraphWorkload(graphs, groups, DeviceKind.ACCELERATOR);
    return new Simulation("graph", Fabrics.oneNode(4), workload, SimulationOptions.defaults(), 1)
        .with(RingAlgorithmProvider.single())
        .at(Fidelity.FLOW).run().run().simulatedPs();
  }

  private static long run(GraphBuilder graph) {
    return run(List.of(graph.build(node -> "node " + node)), List.of());
  }

  @Test
  void shouldDoUnitsSideBySideWhenOperationsAreFree() {
    GraphBuilder graph = new GraphBuilder();
    graph.compute(0, 1000);
    graph.compute(0, 2000);
    graph.compute(3, 2500);
    assertThat(run(graph)).isEqualTo(3000);
  }

  @Test
  void shouldTakeFirstAddedWhenSeveralAreReady() {
    GraphBuilder graph = new GraphBuilder();
    int gate = graph.compute(1, 10);
    int early = graph.compute(0, 1000);
    int late = graph.compute(0, 100);
    int after = graph.compute(2, 5000);
    graph.after(early, gate);
    graph.after(late, gate);
    graph.after(after, late);
    assertThat(run(graph)).isEqualTo(10 + 1000 + 100 + 5000);
  }

  @Test
  void shouldNotWaitForWhatIsNotReadyWhenLaterOneIs() {
    GraphBuilder graph = new GraphBuilder();
    int blocked = graph.compute(0, 1000);
    graph.compute(0, 300);
    int gate = graph.compute(1, 200);
    graph.after(blocked, gate);
    assertThat(run(graph)).isEqualTo(1300);
  }

  @Test
  void shouldGoOnAtStartWhenOnlyStartIsRequired() {
    GraphBuilder graph = new GraphBuilder();
    int gate = graph.compute(0, 400);
    int first = graph.compute(0, 1000);
    int other = graph.compute(1, 100);
    graph.after(first, gate);
    graph.afterStart(other, first);
    int last = graph.compute(1, 2000);
    graph.after(last, other);
    assertThat(run(graph)).isEqualTo(400 + 100 + 2000);
  }

  @Test
  void shouldEndWhenNothingIsToBeDone() {
    GraphBuilder graph = new GraphBuilder();
    graph.after(graph.nothing(), graph.nothing());
    assertThat(run(graph)).isZero();
  }

  @Test
  void shouldMeetInOneOrderWhenGroupsHaveSeveralCollectives() {
    List<OperationGraph> graphs = new ArrayList<>();
    for (int rank = 0; rank < 4; rank++) {
      GraphBuilder graph = new GraphBuilder();
      int first = graph.collective(0, CollectiveOp.ALL_REDUCE, 1 << 20, 0);
      int gate = graph.compute(0, 1_000_000L * rank);
      int second = graph.collective(0, CollectiveOp.ALL_GATHER, 1 << 20, 0);
      graph.after(first, gate);
      graph.after(graph.compute(0, 5), second);
      graphs.add(graph.build(node -> "node " + node));
    }
    assertThat(run(graphs, List.of(Group.ofFirst(4)))).isGreaterThan(3_000_000);
  }

  @Test
  void shouldReceiveAllWhenMoreAreOpenThanOneStreamCanWaitFor() {
    int messages = 1500;
    GraphBuilder sender = new GraphBuilder();
    GraphBuilder receiver = new GraphBuilder();
    for (int tag = 0; tag < messages; tag++) {
      sender.send(1, 100, messages - 1 - tag);
      receiver.receive(0, tag);
    }
    long wire = run(List.of(sender.build(n -> ""), receiver.build(n -> "")), List.of());
    assertThat(wire).isGreaterThan(messages * 100 * 8 * 1000L / 128);
  }

  @Test
  void shouldReceiveInTurnWhenTagsAreEqual() {
    GraphBuilder sender = new GraphBuilder();
    GraphBuilder receiver = new GraphBuilder();
    for (int i = 0; i < 10; i++) {
      sender.send(1, 100, 7);
      receiver.receive(0, 7);
    }
    assertThat(run(List.of(sender.build(n -> ""), receiver.build(n -> "")), List.of())).isPositive();
  }

  @Test
  void shouldNameAnOperationOfTheCircleWhenOperationsWaitForEachOther() {
    GraphBuilder graph = new GraphBuilder();
    graph.compute(0, 1);
    int a = graph.compute(0, 1);
    int b = graph.compute(0, 1);
    int outside = graph.compute(0, 1);
    graph.after(a, b);
    graph.afterStart(b, a);
    graph.after(outside, b);
    assertThatThrownBy(() -> graph.build(node -> "node " + node)).isInstanceOf(TraceException.class)
        .hasMessageMatching("node [12] waits for itself.*");
  }

  static LongStream seeds() {
    return Seeds.several(200);
  }

  // Operations that become ready at one instant through one of no length could be taken in several orders, so there is
  // none.
  @ParameterizedTest
  @MethodSource("seeds")
  void shouldTakeAsLongAsListScheduleWhenUnitsAreFew(long seed) {
    Random random = new Random(seed);
    int size = 1 + random.nextInt(60);
    int processors = 1 + random.nextInt(3);
    GraphBuilder graph = new GraphBuilder();
    ListSchedule reference = new ListSchedule(size, processors);
    for (int node = 0; node < size; node++) {
      int processor = random.nextInt(processors);
      long ps = 1 + random.nextInt(1_000_000);
      graph.compute(processor, ps);
      reference.add(processor, ps);
      for (int i = random.nextInt(3); i > 0 && node > 0; i--) {
        int before = random.nextInt(node);
        graph.after(node, before);
        reference.require(node, before);
      }
    }
    assertThat(run(graph)).as("seed %s", seed).isEqualTo(reference.end());
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldTakeAsLongAsLongestPathWhenUnitsAreMany(long seed) {
    Random random = new Random(seed);
    int size = 1 + random.nextInt(60);
    GraphBuilder graph = new GraphBuilder();
    long[] start = new long[size];
    long[] end = new long[size];
    for (int node = 0; node < size; node++) {
      boolean nothing = random.nextInt(5) == 0;
      long ps = nothing || random.nextInt(4) == 0 ? 0 : random.nextInt(1000);
      int added = nothing ? graph.nothing() : graph.compute(node, ps);
      for (int i = random.nextInt(4); i > 0 && node > 0; i--) {
        int before = random.nextInt(node);
        boolean started = random.nextInt(3) == 0;
        if (started) {
          graph.afterStart(added, before);
        } else {
          graph.after(added, before);
        }
        start[node] = Math.max(start[node], started ? start[before] : end[before]);
      }
      end[node] = start[node] + ps;
    }
    assertThat(run(graph)).as("seed %s", seed).isEqualTo(Arrays.stream(end).max().orElseThrow());
  }

  /**
   * The same schedule by brute force: at every instant each free processor takes the first operation that may start.
   */
  private static final class ListSchedule {
    private final int[] processor;
    private final long[] ps;
    private final long[] start;
    private final long[] end;
    private final List<List<Integer>> requires = new ArrayList<>();
    private final int processors;
    private int size;

    ListSchedule(int size, int processors) {
      this.processors = processors;
      processor = new int[size];
      ps = new long[size];
      start = new long[size];
      end = new long[size];
      Arrays.fill(start, Long.MAX_VALUE);
      Arrays.fill(end, Long.MAX_VALUE);
    }

    void add(int of, long duration) {
      processor[size] = of;
      ps[size++] = duration;
      requires.add(new ArrayList<>());
    }

    void require(int node, int before) {
      requires.get(node).add(before);
    }

    private boolean may(int node, long now) {
      return start[node] == Long.MAX_VALUE && requires.get(node).stream().allMatch(before -> end[before] <= now);
    }

    long end() {
      PriorityQueue<Long> times = new PriorityQueue<>(Comparator.naturalOrder());
      times.add(0L);
      long last = 0;
      while (!times.isEmpty()) {
        long now = times.remove();
        last = Math.max(last, now);
        boolean any = true;
        while (any) {
          any = false;
          for (int node = 0; node < size; node++) {
            if (may(node, now) && unitIsFree(processor[node], now)) {
              start[node] = now;
              end[node] = now + ps[node];
              times.add(end[node]);
              any = true;
              break;
            }
          }
        }
      }
      return last;
    }

    private boolean unitIsFree(int of, long now) {
      for (int node = 0; node < size; node++) {
        if (processor[node] == of && start[node] <= now && end[node] > now) {
          return false;
        }
      }
      return of < processors;
    }
  }
}
