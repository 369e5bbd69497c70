package dev.heddle.network.packet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collective.Group;
import dev.heddle.fabric.Fabric;
import dev.heddle.observe.ActivityObserver;
import dev.heddle.results.Results;
import dev.heddle.results.Results.Metric;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.sim.SimulationOptions.Memoization;
import dev.heddle.spi.Cluster;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.DeviceKind;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Workload;
import dev.heddle.spi.WorkloadPlan;
import dev.heddle.standard.collective.RingAlgorithmProvider;
import dev.heddle.units.RandomStream;
import dev.heddle.units.SimTime;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Calls on random machines whose members begin at random times, replayed from records of other times: nearly all runs
 * have every end within the error that they state, which is an estimate, as messages may change their order.
 */
class MovedReplayTest {
  private static final int CALLS = 12;
  private static final SimulationOptions EXACT = SimulationOptions.defaults();
  private static final Outcome ALONE = new Outcome();
  private static final Outcome BESIDE_MESSAGES = new Outcome();

  /** The runs so far. */
  private static final class Outcome {
    private int runs;
    private int within;
    private double moved;

    void shouldHaveMovedCalls(double leastShare) {
      assertThat(moved).as("calls replayed from records of other begins").isGreaterThan(100);
      assertThat(within).as("runs of %d whose times are all within the estimate", runs)
          .isGreaterThanOrEqualTo((int) (leastShare * runs));
    }
  }

  @AfterAll
  static void shouldHaveMovedCalls() {
    if (!Fixtures.replaysOneSeed()) {
      ALONE.shouldHaveMovedCalls(0.95);
      BESIDE_MESSAGES.shouldHaveMovedCalls(0.9);
    }
  }

  static LongStream seeds() {
    return Fixtures.seeds(9000, 30);
  }

  /** The ends of all that ranks spend time on, by rank and stream. */
  private static final class Ends implements ActivityObserver {
    final Map<List<Integer>, List<Long>> of = new TreeMap<>((one, other) -> one.get(0).equals(other.get(0))
        ? one.get(1).compareTo(other.get(1)) : one.get(0).compareTo(other.get(0)));

    @Override
    public void spent(int rank, int stream, Operation operation, long startPs, long endPs) {
      assertThat(endPs).as("end of an operation of rank %d", rank).isGreaterThanOrEqualTo(startPs);
      of.computeIfAbsent(List.of(rank, stream), key -> new ArrayList<>()).add(endPs);
    }

