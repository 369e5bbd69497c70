package dev.heddle.workload.megatron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.program.Iteration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests full recomputation by the kernels that a job starts. */
class RecomputeTest {
  private static final int EXPERT_LAYERS = 3;

  private static long downs(String parallel, String execution) {
    Training job = Jobs.small(parallel, "global: 16", "recompute: full" + execution);
    List<Kernel> kernels = new Iteration(job, Jobs.nodes(2, 4)).kernels();
    return kernels.stream().filter(kernel -> kernel.name().equals("down")).count();
  }

  // Passes are planned as the first, a middle and the last one of a chunk, so that both counts have the same factor.
  @Test
  void shouldNotRepeatTheLastProductOfABlockWhenRecomputationStopsEarly() {
    long repeated = downs("", "");
    long stopped = downs("", ", early-stop: true");
    assertThat(repeated).isEqualTo(2 * stopped);
  }

  @Test
  void shouldStopEarlyWhereParametersAreShardedAsPyTorchDoesIt() {
    assertThat(downs("sharding: parameters", "")).isEqualTo(downs("sharding: parameters", ", early-stop: true"));
    assertThat(downs("sharding: parameters", ", early-stop: false")).isEqualTo(downs("", ""));
  }

  @Test
  void shouldRepeatTheFirstLayersOfEachChunkAlone() {
    long never = count("down", "global: 16", "recompute: none");
    assertThat(count("down", "global: 16", "recompute: full, recompute-layers: 3")).isEqualTo(never * (8 + 3) / 8);
    assertThat(count("down", "global: 16", "recompute: full, recompute-layers: 0")).isEqualTo(never);
    assertThat(count("down", "global: 16", "recompute: full, recompute-layers: 9"))
        .isEqualTo(count("down", "global: 16", "recompute: full"));
    Training chunks = Jobs.small(
        "pipeline: 2, chunks: 2", "global: 16", "recompute: full, recompute-layers: 1");
    Training whole = Jobs.small("pipeline: 2, chunks: 2", "global: 16", "recompute: none");
    // Each chunk has two layers.
    assertThat(2 * count("down", chunks)).isEqualTo(3 * count("down", whole));
  }

  @ParameterizedTest
  @CsvSource({"layernorm, norm2", "layernorm, norm", "mlp, up", "mlp, down"})
  void shouldRepeatTheKernelsOfAModule(String module, String kernel) {
    Training none = Jobs.small("", "global: 16", "recompute: none");
    Training some = Jobs.small("", "global: 16", "recompute: selective, recompute-modules: [" + module + "]");
    assertThat(count(kernel, some)).isEqualTo(count(kernel, none) + 3 * 8);
    assertThat(count("qkv", some)).isEqualTo(count("qkv", none));
    assertThat(count("attention", some)).isEqualTo(count("attention", none));
  }

  @ParameterizedTest
  @CsvSource({"moe, expert-up, 3", "moe, router, 3", "moe, shared-up, 3", "shared-experts, shared-up, 3",
      "shared-experts, expert-up, 0", "mla-up-proj, queries, 4", "mla-up-proj, latent-norm, 8",
      "mla-up-proj, latent, 0", "moe-act, activation, 3",
      "moe-act, expert-up, 0"})
  void shouldRepeatTheModulesOfExpertsAndOfLatentAttention(String module, String kernel, int layers) {
    Training none = experts("recompute: none");
    Training some = experts("recompute: selective, recompute-modules: [" + module + "]");
    assertThat(count(kernel, some) - count(kernel, none)).isEqualTo(3 * layers);
    assertThat(seconds(some)).isGreaterThan(seconds(none));
    assertThat(seconds(some)).isLessThan(seconds(experts("recompute: full")));
  }

  @ParameterizedTest
  @CsvSource({"layernorm, 4", "mlp, 16"})
  void shouldNotKeepTheActivationsOfAModule(String module, int bytesOfATokensElement) {
    Training none = Jobs.small("", "global: 16", "recompute: none");
    Training some = Jobs.small("", "global: 16", "recompute: selective, recompute-modules: [" + module + "]");
    // One of eight layers has them while its backward pass lasts.
    assertThat(activations(none) - activations(some)).isEqualTo(7L * 1024 * 1024 * bytesOfATokensElement);
  }

