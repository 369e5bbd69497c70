package dev.heddle.collectives.nccl.symmetric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.symmetric.SymmetricTuner.Plan;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests of NCCL's choice of kernels for symmetric memory, against values of its cost model that were evaluated from the
 * formulas of NCCL 2.27 to 2.30 apart from this program.
 */
class SymmetricTunerTest {
  private static final NcclVersion VERSION = NcclVersion.parse("2.28.9");

  @ParameterizedTest
  @CsvSource({
      "90, 8, ALL_REDUCE, 64, ALL_REDUCE_LL_MULTICAST, 4.8",
      "90, 8, ALL_REDUCE, 24576, ALL_REDUCE_MULTIMEM, 8.1",
      "90, 8, ALL_REDUCE, 1048576, ALL_REDUCE_MULTIMEM, 9.4",
      "90, 8, ALL_REDUCE, 16777216, ALL_REDUCE_MULTIMEM, 43.4",
      "90, 8, ALL_REDUCE, 1073741824, ALL_REDUCE_MULTIMEM, 2351",
      "90, 4, ALL_REDUCE, 1073741824, ALL_REDUCE_MULTIMEM, 2614",
      "90, 8, ALL_GATHER, 1073741824, ALL_GATHER_MULTIMEM, 2817",
      "100, 8, ALL_REDUCE, 64, ALL_REDUCE_LL_MULTICAST, 11.3",
      "100, 8, ALL_REDUCE, 1073741824, ALL_REDUCE_MULTIMEM, 1144",
      "100, 8, ALL_GATHER, 1073741824, ALL_GATHER_MULTIMEM, 1483"})
  void shouldExpectTimesOfNcclsCostModel(
      int capability, int ranks, CollectiveOp op, long bytes, SymmetricKernel kernel, double micros) {
    Plan plan = new SymmetricTuner(VERSION, capability, ranks, true).choose(op, bytes).orElseThrow();

    assertThat(plan.kernel()).isEqualTo(kernel);
    assertThat(plan.micros()).isCloseTo(micros, within(.006 * micros + .05));
  }

  @ParameterizedTest
  @CsvSource({"90, 8, 24576, 2", "90, 8, 16777216, 2", "100, 8, 1073741824, 3"})
  void shouldTakeFewBlocksWithMulticast(int capability, int ranks, long bytes, int most) {
    assertThat(new SymmetricTuner(VERSION, capability, ranks, true).choose(CollectiveOp.ALL_REDUCE, bytes))
        .map(Plan::blocks).get().satisfies(blocks -> assertThat(blocks).isBetween(1, most));
  }

  @Test
  void shouldLoadAndStoreWhenTwoRanksHaveNoMulticast() {
    SymmetricTuner two = new SymmetricTuner(NcclVersion.parse("2.29.2"), 90, 2, true);

    assertThat(two.choose(CollectiveOp.ALL_REDUCE, 64 << 10)).map(Plan::kernel).hasValue(SymmetricKernel.ALL_REDUCE_LL);
    assertThat(two.choose(CollectiveOp.ALL_REDUCE, 128 << 10)).map(Plan::kernel)
        .hasValue(SymmetricKernel.ALL_REDUCE_LOAD_STORE);
    Plan large = two.choose(CollectiveOp.ALL_REDUCE, 1 << 30).orElseThrow();
    assertThat(large.micros()).isCloseTo(3208, within(16.0));
    assertThat(large.blocks()).isEqualTo(7);
  }

  @Test
  void shouldHaveNoKernelWhenNcclHasNone() {
    SymmetricTuner tuner = new SymmetricTuner(VERSION, 90, 8, true);

    for (CollectiveOp op : CollectiveOp.values()) {
      boolean served = op == CollectiveOp.ALL_REDUCE || op == CollectiveOp.ALL_GATHER
          || op == CollectiveOp.REDUCE_SCATTER;
      assertThat(tuner.choose(op, 1 << 20).isPresent()).isEqualTo(served);
    }
  }
}
