package dev.heddle.workload.megatron.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.Kernel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the shares of tokens that ranks quantise before they are gathered. */
class ProductsTest {
  private static final int TOKENS = 1024;
  private static final int HIDDEN = 512;

  // Hopper needs both layouts of a tensor, Blackwell one where the tensor has one scale. A known scale lets the
  // normalisation write 8 bits; an unknown one is its largest value. With scales of blocks, of 1/32 byte an element,
  // both layouts of a share are written.
  @ParameterizedTest
  @CsvSource({
      "hopper, fp8, 1, 0, 2", "hopper, fp8, 4, 0, 2", "hopper, fp8-current, 1, 4, 0", "hopper, fp8-current, 4, 0.75, 2",
      "blackwell, fp8, 1, 0, 0", "blackwell, fp8-current, 1, 3, 0", "blackwell, fp8-current, 4, 0.75, 0",
      "blackwell, mxfp8, 1, 4.0625, 0", "blackwell, mxfp8, 4, 1.015625, 0"})
  void shouldQuantiseTheShareOfARankWhereTokensAreGathered(
      String generation, String precision, int tensor, double quantised, double transposed) {
    Training job = job(generation, precision, tensor);
    List<Kernel> kernels = kernels(job, (products, ops) -> {
      products.runGathered(ops, "up", HIDDEN, HIDDEN);
      products.weightsOfGathered(ops, "up", HIDDEN, HIDDEN, HIDDEN);
    });
    assertThat(bytes(kernels, "quantise")).isCloseTo(quantised * TOKENS * HIDDEN, within(1e-3));
    assertThat(bytes(kernels, "transpose")).isCloseTo(transposed * TOKENS * HIDDEN, within(1e-3));
    assertThat(LayerSizes.of(job).gatheredBytes())
        .isEqualTo(Math.round(TOKENS * HIDDEN * (precision.startsWith("fp8") ? 1 : 1 + 1 / 32.0)));
  }

  // The largest value of what no normalisation leaves is read before the cast, by ranks that share it for all of them.
  @ParameterizedTest
  @CsvSource({"fp8, 1, 0, 0", "fp8, 4, 0, 0", "fp8-current, 1, 2, 0", "fp8-current, 4, 0.5, 1"})
  void shouldReadTheLargestValueBeforeACastWhoseScaleItIs(
      String precision, int tensor, double read, int reductions) {
    Training job = job("hopper", precision, tensor);
    List<StageOp> built = new ArrayList<>();
    List<Kernel> kernels = kernels(job, (products, ops) -> {
      products.inputsOfGathered(ops, "down", HIDDEN, HIDDEN);
      built.addAll(ops.build());
    });
    assertThat(bytes(kernels, "largest")).isEqualTo(read * TOKENS * HIDDEN);
    assertThat(built.stream().filter(op -> op instanceof StageOp.Blocking)).hasSize(reductions);
  }

  private static List<Kernel> kernels(Training job, BiConsumer<Products, StageOps> passes) {
    List<Kernel> kernels = new ArrayList<>();
    StageOps ops = new StageOps(kernel -> {
      kernels.add(kernel);
      return 0;
    }, job.execution());
    passes.accept(new Products(LayerSizes.of(job), Optional.empty()), ops);
    return kernels;
  }

  private static double bytes(List<Kernel> kernels, String name) {
    return kernels.stream().filter(kernel -> kernel.name().equals(name)).mapToDouble(Kernel::bytes).sum();
  }

  private static Training job(String generation, String precision, int tensor) {
    try (Registry registry = Registry.discover(ProductsTest.class.getClassLoader(), List.of())) {
      return new ScenarioReader(registry).record(Training.class, "test",
          "{model: {name: small, hidden: " + HIDDEN + ", layers: 2, heads: 8, vocabulary: 32000, sequence: " + TOKENS
              + "}, parallel: {tensor: " + tensor + ", sequence-parallel: " + (tensor > 1)
              + "}, batch: {global: 1}, execution: {precision: " + precision
              + "}, kernels: {preset: kernels-" + generation + "}}");
    }
  }
}