    /** The greatest difference of an end. */
    long from(Ends other) {
      assertThat(of.keySet()).isEqualTo(other.of.keySet());
      long most = 0;
      for (Map.Entry<List<Integer>, List<Long>> each : of.entrySet()) {
        List<Long> others = other.of.getOrDefault(each.getKey(), List.of());
        assertThat(each.getValue()).hasSameSizeAs(others);
        for (int i = 0; i < others.size(); i++) {
          most = Math.max(most, Math.abs(each.getValue().get(i) - others.get(i)));
        }
      }
      return most;
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldKeepTimesNearWhenMembersBeginAtOtherTimes(long seed) {
    shouldEndAlike(seed, ALONE);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldKeepTimesNearWhenMessagesComeToCallsAtOtherTimes(long seed) {
    shouldEndAlike(seed, BESIDE_MESSAGES);
  }

  private static void shouldEndAlike(long seed, Outcome outcome) {
    RandomStream random = RandomStream.of(seed, "moved", "shape");
    Fabric fabric = MemoizationTest.machine(random);
    CollectiveAlgorithm algorithm = MemoizationTest.algorithm(random);
    int jitterPs = 1 + random.nextInt(2_000_000);
    // Ranks send a step before they receive one, so that its slices must fit the window.
    Workload workload = new Calls(seed, jitterPs, 1000L << random.nextInt(7), outcome == BESIDE_MESSAGES);
    SimulationOptions options = EXACT.memoizationTolerance(SimTime.ofPs(jitterPs));
    Ends exact = new Ends();
    Ends near = new Ends();
    Results full = new Simulation("run", fabric, workload, EXACT, seed).with(algorithm).run(null, exact);
    Simulation replaying = new Simulation("run", fabric, workload, options, seed).with(algorithm);
    Results replayed = replaying.run(null, near);

    assertThat(replaying.run()).as("the same run again, seed %d", seed).isEqualTo(replayed);
    assertThat(metric(replayed, "messages.delivered")).isEqualTo(metric(full, "messages.delivered"));
    assertThat(replayed.run().simulatedPs()).as("time of the run, seed %d", seed)
        .isCloseTo(full.run().simulatedPs(), withinPercentage(0.5));
    outcome.runs++;
    outcome.moved += metric(replayed, "memoization.moved");
    outcome.within += near.from(exact) <= Math.round(metric(replayed, "memoization.error") * 1e6) ? 1 : 0;
  }

  private static double metric(Results results, String id) {
    return results.metric(id).map(Metric::value).orElseThrow();
  }

  // Calls of two groups of four ranks one after the other, of which the last rank is late.
  private static Simulation late(SimulationOptions options, long firstPs, long secondPs) {
    Workload calls = cluster -> WorkloadPlan.of(
        cluster.terminals(DeviceKind.ACCELERATOR), (rank, context) -> new Fixtures.Steps(List.of(List.of(
            operation -> operation.compute(
                rank < 4 ? 1_000_000 + (rank == 3 ? firstPs : 0) : 9_000_000_000L + (rank == 7 ? secondPs : 0)),
            operation -> operation.collective(rank / 4, CollectiveOp.ALL_REDUCE, 8_000_000, 0)))))
        .withGroups(List.of(Group.of(0, 1, 2, 3), Group.of(4, 5, 6, 7)));
    return new Simulation("run", Fixtures.fastNode(8), calls, options, 1)
        .with(new RingAlgorithmProvider().create(new RingAlgorithmProvider.Settings(1, 1)));
  }

  @Test
  void shouldLayARecordMidwayBetweenTheExtremesOfBegins() {
    long differencePs = 400_000;
    SimulationOptions options = EXACT.memoizationTolerance(SimTime.ofPs(differencePs));
    Results exact = late(EXACT, 2_000_000, 2_000_000 + differencePs).run();
    Results replayed = late(options, 2_000_000, 2_000_000 + differencePs).run();
    assertThat(metric(replayed, "memoization.moved")).isEqualTo(1);
    assertThat(metric(replayed, "memoization.error") * 1e6)
        .isBetween(differencePs / 2.0, differencePs / 2.0 + 100_000);
    assertThat(Math.abs(replayed.run().simulatedPs() - exact.run().simulatedPs())).isBetween(1L, differencePs / 2);
  }

  // A ring of four ranks, each of which sends a short message beside it at a time of its own.
  private static Simulation shortMessages(SimulationOptions options) {
    Workload ring = cluster -> WorkloadPlan.of(
        cluster.terminals(DeviceKind.ACCELERATOR), (rank, context) -> new Fixtures.Steps(rank < 4
            ? List.of(
                List.of(operation -> operation.collective(0, CollectiveOp.ALL_REDUCE, 8_000_000, 0)),
                List.of(
                    operation -> operation.compute(50_000_003 + rank * 1_310_007L),
                    operation -> operation.send(rank + 4, 400, 1, 0)))
            : List.of(List.of(operation -> operation.receive(rank - 4, 1)), List.of())))
        .withGroups(List.of(Group.of(0, 1, 2, 3)));
    return new Simulation("run", Fixtures.fastNode(8), ring, options, 1)
        .with(new RingAlgorithmProvider().create(new RingAlgorithmProvider.Settings(1, 1)));
  }

  @Test
  void shouldLetShortMessagesPassByACall() {
    Ends exact = new Ends();
    Ends near = new Ends();
    Fixtures.Watched model = new Fixtures.Watched();
    Results full = shortMessages(EXACT).run(null, exact);
    Results replayed =
        shortMessages(EXACT.memoizationTolerance(SimTime.parse("200 us"))).at(model).run(null, near);
    PacketNetwork.MemoizedCalls calls = model.networks.get(0).memoizedCalls();
    assertThat(calls.recorded()).as("the call, and a message alone").isBetween(2L, 3L);
    assertThat(calls.disturbed() + calls.joined()).as("calls that messages end, or become parts of").isZero();
    assertThat(metric(replayed, "memoization.moved")).isGreaterThanOrEqualTo(4);
    assertThat(metric(replayed, "messages.delivered")).isEqualTo(metric(full, "messages.delivered"));
    assertThat(near.from(exact)).isBetween(1L, Math.round(metric(replayed, "memoization.error") * 1e6));
    assertThat(replayed.links().stream().mapToLong(Results.LinkUsage::units).sum())
        .isEqualTo(full.links().stream().mapToLong(Results.LinkUsage::units).sum());
  }

  @Test
  void shouldRecordACallWhoseBeginsDifferByMoreThanTheTolerance() {
    Results exact = late(EXACT, 2_000_000, 2_400_000).run();
    Results replayed = late(EXACT.memoizationTolerance(SimTime.ofPs(100_000)), 2_000_000, 2_400_000).run();
    assertThat(metric(replayed, "memoization.moved")).isZero();
    assertThat(metric(replayed, "memoization.error")).isZero();
    assertThat(replayed.run().fingerprint()).isEqualTo(exact.run().fingerprint());
    assertThat(replayed.run().events()).isEqualTo(exact.run().events());
  }

  @Test
  void shouldStateNoErrorWithoutATolerance() {
    assertThat(late(EXACT, 1, 2).run().metrics()).noneMatch(metric -> metric.id().startsWith("memoization"));
    assertThat(late(EXACT, 1, 2).metricKeys().toString()).doesNotContain("memoization.error");
    assertThat(late(EXACT.memoizationTolerance(SimTime.ofPs(1)), 1, 2).metricKeys().toString())
        .contains("memoization.error");
  }

  @Test
  void shouldSayWhereAToleranceHasNoEffect() {
    SimulationOptions divided = EXACT.memoizationTolerance(SimTime.parse("1 us")).parallel(2, 1);
    Results results = late(divided, 2_000_000, 2_400_000).run();
    assertThat(results.warnings()).singleElement().asString()
        .contains("run.memoization-tolerance has no effect", "one partition");
    assertThat(results.run().fingerprint())
        .isEqualTo(late(EXACT, 2_000_000, 2_400_000).run().run().fingerprint());
  }

  @Test
  void shouldRefuseToleranceOfExactOrNoReplays() {
    SimulationOptions near = EXACT.memoizationTolerance(SimTime.parse("1 us"));
    assertThatThrownBy(() -> near.memoization(Memoization.VERIFY)).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("not exact");
    assertThatThrownBy(() -> near.memoization(Memoization.NONE)).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("memoization: none");
    assertThatThrownBy(() -> EXACT.memoizationTolerance(SimTime.parse("1.1 ms")))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("allowed: 0 s to 1 ms");
  }

  /**
   * Ranks that call collectives at random times, half of which send messages to the others in the meantime.
   *
   * @param jitterPs the most by which a rank is late
   */
  private record Calls(long seed, int jitterPs, long bytes, boolean messages) implements Workload {
    @Override
    public WorkloadPlan plan(Cluster cluster) {
      int[] ranks = cluster.terminals(DeviceKind.ACCELERATOR);
      return WorkloadPlan.of(ranks, (rank, context) -> program(rank, ranks.length))
          .withGroups(List.of(Group.of(IntStream.range(0, ranks.length).toArray())));
    }

    private Program program(int rank, int ranks) {
      RandomStream own = RandomStream.of(seed, "rank " + rank, "moved");
      List<Consumer<Operation>> calls = new ArrayList<>();
      List<Consumer<Operation>> others = new ArrayList<>();
      int half = ranks / 2;
      for (int call = 0; call < CALLS && ranks > 1; call++) {
        long latePs = own.nextInt(jitterPs);
        long afterPs = own.nextInt(jitterPs);
        int tag = call;
        calls.add(operation -> operation.compute(300_000_000L + latePs));
        calls.add(operation -> operation.collective(0, CollectiveOp.ALL_REDUCE, bytes, 0));
        if (messages && rank < half) {
          others.add(operation -> operation.compute(310_000_000L + afterPs));
          others.add(operation -> operation.send(rank + half, 200_000, tag, 0));
        } else if (messages && rank < 2 * half) {
          others.add(operation -> operation.receive(rank - half, tag));
        }
      }
      return new Fixtures.Steps(List.of(calls, others));
    }
  }
}
