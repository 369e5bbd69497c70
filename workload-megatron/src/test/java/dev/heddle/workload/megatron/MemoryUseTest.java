package dev.heddle.workload.megatron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.parallel.RankGrid;
import dev.heddle.workload.megatron.program.Iteration;
import dev.heddle.workload.megatron.program.MemoryUse;
import dev.heddle.workload.megatron.program.StagePlanner;
import org.assertj.core.data.Offset;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.aggregator.ArgumentsAccessor;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares peak memory with the figures of Korthikanti et al. as given by Calculon, and with ZeRO's closed forms. */
class MemoryUseTest {
  private static final double GIB = 1L << 30;

  private static MemoryUse first(String model, String parallel, String batch, String execution, int ranks) {
    return at(0, model, "parallel: {" + parallel + "}, batch: {" + batch + "}", execution, ranks);
  }

  private static MemoryUse at(int stage, String model, String cut, String execution, int ranks) {
    Training training = Jobs.job("{model: {preset: " + model + "}, " + cut
        + ", execution: {precision: fp16, attention: unfused, dropout: true, " + execution
        + "}, kernels: {preset: kernels-ampere}}");
    RankGrid grid = new RankGrid(training.parallel(), ranks);
    return MemoryUse.of(training, grid, StagePlanner.micros(training, grid), stage);
  }

  // Parameters and optimizer, activations of the baseline and of selective recomputation with sequence parallelism.
  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "gpt-22b | 8 | tensor: 8 | 4, micro: 4 | 45.5625 | 59.25 | 9.5625",
      "gpt3-175b | 64 | tensor: 8, pipeline: 8, chunks: 3 | 64 | 45.5625 | 66.84375 | 12.3515625",
      "gpt-530b | 280 | tensor: 8, pipeline: 35, chunks: 3 | 280 | 31.640625 | 114.0234375 | 23.076171875",
      "gpt-1t | 512 | tensor: 8, pipeline: 64 | 512 | 32.958984375 | 131.25 | 26.5625"})
  void shouldNeedThePublishedMemory(
      String model, int ranks, String parallel, String batch, ArgumentsAccessor published) {
    MemoryUse plain = first(model, parallel, "global: " + batch, "", ranks);
    MemoryUse best = first(
        model, parallel + ", sequence-parallel: true", "global: " + batch, "recompute: selective", ranks);
    // The published states leave embeddings out; so does a middle stage.
    MemoryUse middle = at(
        ranks > 8 ? 1 : 0, model, "parallel: {" + parallel + "}, batch: {global: " + batch + "}", "", ranks);
    double kept = middle.parameters() + middle.gradients() + middle.optimizer();
    assertThat(kept / GIB).isCloseTo(published.getDouble(4), Percentage.withPercentage(ranks > 8 ? 0.1 : 2));
    assertThat(plain.activations() / GIB).isCloseTo(published.getDouble(5), Percentage.withPercentage(3));
    assertThat(best.activations() / GIB).isCloseTo(published.getDouble(6), Percentage.withPercentage(8));
  }

  @Test
  void shouldShareStatesAsZeroDoesWhenSharded() {
    // [Rajbhandari et al., Figure 1]: 7.5B parameters on 64 ranks, 120 GB, 31.4, 16.6 and 1.9.
    String[] stages = {"none", "optimizer", "gradients", "parameters"};
    double[] gigabytes = {120, 31.4, 16.6, 1.88};
    double scale = Jobs.model("gpt-7b5").parameters() / 7.5e9;
    for (int i = 0; i < stages.length; i++) {
      MemoryUse use = first("gpt-7b5", "sharding: " + stages[i], "global: 64", "gradient-bytes: 2", 64);
      assertThat((use.parameters() + use.gradients() + use.optimizer()) / 1e9)
          .isCloseTo(gigabytes[i] * scale, Percentage.withPercentage(1));
    }
  }

  // Two copies on 64 ranks are as one on 32.
  @Test
  void shouldShareStatesAmongFewerRanksWhenThereAreReplicas() {
    MemoryUse replicas = first("gpt-7b5", "sharding: parameters, replicas: 2", "global: 64", "", 64);
    assertThat(replicas).isEqualTo(first("gpt-7b5", "sharding: parameters", "global: 32", "", 32));
  }

  // Of 48 layers 36 are with the host, two of which are on the device at a time.
  @Test
  void shouldKeepActivationsOfTwoLayersAndTheRestWhenTheHostHasTheOthers() {
    long all = first("gpt-22b", "tensor: 8", "global: 4", "", 8).activations();
    long with = first("gpt-22b", "tensor: 8", "global: 4", "offload-layers: 36", 8).activations();
    long less = first("gpt-22b", "tensor: 8", "global: 4", "offload-layers: 12", 8).activations();
    assertThat(less - with).isCloseTo((all - less) * 24 / 10, Offset.offset(2L));
  }

  @Test
  void shouldRefuseJobThatDoesNotFitWithItsBreakdown() {
    String job = "{model: {preset: gpt-22b}, parallel: {tensor: 4}, batch: {global: 16}, execution: {},"
        + " kernels: {preset: kernels-ampere}";
    assertThatThrownBy(() -> new Iteration(Jobs.job(job + "}"), Jobs.nodes(4, 4)))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContainingAll("does not fit: stage 0 needs", "optimizer", "activations", "A100 has 80 GiB");
    assertThat(new Iteration(Jobs.job(job + ", check-memory: false}"), Jobs.nodes(4, 4)).memory(0).bytes())
        .isGreaterThan(80L << 30);
  }
}
