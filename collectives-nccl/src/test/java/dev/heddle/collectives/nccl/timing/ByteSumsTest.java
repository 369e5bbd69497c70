package dev.heddle.collectives.nccl.timing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.Algorithm;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.Protocol;
import org.junit.jupiter.api.Test;

/** Tests of the time of sums of integers of eight bits. */
class ByteSumsTest {
  private static final double MIB = 1 << 20;

  // Seven instructions on 64 units for four bytes: 36.6 bytes per clock.
  @Test
  void shouldFollowUnitsAndClock() {
    assertThat(ByteSums.ofCapability(80)).isCloseTo(36.571 * 1.41, withinPercentage(0.01));
    assertThat(ByteSums.ofCapability(90)).isCloseTo(36.571 * 1.98, withinPercentage(0.01));
    assertThat(ByteSums.ofCapability(100)).isCloseTo(36.571 * 2.1, withinPercentage(0.01));
    assertThat(ByteSums.ofCapability(70)).isInfinite();
  }

  @Test
  void shouldBeTheRateOfCopiesWhenSumsCostNothing() {
    assertThat(ByteSums.rate(20, Double.POSITIVE_INFINITY)).isEqualTo(20);
    assertThat(ByteSums.rate(20, 1e7)).isCloseTo(20, withinPercentage(0.01));
  }

  // Sums cost more than if they overlapped all waits of other warps, less than if nothing overlapped.
  @Test
  void shouldOverlapOtherWarpsInPart() {
    double alone = 1 / (1.0 / 20 + 1.0 / 60);
    double overlapped = 1 / (1.0 / 20 + 1.0 / (4 * 60));
    assertThat(ByteSums.rate(20, 60)).isBetween(alone, overlapped);
    assertThat(ByteSums.rate(1e6, 60)).isCloseTo(60, withinPercentage(0.1));
  }

  @Test
  void shouldSlowTheStepsThatAdd() {
    NcclTiming timing = Machines.timing(Machines.node(Machines.gpu(4000, 20, 0, 0)), 8, 1);
    double bytes = 8 * 16 * 64 * MIB;
    double chunk = bytes / 8 / 16;
    double more = chunk * (1 / ByteSums.rate(20, 60) - 1.0 / 20);
    // Half of the 14 steps of all_reduce add; of the seven of reduce_scatter six, and the last one, within memory.
    assertThat(ns(timing, CollectiveOp.ALL_REDUCE, bytes, 60) - ns(timing, CollectiveOp.ALL_REDUCE, bytes, 1e300))
        .isCloseTo(7 * more, withinPercentage(0.01));
    assertThat(ns(timing, CollectiveOp.REDUCE_SCATTER, bytes, 60)
        - ns(timing, CollectiveOp.REDUCE_SCATTER, bytes, 1e300))
        .isCloseTo(6 * more + chunk / 60, withinPercentage(0.1));
    assertThat(ns(timing, CollectiveOp.ALL_GATHER, bytes, 60))
        .isCloseTo(ns(timing, CollectiveOp.ALL_GATHER, bytes, 1e300), within(1e-3));
  }

  // The port gives each of 16 channels 10 of the 20 bytes per nanosecond of its block.
  @Test
  void shouldDelayTheStoresOfAPortThatLimits() {
    NcclTiming timing = Machines.timing(Machines.node(Machines.gpu(160, 20, 0, 0)), 8, 1);
    double bytes = 8 * 16 * 64 * MIB;
    double more = bytes / 8 / 16 * (1 / ByteSums.rate(20, 60) - 1.0 / 20);
    assertThat(ns(timing, CollectiveOp.ALL_REDUCE, bytes, 60) - ns(timing, CollectiveOp.ALL_REDUCE, bytes, 1e300))
        .isCloseTo(7 * more, withinPercentage(0.01));
  }

  private static double ns(NcclTiming timing, CollectiveOp op, double bytes, double sums) {
    return timing.collective(op, (long) bytes, new Execution(Algorithm.RING, Protocol.SIMPLE, 16, NcclVersion.LATEST,
        sums > 1e200 ? Double.POSITIVE_INFINITY : sums), false).nanos();
  }
}