  @Test
  void shouldNotKeepTheActivationsOfExperts() {
    long none = activations(experts("recompute: none"));
    // Results of the activation function: two experts of 512 a token.
    assertThat(none - activations(experts("recompute: selective, recompute-modules: [moe-act]")))
        .isEqualTo((EXPERT_LAYERS - 1) * 1024 * 2 * 2 * 512);
    // Inputs of two experts, and inner vectors of two experts and a shared one, gate, value and result.
    assertThat(none - activations(experts("recompute: selective, recompute-modules: [moe]")))
        .isEqualTo((EXPERT_LAYERS - 1) * 1024 * 2 * (2 * 1024 + 3 * (2 * 512 + 512)));
    // Heads of queries (192), keys (128) and values (128).
    assertThat(none - activations(experts("recompute: selective, recompute-modules: [mla-up-proj]")))
        .isEqualTo(3 * 1024 * 2 * 16 * (192 + 128 + 128));
  }

  @Test
  void shouldHoldLessOfTheOptimizerWhereItsMomentsAreShorter() {
    Training whole = Jobs.small("", "global: 16", "recompute: none");
    Training shorter = Jobs.small("", "global: 16", "optimizer-bytes: 6");
    assertThat(iteration(shorter).memory(0).optimizer() * 2).isEqualTo(iteration(whole).memory(0).optimizer());
    assertThat(seconds(shorter)).isLessThan(seconds(whole));
  }

  @Test
  void shouldRefuseModulesThatAModelLacksOrThatTakeNoEffect() {
    assertThatThrownBy(() -> Jobs.small("", "global: 16", "recompute: selective, recompute-modules: [moe]"))
        .hasMessageContaining("small has no moe");
    assertThatThrownBy(() -> Jobs.small("", "global: 16", "recompute: selective, recompute-modules: [mla-up-proj]"))
        .hasMessageContaining("small has no mla-up-proj");
    assertThatThrownBy(() -> Jobs.small("", "global: 16", "recompute: full, recompute-modules: [mlp]"))
        .hasMessageContaining("take effect with recompute: selective alone");
    assertThatThrownBy(() -> Jobs.small("", "global: 16", "recompute-layers: 2"))
        .hasMessageContaining("take effect with recompute: full alone");
  }

  // As Megatron-Core refuses them.
  @Test
  void shouldRefuseGraphsOfModulesThatAModelLacksOrThatOthersHold() {
    assertThatThrownBy(() -> Jobs.small("", "global: 16", "graphs: [attn, moe-router]"))
        .hasMessageContaining("small has no moe-router, which graphs names");
    assertThatThrownBy(() -> Jobs.small("", "global: 16", "graphs: [mamba]"))
        .hasMessageContaining("small has no mamba");
    assertThatThrownBy(() -> experts("graphs: [moe-preprocess]")).hasMessageContaining("it needs moe-router");
    assertThatThrownBy(() -> Jobs.small("", "global: 16", "graphs: [attn, full-iteration]"))
        .hasMessageContaining("full-iteration holds all modules");
  }

  private static Training experts(String execution) {
    return Jobs.job("{model: {name: mixed, hidden: 1024, layers: 4, heads: 16, vocabulary: 32000, sequence: 1024,"
        + " activation: swiglu, experts: {count: 8, top-k: 2, ffn: 512, shared-ffn: 512, dense-layers: 1},"
        + " latent: {query-rank: 256, key-rank: 128, rope-size: 64, plain-size: 128, value-size: 128}},"
        + " parallel: {}, batch: {global: 16}, execution: {" + execution + "}, kernels: {preset: kernels-ampere}}");
  }

  private static Iteration iteration(Training job) {
    return new Iteration(job, Jobs.nodes(2, 4));
  }

  private static long activations(Training job) {
    return iteration(job).memory(0).activations();
  }

  private static double seconds(Training job) {
    Iteration iteration = iteration(job);
    return iteration.kernels().stream().mapToDouble(iteration.times()::seconds).sum();
  }

  private static long count(String kernel, String batch, String execution) {
    return count(kernel, Jobs.small("", batch, execution));
  }

  private static long count(String kernel, Training job) {
    return iteration(job).kernels().stream().filter(each -> each.name().equals(kernel)).count();
  }
}
