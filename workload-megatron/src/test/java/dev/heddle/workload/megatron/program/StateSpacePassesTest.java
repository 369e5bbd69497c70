package dev.heddle.workload.megatron.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.parallel.RankGrid;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the kernels of a Mamba-2 mixer against the closed forms of its products. */
class StateSpacePassesTest {
  private static final int TOKENS = 2048;
  private static final int HEADS = 32;
  private static final int SIZE = 64;
  private static final int GROUPS = 8;
  private static final int STATE = 128;
  private static final String MODEL = "name: hybrid, hidden: 1024, layers: 4, heads: 8, vocabulary: 32000,"
      + " sequence: " + TOKENS + ", bias: false, ";

  private static Training job(String model, String parallel) {
    try (Registry registry = Registry.discover(StateSpacePassesTest.class.getClassLoader(), List.of())) {
      return new ScenarioReader(registry).record(Training.class, "test",
          "{model: {" + MODEL + model + "}, parallel: {" + parallel + "}, batch: {global: 8}, execution: {},"
              + " kernels: {preset: kernels-hopper}}");
    }
  }

  private static String mixer(int chunk) {
    return "pattern: MM-*, state-space: {heads: " + HEADS + ", state: " + STATE + ", chunk: " + chunk + "}";
  }

  private static double flops(Training job, boolean backward) {
    double[] sum = new double[1];
    StageOps ops = new StageOps(kernel -> {
      sum[0] += kernel.flops();
      return 0;
    }, job.execution());
    StateSpacePasses passes = new StateSpacePasses(LayerSizes.of(job), job.shape().stateSpace().orElseThrow());
    if (backward) {
      passes.backward(ops);
    } else {
      passes.forward(ops);
    }
    return sum[0];
  }

  // Of a token: scores of its chunk for each group, its share of the state, and the output by state and masked scores
  // [Dao and Gu 2024, §6].
  @ParameterizedTest
  @CsvSource({"64, 1", "128, 1", "256, 1", "128, 2", "128, 8"})
  void shouldMultiplyAsTheChunkedRecurrenceDoes(int chunk, int tensor) {
    Training job = job(mixer(chunk), "tensor: " + tensor + ", sequence-parallel: false");
    double scores = 2.0 * chunk * STATE * GROUPS;
    double states = 2.0 * STATE * SIZE * HEADS;
    double output = 2.0 * (STATE + chunk / 2.0) * SIZE * HEADS;
    double forward = TOKENS * (scores + states + output) / tensor;
    assertThat(flops(job, false)).isCloseTo(forward, within(forward * 1e-12));
    double again = TOKENS * (scores + states) / tensor;
    double decays = TOKENS * (double) chunk * SIZE * HEADS / tensor;
    assertThat(flops(job, true)).isCloseTo(2 * forward + again + decays, within(forward * 1e-12));
  }

  @Test
  void shouldCountParametersByTheMatricesOfTheMixer() {
    long inner = (long) HEADS * SIZE;
    long projections = 1024 * (2 * inner + 2 * GROUPS * STATE + HEADS) + inner * 1024;
    long small = (inner + 2 * GROUPS * STATE) * 5 + 3 * HEADS + inner;
    Training job = job(mixer(128) + ", norm-bias: false", "");
    assertThat(job.shape().layerParameters(0)).isEqualTo(projections + small + 1024);
    assertThat(job.shape().layerParameters(2)).isEqualTo(2 * 4096 * 1024 + 1024);
    assertThat(job.shape().layerParameters(3)).isEqualTo(4 * 1024 * 1024 + 1024);
  }

  @Test
  void shouldRunEachLayersBlockAlone() {
    Training job = job(mixer(128), "");
    assertThat(names(job, 0)).contains("in-projection", "scan", "out-projection").doesNotContain("attention", "up");
    assertThat(names(job, 2)).contains("up", "down").doesNotContain("attention", "scan", "qkv");
    assertThat(names(job, 3)).contains("qkv", "attention", "projection").doesNotContain("scan", "up");
  }

  private static List<String> names(Training job, int layer) {
    List<String> names = new ArrayList<>();
    LayerPasses passes = new LayerPasses(job, kernel -> {
      names.add(kernel.name());
      return 0;
    }, new RankGrid(job.parallel(), 1, 1), 1, 0);
    passes.forward(layer, false);
    return names;
  }

  @Test
  void shouldKeepTheActivationsOfEachLayersBlock() {
    Training job = job(mixer(128), "");
    double columns = 2.0 * HEADS * SIZE + 2 * GROUPS * STATE + HEADS;
    assertThat(new StateSpacePasses(LayerSizes.of(job), job.shape().stateSpace().orElseThrow()).keptBytes())
        .isEqualTo(2 * TOKENS * (columns + 2 * HEADS * SIZE));
  }

  @Test
  void shouldConvolveWithoutTheLibraryAtTheRateOfMemory() {
    Training job = job(mixer(128), "");
    Kernel.Convolution forward = new Kernel.Convolution(
        "convolution", 1, TOKENS, 1, 1024, job.shape().stateSpace().orElseThrow(), false);
    assertThat(forward.bytes()).isEqualTo(4.0 * TOKENS * (HEADS * SIZE + 2 * GROUPS * STATE));
  }

  @ParameterizedTest
  @CsvSource(delimiter = ';', quoteCharacter = '~', value = {
      "pattern: MM-, state-space: {heads: 32}; has 3 layers where layers says 4",
      "pattern: MMx*, state-space: {heads: 32}; layer 3 is 'x'",
      "pattern: MM-*; is needed for layers M",
      "pattern: --**, state-space: {heads: 32}; no layer of the pattern is M",
      "state-space: {heads: 32}; needs a pattern",
      "pattern: MME*, state-space: {heads: 32}; are needed for layers E",
      "pattern: MM-*, state-space: {heads: 30}; 8 groups do not divide 30 heads",
      "pattern: MM-*, state-space: {heads: 32}, prediction-layers: 1; is needed beside a pattern",
      "pattern: MM-*, state-space: {heads: 32}, prediction-layers: 1, prediction-pattern: '*E'; made of characters",
      "pattern: MM-*, state-space: {heads: 32}, prediction-pattern: '*-'; is that of prediction-layers"})
  void shouldRefuseContradictoryModels(String model, String message) {
    assertThatThrownBy(() -> job(model, "")).isInstanceOf(ScenarioException.class).hasMessageContaining(message);
  }

  @Test
  void shouldRefuseTensorParallelRanksThatDoNotDivideTheGroups() {
    assertThatThrownBy(() -> job("pattern: MM-*, state-space: {heads: 32, groups: 4}", "tensor: 8"))
        .isInstanceOf(ScenarioException.class).hasMessageContaining("8 does not divide the 4 groups");
  }
}
