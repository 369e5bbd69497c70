package dev.heddle.workload.megatron.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.parallel.GroupKind;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of collectives beside the products of tensor-parallel ranks. */
class TensorExchangesTest {
  private static final long TOKENS = 128;
  private static final long HIDDEN = 1024;
  private static final long KERNEL_PS = 1_000_000;

  private static List<StageOp> backwardRow(boolean sequenceParallel, String overlap) {
    try (Registry registry = Registry.discover(TensorExchangesTest.class.getClassLoader(), List.of())) {
      Training training = new ScenarioReader(registry).record(Training.class, "test",
          "{model: {name: m, hidden: " + HIDDEN + ", layers: 2, heads: 8, vocabulary: 1024, sequence: " + TOKENS
              + "}, parallel: {tensor: 4, sequence-parallel: " + sequenceParallel + "}, batch: {global: 64}, "
              + "kernels: {preset: kernels-ampere}, execution: {tensor-overlap: " + overlap
              + ", overlap-slowdown: 0.5}}");
      LayerSizes sizes = LayerSizes.of(training);
      StageOps ops = new StageOps(kernel -> KERNEL_PS / 1e12, sizes.execution());
      new TensorExchanges(sizes).backwardRow(
          ops, () -> ops.run(new Kernel.Memory("inputs", 1)), () -> ops.run(new Kernel.Memory("weights", 1)));
      return ops.build().stream().filter(op -> !(op instanceof StageOp.Launch)).toList();
    }
  }

  @ParameterizedTest
  @CsvSource({"none", "backward", "products"})
  void shouldGatherNothingWhereEachRankHasAllTokens(String overlap) {
    assertThat(backwardRow(false, overlap)).allMatch(StageOp.Compute.class::isInstance);
  }

  // The gather of all tokens' gradients is before both products, or beside the first, which it slows down.
  @ParameterizedTest
  @CsvSource({"none, false", "backward, false", "products, true"})
  void shouldGatherBesideTheProductWhereRingsOfUserBuffersDo(String overlap, boolean beside) {
    List<StageOp> ops = backwardRow(true, overlap);
    long bytes = 2 * TOKENS * HIDDEN;
    long computed = ops.stream()
        .mapToLong(op -> op instanceof StageOp.Compute compute ? compute.ps() : 0).sum();
    assertThat(computed).isEqualTo(beside ? 5 * KERNEL_PS / 2 : 2 * KERNEL_PS);
    if (beside) {
      assertThat(ops.get(0))
          .isEqualTo(new StageOp.Begin(GroupKind.TENSOR_OVERLAPPED, CollectiveOp.ALL_GATHER, bytes));
      assertThat(ops.get(2)).isEqualTo(new StageOp.Join(Activity.TENSOR, GroupKind.TENSOR_OVERLAPPED, 0));
    } else {
      assertThat(ops.get(0))
          .isEqualTo(new StageOp.Blocking(Activity.TENSOR, GroupKind.TENSOR, CollectiveOp.ALL_GATHER, bytes));
    }
  }
}
