package dev.heddle.collectives.tpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.fabric.Fabric;
import dev.heddle.sim.Fidelity;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Worked examples and measurements of others; no setting was fitted to any of them but where a test says so. */
class PublishedTimesTest {
  private static final TpuAlgorithmProvider.Settings NETWORK = TpuAlgorithmProvider.Settings.networkOnly();
  private static final TpuAlgorithmProvider.Settings DEFAULTS = TpuAlgorithmProvider.Settings.defaults();
  private static final long ARRAY = 1024L * 4096 * 2;

  // The Scaling Book, sharding, on a 4 x 4 x 4 slice of TPU v4, bf16[1024, 4096]; its formulas omit the ring's own
  // part, so that its times are n / (n - 1) of the exact ones.
  @ParameterizedTest
  @CsvSource({"all-gather, 4, 4, 23", "all-gather, 16, 1, 46", "all-reduce, 4, 1, 190"})
  void shouldTakeTheTimesOfTheWorkedExamples(String op, int ranks, int shards, double us) {
    Fabric fabric = Slices.fabric(Slices.torus("45 GB/s", 4, 4, 4));
    CollectiveOp collective = op.equals("all-gather") ? CollectiveOp.ALL_GATHER : CollectiveOp.ALL_REDUCE;
    double time = Slices.us(
        fabric, NETWORK, Slices.of(collective, ARRAY / shards).ranks(ranks), Fidelity.PACKET);
    assertThat(time * ranks / (ranks - 1)).isCloseTo(us, within(0.04 * us));
  }

  // Two hops around a ring of four at about 1 us each.
  @Test
  void shouldTakeTwoHopsForTheLeastMessage() {
    Fabric fabric = Slices.fabric(Slices.torus("45 GB/s", 4, 4, 4));
    double us = Slices.us(fabric, DEFAULTS, Slices.of(CollectiveOp.ALL_GATHER, 256).ranks(4), Fidelity.PACKET);
    assertThat(us - DEFAULTS.launch().ps() / 1e6).isCloseTo(2, within(0.1));
  }

  // The Scaling Book: 34 MB gathered along the axis of 4 of 8 x 4 TPU v5e: 560 us expected without wrap-around, 680 us
  // by a profile, whose difference has no explanation there.
  @Test
  void shouldTakeTheExpectedTimeOfALineOfTpuV5e() {
    Fabric fabric = Slices.fabric(Slices.mesh("45 GB/s", 8, 4));
    double us = Slices.us(fabric, DEFAULTS, Slices.of(CollectiveOp.ALL_GATHER, 34_000_000).ranks(4), Fidelity.PACKET);
    assertThat(us).isBetween(560.0, 680.0);
  }

  // Google's expected results of Ironwood, 2 x 2 x 1 chips: received bytes of a chip and GB/s. Launch is that
  // of TPU v5e,
  // and leaves out a part of the time of short messages.
  @ParameterizedTest
  @CsvSource({
      "1570000, 71.8, 0.35", "6290000, 129.2, 0.15", "25200000, 161.9, 0.06", "101000000, 174.8, 0.03",
      "403000000, 178.8, 0.02"})
  void shouldGatherOnFourChipsOfIronwoodAsMeasured(long received, double gigabytes, double error) {
    Fabric fabric = Slices.fabric(Slices.mesh("90 GB/s", 2, 2));
    double us = Slices.us(
        fabric, DEFAULTS, Slices.of(CollectiveOp.ALL_GATHER, received / 3 * 4), Fidelity.FLOW);
    double measured = received / gigabytes / 1e3;
    assertThat(us).as("%s B: measured %s us", received, measured).isCloseTo(measured, within(error * measured));
  }
}
