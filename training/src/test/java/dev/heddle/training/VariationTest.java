package dev.heddle.training;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.fabric.Fabric;
import dev.heddle.results.Results;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.standard.collective.RingAlgorithmProvider;
import dev.heddle.units.RandomStream;
import dev.heddle.workload.megatron.MegatronWorkloadProvider;
import dev.heddle.workload.megatron.parallel.Variation;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

/** Compares runs of ranks that differ with expected values. */
class VariationTest {
  private static final Fabric FABRIC = SmallJobs.nodes(4, 4);

  private static Results run(String parallel, String variation, long seed) {
    return new Simulation(
        "test", FABRIC, new MegatronWorkloadProvider().create(
            SmallJobs.small(parallel, "global: 64", "reduce-overlap: false, tensor-overlap: none",
                "variation: {" + variation + "}")),
        SimulationOptions.defaults(), seed).with(RingAlgorithmProvider.single()).at(Fidelity.FLOW).run();
  }

  private static double seconds(Results results) {
    return results.run().simulatedPs() / 1e12;
  }

  private static double kernels(Results results) {
    return (results.metric("activity.compute").orElseThrow().value()
        + results.metric("activity.optimizer").orElseThrow().value()) / 1e6;
  }

  @Test
  void shouldLastLongerByWhatTheSlowestRankIsSlowerWhenAllWaitForIt() {
    Results planned = run("", "jitter: 0", 1);
    Results held = run("", "stragglers: 1, slowdown: 50 %", 1);
    // Data-parallel ranks synchronise at the end of the iteration: the straggler's kernels determine its time.
    assertThat(seconds(held) - seconds(planned)).isCloseTo(0.5 * kernels(planned), Percentage.withPercentage(0.1));
    // One of 16 ranks computes half as long again.
    assertThat(kernels(held)).isCloseTo((1 + 0.5 / 16) * kernels(planned), Percentage.withPercentage(0.1));
  }

  @Test
  void shouldComputeLongerByTheJitterInTheMeanAndWaitBesides() {
    Results planned = run("tensor: 4, sequence-parallel: true", "jitter: 0", 1);
    Results held = run("tensor: 4, sequence-parallel: true", "jitter: 10 %", 1);
    assertThat(kernels(held)).isCloseTo(1.1 * kernels(planned), Percentage.withPercentage(0.5));
    // A stretch after which four ranks wait for the last takes the mean of the largest of four exponentials, 25/12 of
    // one; four such groups synchronise at the end.
    double more = seconds(held) - seconds(planned);
    assertThat(more).isBetween(1.5 * 0.1 * kernels(planned), 1.1 * 25.0 / 12 * 0.1 * kernels(planned));
  }

  @Test
  void shouldDrawTheSameFromTheSameSeedAndAnotherFromAnother() {
    assertThat(run("", "jitter: 5 %", 7).run().fingerprint()).isEqualTo(run("", "jitter: 5 %", 7).run().fingerprint());
    assertThat(seconds(run("", "jitter: 5 %", 8))).isNotEqualTo(seconds(run("", "jitter: 5 %", 7)));
  }

  @Test
  void shouldSlowEveryRankWhenAllAreStragglers() {
    Results planned = run("tensor: 2", "jitter: 0", 1);
    assertThat(kernels(run("tensor: 2", "stragglers: 16, slowdown: 100 %", 3)))
        .isCloseTo(2 * kernels(planned), Percentage.withPercentage(0.001));
  }

  @Test
  void shouldExpectTheMeanOfTheLargestOfAsManyNormalVariates() {
    Variation variation = SmallJobs.small("", "global: 16", "", "variation: {clock-deviation: 2 %}").variation();
    assertThat(variation.expectedClockLoss(1)).isZero();
    RandomStream random = RandomStream.of(11, "clocks", "drawn");
    for (int accelerators : new int[] {4, 8, 64, 512}) {
      int draws = 400_000 / accelerators;
      double sum = 0;
      for (int draw = 0; draw < draws; draw++) {
        double largest = Double.NEGATIVE_INFINITY;
        for (int accelerator = 0; accelerator < accelerators; accelerator++) {
          largest = Math.max(largest, normal(random));
        }
        sum += largest;
      }
      assertThat(variation.expectedClockLoss(accelerators)).as("%s accelerators", accelerators)
          .isCloseTo(0.02 * sum / draws, Percentage.withPercentage(3));
    }
  }

  // Box and Muller's transform.
  private static double normal(RandomStream random) {
    return Math.sqrt(2 * random.nextExponential()) * Math.cos(2 * Math.PI * random.nextDouble());
  }
}
