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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the shares of tokens that ranks quantise before they are gathered. */
class ProductsTest {
  private static final int TOKENS = 1024;
  private static final int HIDDEN = 512;

  // With one scale a tensor, rows of a share are read in 16 bits and written in 8, and all tokens are laid out anew for
  // the gradients of weights; with scales of blocks, of 1/32 byte an element, both layouts of a share are written.
  @ParameterizedTest
  @CsvSource({"fp8, 1, 4, 0", "fp8, 4, 0.75, 2", "mxfp8, 1, 4.0625, 0", "mxfp8, 4, 1.015625, 0"})
  void shouldQuantiseTheShareOfARankWhereTokensAreGathered(
      String precision, int tensor, double quantised, double transposed) {
    Training job = job(precision, tensor);
    List<Kernel> kernels = new ArrayList<>();
    StageOps ops = new StageOps(kernel -> {
      kernels.add(kernel);
      return 0;
    }, job.execution());
    Products products = new Products(LayerSizes.of(job), Optional.empty());
    products.runGathered(ops, "up", HIDDEN, HIDDEN);
    products.weightsOfGathered(ops, "up", HIDDEN, HIDDEN, HIDDEN);
    assertThat(bytes(kernels, "quantise")).isCloseTo(quantised * TOKENS * HIDDEN, within(1e-3));
    assertThat(bytes(kernels, "transpose")).isCloseTo(transposed * TOKENS * HIDDEN, within(1e-3));
    assertThat(LayerSizes.of(job).gatheredBytes())
        .isEqualTo(Math.round(TOKENS * HIDDEN * (precision.equals("fp8") ? 1 : 1 + 1 / 32.0)));
  }

  private static double bytes(List<Kernel> kernels, String name) {
    return kernels.stream().filter(kernel -> kernel.name().equals(name)).mapToDouble(Kernel::bytes).sum();
  }

  private static Training job(String precision, int tensor) {
    try (Registry registry = Registry.discover(ProductsTest.class.getClassLoader(), List.of())) {
      return new ScenarioReader(registry).record(Training.class, "test",
          "{model: {name: small, hidden: " + HIDDEN + ", layers: 2, heads: 8, vocabulary: 32000, sequence: " + TOKENS
              + "}, parallel: {tensor: " + tensor + ", sequence-parallel: " + (tensor > 1)
              + "}, batch: {global: 1}, execution: {precision: " + precision
              + "}, kernels: {preset: kernels-blackwell}}");
    }
  }
}
