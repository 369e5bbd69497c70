package dev.heddle.workload.megatron.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.workload.megatron.Jobs;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.ElementFunction;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.parallel.RankGrid;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Counts the bytes of casts and activations of a layer that fused operations of Transformer Engine save. */
class FusedOperationsTest {
  private static final int TOKENS = 1024;
  private static final int HIDDEN = 512;
  private static final int INNER = 1536;

  private static List<Kernel> kernels(String generation, String execution, boolean backward) {
    Training job = Jobs.job("{model: {name: small, hidden: " + HIDDEN + ", layers: 2, heads: 8, ffn: " + INNER
        + ", vocabulary: 32000, sequence: " + TOKENS + ", positions: rotary, activation: swiglu, bias: false,"
        + " norm-bias: false}, parallel: {}, batch: {global: 1}, execution: {" + execution
        + "}, kernels: {preset: kernels-" + generation + "}}");
    List<Kernel> kernels = new ArrayList<>();
    LayerPasses passes = new LayerPasses(job, kernel -> {
      kernels.add(kernel);
      return 0;
    }, new RankGrid(job.parallel(), 1, 1), 1, 0);
    if (backward) {
      passes.backward(0, 0, StageOps.Part.ALL, false);
    } else {
      passes.forward(0, false);
    }
    return kernels;
  }

  private static double moved(String generation, String execution, boolean backward) {
    return kernels(generation, execution, backward).stream()
        .filter(kernel -> kernel instanceof Kernel.Cast || kernel.name().equals("activation"))
        .mapToDouble(Kernel::bytes).sum();
  }

  private static double saved(String generation, String execution, String fused, boolean backward) {
    return moved(generation, execution, backward) - moved(generation, execution + ", " + fused, backward);
  }

  // Bytes of an inner element. An activation that writes the product's format spares 16 bits that are written and read
  // again: once forward, and of both gradients; on Hopper it writes one layout of two, and the other is made of that
  // for the gradients of weights, of the result and of both gradients. One that leaves the largest value spares a
  // reading.
  @ParameterizedTest
  @CsvSource({
      "blackwell, precision: mxfp8, 4, 8", "blackwell, precision: fp8, 4, 8", "hopper, precision: fp8, 5, 4",
      "blackwell, precision: fp8-current, 2, 4", "blackwell, 'precision: nvfp4, hadamard: false', 2, 4",
      "blackwell, precision: nvfp4, 0, 0", "hopper, precision: bf16, 0, 0"})
  void shouldSpareWhatTheActivationLeavesToItsProducts(
      String generation, String execution, double forward, double backward) {
    double elements = (double) TOKENS * INNER;
    assertThat(saved(generation, execution, "operation-fuser: true", false) / elements)
        .isCloseTo(forward, within(1e-9));
    assertThat(saved(generation, execution, "operation-fuser: true", true) / elements)
        .isCloseTo(backward, within(1e-9));
  }

  // Both norms of a layer, whose results have a byte and 1/32 of scales in each layout of MXFP8.
  @ParameterizedTest
  @CsvSource({
      "precision: mxfp8, norm: cudnn, 4.0625", "precision: nvfp4, norm: cudnn, 0",
      "precision: nvfp4, hadamard: false, 2",
      "'precision: nvfp4, norm: cudnn', hadamard: false, 0"})
  void shouldSpareWhatNormalisationLeavesToItsProducts(String execution, String fused, double each) {
    assertThat(saved("blackwell", execution, fused, false) / (2.0 * TOKENS * HIDDEN)).isCloseTo(each, within(1e-9));
  }

  @Test
  void shouldWorkOutEachGradientOnceByAKernelOfTransformerEngine() {
    assertThat(gradients("operation-fuser: true")).containsExactly(ElementFunction.FUSED_GATED_ACTIVATION_GRADIENT);
    assertThat(gradients("operation-fuser: false")).containsExactly(ElementFunction.GATED_ACTIVATION_GRADIENT);
  }

  private static List<ElementFunction> gradients(String execution) {
    return kernels("hopper", execution, true).stream()
        .filter(kernel -> kernel.name().equals("activation")).map(kernel -> ((Kernel.Elementwise) kernel).function())
        .toList();
  }
}
