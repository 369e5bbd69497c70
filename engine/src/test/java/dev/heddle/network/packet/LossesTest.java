package dev.heddle.network.packet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.fabric.Fabric;
import dev.heddle.results.Results;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationException;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.Retransmission;
import dev.heddle.spi.Workload;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Links that lose packets, against closed forms: 4096 B take 40.96 ns of 800 Gb/s, and 500 ns to arrive. */
class LossesTest {
  private static final int MTU = 4096;
  private static final double WIRE_US = 0.04096;
  private static final double WAY_US = 0.5;
  private static final double TIMEOUT_US = Retransmission.STANDARD.timeoutPs() / 1e6;

  private static Fabric pair(double loss) {
    return Fixtures.node(2, Fixtures.direct(Fixtures.losing(800, 500, MTU, loss)));
  }

  private static Results run(Fabric fabric, Workload workload, long seed) {
    return new Simulation("losses", fabric, workload, SimulationOptions.defaults(), seed).run();
  }

  private static Workload first(int messages, long bytes) {
    return Fixtures.burst(messages, bytes, (rank, ranks, random) -> rank == 0 ? 1 : rank);
  }

  private static double value(Results results, String metric) {
    return results.metric(metric).orElseThrow().value();
  }

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 40);
  }

  @Test
  void shouldLoseItsShareOfPacketsWhenThereAreMany() {
    Results results = run(pair(0.01), first(100, 1000L * MTU), 7);
    // Of n packets n p are lost, and of those sent again as large a share; five standard deviations.
    assertThat(value(results, "packets.lost")).isCloseTo(1000 / 0.99, within(5 * Math.sqrt(1000)));
    assertThat(value(results, "messages.delivered")).isEqualTo(100);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldWaitOutATimeForEveryLossWhenNothingFollows(long seed) {
    Results results = run(pair(0.4), first(1, MTU), seed);
    double lost = value(results, "packets.lost");
    assertThat(value(results, "time")).as("seed %s", seed)
        .isCloseTo(WIRE_US + WAY_US + lost * TIMEOUT_US, within(1e-5));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldBeSentAgainAWayThereAndBackLaterWhenALaterPacketArrives(long seed) {
    Results results = run(pair(0.2), first(1, 2 * MTU), seed);
    double time = value(results, "time");
    double lost = value(results, "packets.lost");
    double whole = 2 * WIRE_US + WAY_US;
    // Which of the two was lost tells the time.
    boolean firstAlone = lost == 1 && time < TIMEOUT_US;
    assertThat(time).as("seed %s, %s lost", seed, lost).satisfiesAnyOf(
        each -> assertThat(each).isEqualTo(whole).satisfies(any -> assertThat(lost).isZero()),
        each -> assertThat(each).isCloseTo(WIRE_US + 3 * WAY_US, within(1e-5))
            .satisfies(any -> assertThat(firstAlone).isTrue()),
        each -> assertThat(each).isGreaterThan(TIMEOUT_US).satisfies(any -> assertThat(lost).isPositive()));
  }

  @Test
  void shouldTakeEachOfThoseTimesWhenSeedsDiffer() {
    List<Results> results =
        LongStream.rangeClosed(1, 200).mapToObj(seed -> run(pair(0.2), first(1, 2 * MTU), seed)).toList();
    long lossless = results.stream().filter(each -> value(each, "packets.lost") == 0).count();
    long slow = results.stream().filter(each -> value(each, "time") > TIMEOUT_US).count();
    // 64 % lose none; 13 % the first alone, once; all others wait for the time.
    assertThat(lossless).isBetween(100L, 156L);
    assertThat(200 - lossless - slow).isBetween(10L, 50L);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldNotWaitOutTheTimeWhenAnotherMessageFollows(long seed) {
    // The first is missed when the second arrives, at once; the last message's loss alone takes the time.
    Results results = run(pair(0.02), first(20, MTU), seed);
    double lost = value(results, "packets.lost");
    double whole = 20 * WIRE_US + WAY_US;
    double time = value(results, "time");
    if (time < TIMEOUT_US) {
      assertThat(time).as("seed %s", seed).isBetween(whole - 1e-5, whole + (lost > 0 ? 3 * WAY_US : 1e-5));
    } else {
      assertThat(time).as("seed %s", seed).isCloseTo(TIMEOUT_US, within(0.01 * TIMEOUT_US));
      assertThat(lost).isPositive();
    }
  }

  @Test
  void shouldFailWhenNothingEverArrives() {
    // The first time-out, and one after each of seven retries.
    double failsMs = 8 * TIMEOUT_US / 1e3;
    assertThatThrownBy(() -> run(pair(1), first(1, MTU), 1)).isInstanceOf(SimulationException.class)
        .hasMessageStartingWith("the connection from node.accelerator0 to node.accelerator1 failed at ")
        .hasMessageContaining("lost a packet and all 7 that were sent in its place")
        .hasMessageContaining(String.valueOf((int) failsMs));
  }

  @ParameterizedTest
  @EnumSource(value = Fidelity.class, names = {"FLOW", "ANALYTIC"})
  void shouldBeRefusedWhereThereAreNoPackets(Fidelity fidelity) {
    Simulation simulation =
        new Simulation("losses", pair(0.01), first(1, MTU), SimulationOptions.defaults(), 1).at(fidelity);
    assertThatThrownBy(simulation::run).isInstanceOf(SimulationException.class)
        .hasMessageContaining("loses 1 % of its packets, which only packet fidelity has");
  }
}
