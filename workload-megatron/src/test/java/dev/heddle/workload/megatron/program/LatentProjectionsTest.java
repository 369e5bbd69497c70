package dev.heddle.workload.megatron.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.parallel.RankGrid;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Counts what the projections of latent attention multiply, cast and exchange. */
class LatentProjectionsTest {
  private static final long TOKENS = 2048;
  private static final long HIDDEN = 1024;
  private static final long HEADS = 16;
  private static final long QUERY_RANK = 384;
  private static final long KEY_RANK = 128;
  private static final long PLAIN = 128;
  private static final long ROPE = 64;
  private static final long VALUE = 128;

  private static Training job(int tensor, String precision) {
    try (Registry registry = Registry.discover(LatentProjectionsTest.class.getClassLoader(), List.of())) {
      return new ScenarioReader(registry).record(Training.class, "test",
          "{model: {name: latent, hidden: " + HIDDEN + ", layers: 2, heads: " + HEADS
              + ", vocabulary: 32000, sequence: "
              + TOKENS + ", positions: rotary, bias: false, latent: {query-rank: " + QUERY_RANK + ", key-rank: "
              + KEY_RANK + ", plain-size: " + PLAIN + ", rope-size: " + ROPE + ", value-size: " + VALUE
              + "}}, parallel: {tensor: " + tensor + ", sequence-parallel: " + (tensor > 1)
              + "}, batch: {global: 1}, execution: {precision: " + precision
              + ", tensor-overlap: none}, kernels: {preset: kernels-blackwell}}");
    }
  }

  private static LayerPasses passes(Training job, List<Kernel> kernels) {
    int ranks = job.parallel().tensor();
    return new LayerPasses(job, kernel -> {
      kernels.add(kernel);
      return 1e-6;
    }, new RankGrid(job.parallel(), ranks, ranks), ranks, 0);
  }

  private static double products(List<Kernel> kernels, String name) {
    return kernels.stream().filter(kernel -> kernel.name().equals(name)).mapToDouble(Kernel::flops).sum();
  }

  // Each rank multiplies half of the tokens with the whole matrices, and all tokens with half of the heads.
  @ParameterizedTest
  @CsvSource({"1", "2"})
  void shouldCompressTheRanksOwnTokens(int tensor) {
    List<Kernel> kernels = new ArrayList<>();
    passes(job(tensor, "bf16"), kernels).forward(0, false);
    double each = 2.0 * TOKENS / tensor;
    assertThat(products(kernels, "query-latent")).isEqualTo(each * HIDDEN * QUERY_RANK);
    assertThat(products(kernels, "key-latent")).isEqualTo(each * HIDDEN * (KEY_RANK + ROPE));
    assertThat(products(kernels, "queries")).isEqualTo(each * HEADS * (PLAIN + ROPE) * QUERY_RANK);
    assertThat(products(kernels, "keys")).isEqualTo(each * HEADS * (PLAIN + VALUE) * KEY_RANK);
  }

  // In 16 bits: the keys' rotated part, both latent vectors, and those of the attention's block and of the dense one.
  @Test
  void shouldGatherLatentVectorsAndNotTheModels() {
    List<Long> gathered = passes(job(2, "bf16"), new ArrayList<>()).forward(0, false).stream()
        .filter(op -> op instanceof StageOp.Blocking each && each.op() == CollectiveOp.ALL_GATHER)
        .map(op -> ((StageOp.Blocking) op).bytes()).toList();
    assertThat(gathered).containsExactly(
        2 * TOKENS * ROPE, 2 * TOKENS * QUERY_RANK, 2 * TOKENS * KEY_RANK, 2 * TOKENS * HIDDEN);
  }

  // The gradients of all five results, and in the dense block of both, are read in 16 bits and written in both layouts
  // of 8 with a byte of scale for 32.
  @Test
  void shouldCastTheGradientsOfEveryProjection() {
    List<Kernel> kernels = new ArrayList<>();
    passes(job(1, "mxfp8"), kernels).backward(0, 0, StageOps.Part.ALL, false);
    double cast = kernels.stream().filter(Kernel.Cast.class::isInstance).mapToDouble(Kernel::bytes).sum();
    long attention = HIDDEN + HEADS * (PLAIN + ROPE) + HEADS * (PLAIN + VALUE) + QUERY_RANK + KEY_RANK + ROPE;
    long dense = HIDDEN + 4 * HIDDEN;
    assertThat(cast).isEqualTo((2 + 2 * (1 + 1.0 / 32)) * TOKENS * (attention + dense));
  }
}
