package dev.heddle.workload.megatron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.spi.Precision;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.program.Iteration;
import dev.heddle.workload.megatron.program.MemoryUse;
import java.util.List;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares training of low-rank adapters with its closed forms. */
class LowRankAdaptersTest {
  private static final String ALL = "lora: {rank: 8, modules: [linear-qkv, linear-proj, linear-fc1, linear-fc2]}";
  private static final int LAYERS = 8;
  private static final int HIDDEN = 1024;
  private static final int TOKENS = 1024;

  private static Training job(String more) {
    return Jobs.job("{model: {name: small, hidden: 1024, layers: 8, heads: 16, vocabulary: 32000, sequence: 1024,"
        + " bias: false, norm-bias: false, positions: rotary, tied: false}, parallel: {}, batch: {global: 16},"
        + " execution: {}, kernels: {preset: kernels-ampere}" + more + "}");
  }

  private static Iteration iteration(String more) {
    return new Iteration(job(more), Jobs.nodes(2, 4));
  }

  private static List<Kernel.Gemm> products(Iteration iteration, String name) {
    return iteration.kernels().stream().filter(kernel -> kernel.name().equals(name)).map(Kernel.Gemm.class::cast)
        .toList();
  }

  // [Hu et al. 2021, §4.1]: r (n + k) for a matrix of n x k.
  @ParameterizedTest
  @CsvSource({"linear-qkv, 4", "linear-proj, 2", "linear-fc1, 5", "linear-fc2, 5"})
  void shouldTrainTheAdaptersParametersAlone(String module, int widths) {
    MemoryUse use = iteration(", lora: {rank: 8, modules: [" + module + "]}").memory(0);
    long trained = 8L * widths * HIDDEN * LAYERS;
    assertThat(use.optimizer()).isEqualTo(12 * trained);
    assertThat(use.gradients()).isEqualTo(4 * trained);
    assertThat(use.parameters()).isEqualTo(iteration("").memory(0).parameters() + 2 * trained);
  }

  @Test
  void shouldTrainAsManyParametersOfLlamaAsNemoPrints() {
    // NeMo prints 16.8 M trainable parameters for Llama 2 7B with its defaults.
    Training llama = Jobs.job("{model: {preset: llama2-7b}, parallel: {}, batch: {global: 8}, execution: {},"
        + " kernels: {preset: kernels-ampere}, lora: {}}");
    assertThat((double) llama.lora().orElseThrow().layerParameters(llama.shape()) * llama.shape().layers())
        .isCloseTo(16.8e6, Percentage.withPercentage(0.5));
  }

  @Test
  void shouldHaveNoGradientsOfFrozenMatrices() {
    Iteration adapted = iteration(", " + ALL);
    for (String name : List.of("qkv", "projection", "up", "down", "logits")) {
      assertThat(products(adapted, name + "-weights")).isEmpty();
      assertThat(products(iteration(""), name + "-weights")).isNotEmpty();
      assertThat(products(adapted, name)).isEqualTo(products(iteration(""), name));
    }
  }

  @Test
  void shouldMultiplyByBothFactorsOfAnAdapterInEachPass() {
    Iteration adapted = iteration(", lora: {rank: 8, modules: [linear-fc1]}");
    int passes = products(adapted, "up").size();
    assertThat(products(adapted, "adapter")).hasSize(2 * passes)
        .contains(gemm("adapter", TOKENS, 8, HIDDEN, 2), gemm("adapter", TOKENS, 4 * HIDDEN, 8, 2));
    assertThat(products(adapted, "adapter-inputs")).hasSize(2 * passes)
        .contains(gemm("adapter-inputs", TOKENS, 8, 4 * HIDDEN, 2), gemm("adapter-inputs", TOKENS, HIDDEN, 8, 2));
    assertThat(products(adapted, "adapter-weights")).hasSize(2 * passes).allSatisfy(
        product -> assertThat(product.m() * product.n()).isIn(8L * HIDDEN, 8L * 4 * HIDDEN));
  }

  @ParameterizedTest
  @CsvSource({"false, 0", "true, 2"})
  void shouldScaleResultsAndDropInputsOfAdapters(boolean dropout, int drops) {
    Iteration adapted = iteration(", lora: {rank: 8, modules: [linear-fc1], dropout: " + dropout + "}");
    int passes = products(adapted, "up").size();
    assertThat(adapted.kernels()).filteredOn(kernel -> kernel.name().equals("adapter-scale")).hasSize(2 * passes)
        .allSatisfy(kernel -> assertThat(kernel.bytes()).isEqualTo(4.0 * TOKENS * 4 * HIDDEN));
    assertThat(adapted.kernels()).filteredOn(kernel -> kernel.name().equals("adapter-dropout"))
        .hasSize(drops * passes)
        .allSatisfy(kernel -> assertThat(kernel.bytes()).isEqualTo(5.0 * TOKENS * HIDDEN));
  }

  private static Kernel.Gemm gemm(String name, long m, long n, long k, int bytes) {
    return new Kernel.Gemm(name, 1, m, n, k, Precision.BF16, bytes);
  }

  @Test
  void shouldCountTwoThirdsOfTheOperations() {
    assertThat(iteration(", " + ALL).flopsPerSecond(1))
        .isCloseTo(iteration("").flopsPerSecond(1) * 2 / 3, Percentage.withPercentage(1e-9));
  }

  // Sequences packed into one of 1,024 tokens are as many of their own length.
  @ParameterizedTest
  @CsvSource({"'', 1, 1024", "', packed: 128', 8, 128", "', packed: 180', 6, 170", "', packed: 512', 2, 512",
      "', packed: 700', 1, 1024", "', packed: 4096', 1, 1024"})
  void shouldAttendToEachOfTheSequencesThatArePackedIntoOne(String packed, long sequences, long tokens) {
    assertThat(iteration(packed).kernels()).filteredOn(Kernel.Attention.class::isInstance).isNotEmpty()
        .map(Kernel.Attention.class::cast).allSatisfy(attention -> {
          assertThat(attention.sequences()).isEqualTo(sequences);
          assertThat(attention.queries()).isEqualTo(tokens);
          assertThat(attention.keys()).isEqualTo(tokens);
        });
  }

  @Test
  void shouldRefuseModelsAndShardingWithoutAdapters() {
    assertThatThrownBy(() -> Jobs.job("{model: {preset: mixtral-8x7b}, parallel: {}, batch: {global: 8},"
        + " execution: {}, kernels: {preset: kernels-ampere}, lora: {}}"))
        .hasMessageContaining("lora").hasMessageContaining("Mixtral");
    assertThatThrownBy(() -> job(", lora: {modules: []}")).hasMessageContaining("nothing is trained");
    assertThatThrownBy(() -> job(", lora: {rank: 0}")).hasMessageContaining("rank");
  }
}
