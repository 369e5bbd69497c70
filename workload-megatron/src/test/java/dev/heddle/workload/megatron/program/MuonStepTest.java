package dev.heddle.workload.megatron.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.testkit.fixture.Seeds;
import dev.heddle.units.RandomStream;
import dev.heddle.workload.megatron.Jobs;
import dev.heddle.workload.megatron.job.LayerShare;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.parallel.RankGrid;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares Muon's products with the operations of Newton-Schulz steps, and owners with an even share. */
class MuonStepTest {
  private static final double HIDDEN = 1024;
  private static final int LAYERS = 8;

  private static List<Kernel> kernels(Training job, int ranks) {
    List<Kernel> kernels = new ArrayList<>();
    StageOps ops = new StageOps(kernel -> {
      kernels.add(kernel);
      return 0;
    }, job.execution());
    new MuonStep(job, new RankGrid(job.parallel(), ranks)).add(ops, 0);
    return kernels;
  }

  private static double flops(List<Kernel> kernels) {
    return 5 * kernels.stream().filter(Kernel.Gemm.class::isInstance).mapToDouble(Kernel::flops).sum();
  }

  private static double elements(List<Kernel> kernels) {
    return kernels.stream().filter(Kernel.Memory.class::isInstance).mapToDouble(each -> 9 * each.bytes() / 74).sum();
  }

  // Of a step's products one is of both sides of the matrix, one of the smaller alone, and one of both again. Queries,
  // keys and values are 3 h x h, the projection h x h, both matrices of the block 4 h x h.
  @Test
  void shouldMultiplyFiveTimesAsNewtonAndSchulz() {
    Training job = Jobs.small("", "global: 16", "optimizer: muon");
    double cube = HIDDEN * HIDDEN * HIDDEN;
    double layer = 5 * cube * (4 * 3 + 2 + 4 + 2 + 2 * (4 * 4 + 2));
    assertThat(flops(kernels(job, 1))).isCloseTo(LAYERS * layer, Percentage.withPercentage(1e-6));
  }

  @Test
  void shouldGiveTheBusiestOwnerNoMoreThanAnEvenShareAndOneMatrix() {
    Seeds.several(20).forEach(seed -> {
      RandomStream random = RandomStream.of(seed, "muon", "ranks");
      int owners = 1 + random.nextInt(40);
      Training job = Jobs.small("sharding: optimizer", "global: " + owners, "optimizer: muon");
      double all = LAYERS * 12 * HIDDEN * HIDDEN;
      assertThat(elements(kernels(job, owners))).as("seed %s: %s owners", seed, owners)
          .isBetween(all / owners - 1, all / owners + 4 * HIDDEN * HIDDEN + 1);
    });
  }

  // All parameters of a layer but its scales, biases and positions are matrices.
  @ParameterizedTest
  @ValueSource(strings = {"llama3-8b", "deepseek-v3", "qwen3-30b-a3b", "nemotron3-nano-30b-a3b"})
  void shouldCoverNearlyAllParametersOfTheLayers(String model) {
    Training job = Jobs.job("{model: {preset: " + model + "}, parallel: {sharding: optimizer}, batch: {global: 8},"
        + " execution: {optimizer: muon}, kernels: {preset: kernels-hopper}}");
    LayerShare share = new LayerShare(job);
    double layers = share.dense(0) + share.experts(0) - share.embeddings(0, 0) - share.predictionExperts(0, 0);
    assertThat((double) new MuonStep(job, new RankGrid(job.parallel(), 8)).elements(0))
        .isCloseTo(layers, Percentage.withPercentage(0.1)).isLessThanOrEqualTo(layers);
  }
}
