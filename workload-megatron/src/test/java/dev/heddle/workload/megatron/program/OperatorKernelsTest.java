package dev.heddle.workload.megatron.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.workload.megatron.Jobs;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.parallel.RankGrid;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares layers whose operators run one by one with fused ones, by the bytes that PyTorch's operators move. */
class OperatorKernelsTest {
  private static final int TOKENS = 512;
  private static final int HIDDEN = 1024;
  private static final int INNER = 2816;
  private static final int HEADS = 16;
  private static final int KEY_HEADS = 4;
  private static final int SIZE = 64;
  private static final String LLAMA = "norm-bias: false, positions: rotary, activation: swiglu";

  // Kernels that move bytes take a second a byte; all others take no time.
  private static double moved(String model, String elementwise, boolean backward) {
    Training job = Jobs.job("{model: {name: small, hidden: " + HIDDEN + ", layers: 2, heads: " + HEADS + ", kv-heads: "
        + KEY_HEADS + ", ffn: " + INNER + ", vocabulary: 32000, sequence: " + TOKENS + ", bias: false, " + model
        + "}, parallel: {}, batch: {global: 1}, execution: {norm: fused, elementwise: " + elementwise
        + "}, kernels: {preset: kernels-hopper}}");
    LayerPasses passes = new LayerPasses(
        job,
        kernel -> kernel instanceof Kernel.Memory || kernel instanceof Kernel.Elementwise ? 1e-9 * kernel.bytes() : 0,
        new RankGrid(job.parallel(), 1, 1),
        1,
        0);
    List<StageOp> ops = backward ? passes.backward(0, 0, StageOps.Part.ALL, false) : passes.forward(0, false);
    return ops.stream().mapToDouble(op -> op instanceof StageOp.Compute each ? each.ps() : 0).sum() / 1e3;
  }

  // Norms are no kernels of bytes alone where they are fused. A fused rotation moves 4 bytes of queries and
  // keys, a fused gate 6 bytes of an inner element forward and 10 backward.
  @ParameterizedTest
  @CsvSource({"false, 36, 20, 10, 6", "true, 92, 20, 18, 10"})
  void shouldMoveTheBytesOfEachOperator(boolean backward, int norm, int rotation, int gate, int fusedGate) {
    double more = 2.0 * norm * TOKENS * HIDDEN
        + (double) TOKENS * SIZE * (rotation - 4) * (HEADS + KEY_HEADS)
        + (double) TOKENS * INNER * (gate - fusedGate);
    assertThat(moved(LLAMA, "operators", backward) - moved(LLAMA, "fused", backward))
        .isCloseTo(more, Offset.offset(1e-3 * more));
  }

  // LayerNorm, learned positions and GELU are single operators of PyTorch.
  @ParameterizedTest
  @CsvSource({"false", "true"})
  void shouldMoveTheSameWhereEachIsOneOperator(boolean backward) {
    assertThat(moved("positions: learned", "operators", backward))
        .isEqualTo(moved("positions: learned", "fused", backward));
  }
}
