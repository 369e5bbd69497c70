package dev.heddle.workload.megatron.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.parallel.RankGrid;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the rotation of positions, what graphs copy, and what is outside of a graph of an iteration. */
class LayerPassesTest {
  private static final int TOKENS = 2048;
  private static final int HEADS = 16;
  private static final int KEY_HEADS = 4;
  private static final int SIZE = 64;

  private static Training job(String positions, String execution) {
    try (Registry registry = Registry.discover(LayerPassesTest.class.getClassLoader(), List.of())) {
      return new ScenarioReader(registry).record(Training.class, "test",
          "{model: {name: rotated, hidden: 1024, layers: 2, heads: " + HEADS + ", kv-heads: " + KEY_HEADS
              + ", head-size: " + SIZE + ", vocabulary: 32000, sequence: " + TOKENS + ", positions: " + positions
              + "}, parallel: {}, batch: {global: 1}, execution: {" + execution
              + "}, kernels: {preset: kernels-hopper}}");
    }
  }

  private static LayerPasses passes(Training job, double[] moved) {
    return new LayerPasses(job, kernel -> {
      if (kernel instanceof Kernel.Memory && kernel.name().equals("positions")) {
        moved[0] += kernel.bytes();
      }
      return 1e-6;
    }, new RankGrid(job.parallel(), 1, 1), 1, 10e-6);
  }

  // Elements of 2 bytes: products with cosines and sines (2 each), a half negated (1), concatenation (2), sum (3) and
  // copy (2). Gradients: both products (4), a half negated (1), concatenation (2), sum (3), zeros (1) and the sum with
  // them (3).
  @ParameterizedTest
  @CsvSource({"yarn, false, 24", "yarn, true, 28", "rotary, false, 4", "rotary, true, 4"})
  void shouldRotateByOperatorsWhereRotationsScale(String positions, boolean backward, double bytes) {
    double[] moved = new double[1];
    LayerPasses passes = passes(job(positions, ""), moved);
    if (backward) {
      passes.backward(0, 0, StageOps.Part.ALL, false);
    } else {
      passes.forward(0, false);
    }
    assertThat(moved[0]).isEqualTo(bytes * TOKENS * SIZE * (HEADS + KEY_HEADS));
  }

  // A graph of attention reads the residual, of 2 bytes read and written. Backward, it reads its gradient, and with the
  // router that of what goes to the experts: of a token, or of its four copies where the graph permutes.
  @ParameterizedTest
  @CsvSource({"'', 0, 0", "attn, 1, 1", "'attn, moe-router', 1, 2", "'attn, moe-router, moe-preprocess', 1, 5"})
  void shouldCopyTheVectorsThatAGraphReads(String graphs, double forward, double backward) {
    Training job = job("rotary, experts: {count: 32, top-k: 4, ffn: 512}",
        "dispatch: all-to-all, graphs: [" + graphs + "]");
    double[] copied = new double[1];
    LayerPasses passes = new LayerPasses(job, kernel -> {
      copied[0] += kernel.name().equals("graph-copy") ? kernel.bytes() : 0;
      return 1e-6;
    }, new RankGrid(job.parallel(), 1, 1), 1, 10e-6);
    passes.forward(0, false);
    assertThat(copied[0]).isEqualTo(forward * 4 * TOKENS * 1024);
    copied[0] = 0;
    passes.backward(0, 0, StageOps.Part.ALL, false);
    assertThat(copied[0]).isEqualTo(backward * 4 * TOKENS * 1024);
  }

  @Test
  void shouldLaunchOnlyTheOptimizersStepWhenAGraphHoldsTheIteration() {
    LayerPasses passes = passes(job("rotary", "graphs: [full-iteration]"), new double[1]);
    assertThat(passes.newOps().move("kernel", 1).move("kernel", 1).build())
        .noneMatch(StageOp.Launch.class::isInstance);
    assertThat(passes.newStep().move("kernel", 1).move("kernel", 1).build()).anyMatch(StageOp.Launch.class::isInstance);
  }
}
