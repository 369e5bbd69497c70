package dev.heddle.workload.megatron.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.workload.megatron.job.LayerShare;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.RankGrid;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of kernels whose work is the parameters: casts of weights, gradients before their reduction, the update. */
class WeightCastsTest {
  private static final int RANKS = 8;

  private static Training job(String execution, String more) {
    return job("", execution, more);
  }

  private static Training job(String model, String execution, String more) {
    try (Registry registry = Registry.discover(WeightCastsTest.class.getClassLoader(), List.of())) {
      return new ScenarioReader(registry).record(Training.class, "test",
          "{model: {name: small, hidden: 512, layers: 2, heads: 8, vocabulary: 32000, sequence: 1024"
              + model + "}, parallel: {}, batch: {global: 8}, execution: {" + execution + "}, " + more + "}");
    }
  }

  private static StageOps ops(Training job, List<Kernel> kernels) {
    return new StageOps(kernel -> {
      kernels.add(kernel);
      return 0;
    }, job.execution());
  }

  private static double bytes(List<Kernel> kernels, String name) {
    return kernels.stream().filter(kernel -> kernel.name().equals(name)).mapToDouble(Kernel::bytes).sum();
  }

  // Read in 16 bits and written in the layouts that products read, once more where the largest value is the scale.
  // Parameters that the optimizer quantised lack the other layout alone.
  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "hopper | precision: bf16 | 0", "hopper | precision: fp8 | 4", "hopper | precision: fp8-current | 6",
      "hopper | precision: fp8, parameter-bytes: 1 | 2", "blackwell | precision: fp8 | 3",
      "blackwell | precision: fp8-current, parameter-bytes: 1 | 0", "blackwell | precision: mxfp8 | 0",
      "blackwell | precision: mxfp8, graphs: [full-iteration] | 4.0625"})
  void shouldCastTheWeightsOfALayerInTheLayoutsThatProductsRead(String generation, String execution, double each) {
    Training job = job(execution, "kernels: {preset: kernels-" + generation + "}");
    LayerShare share = new LayerShare(job);
    List<Kernel> kernels = new ArrayList<>();
    new WeightCasts(LayerSizes.of(job), share).add(ops(job, kernels), 0);
    double cast = kernels.stream().mapToDouble(kernel -> 4 * kernel.bytes()).sum();
    assertThat(cast).isCloseTo(each * share.denseLayer(0), within(1e-3));
  }

  // Modules that run twice have one set of weights.
  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "'' | 2", ", prediction-layers: 1 | 3", ", prediction-layers: 2, prediction-repeats: 3 | 4"})
  void shouldCastTheWeightsOfEachLayerAndModuleOnce(String model, int cast) {
    Training job = job(model, "precision: fp8", "kernels: {preset: kernels-hopper}");
    List<Kernel> kernels = new ArrayList<>();
    new StagePlanner(job, new RankGrid(job.parallel(), RANKS, 1), kernel -> {
      kernels.add(kernel);
      return 0;
    }, Contention.NONE, RANKS, new HostWork(0, HostCopies.NONE)).plan(0);
    assertThat(kernels).filteredOn(kernel -> kernel.name().equals("weights")).hasSize(cast);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "average-in-collective: true | 0 | 0", "average-in-collective: false | 8 | 0",
      "gradient-bytes: 2, gradient-check: true | 4 | 2"})
  void shouldScaleAndCheckGradientsBeforeTheyAreReduced(String execution, int scaled, int checked) {
    Training job = job("bucket-parameters: 100, " + execution, "kernels: {preset: kernels-hopper}");
    List<Kernel> kernels = new ArrayList<>();
    StageOps ops = ops(job, kernels);
    new GradientReduction(job, new RankGrid(job.parallel(), RANKS, 1), Contention.NONE)
        .beside(ops, GroupKind.DATA, 1000, 1);
    assertThat(bytes(kernels, "gradient-scale")).isEqualTo(1000.0 * scaled);
    assertThat(bytes(kernels, "gradient-check")).isEqualTo(1000.0 * checked);
    // Six tensors are no more than six buckets, however small these may be.
    List<StageOp.Begin> begun = new ArrayList<>();
    ops.build().forEach(op -> {
      if (op instanceof StageOp.Begin begin) {
        begun.add(begin);
      }
    });
    assertThat(begun).hasSize(6);
    assertThat(begun.stream().mapToLong(StageOp.Begin::bytes).sum())
        .isEqualTo(1000L * job.execution().gradientBytes());
  }

  @Test
  void shouldUpdateParametersByOneKernelOrByNine() {
    assertThat(update("fused")).containsExactly(30.0);
    assertThat(update("separate")).hasSize(1).first()
        .satisfies(each -> assertThat(9 * each).isCloseTo(88, within(1e-4)));
  }

  // Bytes of each kernel a parameter.
  private static List<Double> update(String kernels) {
    Training job = job("optimizer-kernels: " + kernels, "kernels: {preset: kernels-hopper}");
    RankGrid grid = new RankGrid(job.parallel(), RANKS, 1);
    List<Kernel> run = new ArrayList<>();
    LayerShare share = new LayerShare(job);
    LayerPasses layers = new LayerPasses(job, kernel -> {
      run.add(kernel);
      return 0;
    }, grid, RANKS, 0);
    new OptimizerStep(job, grid, layers, share, new GradientReduction(job, grid, Contention.NONE)).plan(0, false);
    return run.stream().filter(kernel -> kernel.name().equals("adam"))
        .map(kernel -> Math.round(1e6 * kernel.bytes() / share.trained(0)) / 1e6).toList();
  }
}
