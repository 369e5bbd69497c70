package dev.heddle.workload.megatron.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.kernel.exchange.ExchangeKernel;
import dev.heddle.kernel.exchange.ExchangeLoad;
import dev.heddle.kernel.exchange.ExchangeModels;
import dev.heddle.kernel.exchange.ExchangeSite;
import dev.heddle.kernel.exchange.ExchangeStep;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.model.Experts;
import dev.heddle.workload.megatron.parallel.ExpertDispatch;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.RankGrid;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares the exchanges of a job with the measured kernels' model on links without limits. */
class ExpertExchangeTest {
  private static final int HIDDEN = 2048;
  private static final int TOKENS = 4096;
  private static final int RANKS = 16;
  private static final double FAST = 1e18;

  private static Training job(String dispatch) {
    try (Registry registry = Registry.discover(ExpertExchangeTest.class.getClassLoader(), List.of())) {
      return new ScenarioReader(registry).record(Training.class, "test",
          "{model: {name: sparse, hidden: " + HIDDEN + ", layers: 2, heads: 16, vocabulary: 32000, sequence: " + TOKENS
              + ", experts: {count: 128, top-k: 8, ffn: 768}}, parallel: {expert: " + RANKS + "}, batch: {global: 16},"
              + " execution: {host-per-kernel: 0 us, dispatch: " + dispatch
              + "}, kernels: {preset: kernels-hopper}}");
    }
  }

  private static ExpertExchange exchange(Training job, int nodeSize) {
    return new ExpertExchange(LayerSizes.of(job), job.shape().experts().orElseThrow(),
        new RankGrid(job.parallel(), RANKS, nodeSize), nodeSize);
  }

  private static double seconds(List<StageOp> ops) {
    return 1e-12 * ops.stream().mapToLong(op -> op instanceof StageOp.Compute each ? each.ps() : 0).sum();
  }

  private static StageOps ops(Training job) {
    return new StageOps(kernel -> 1e-3, job.execution());
  }

  private static double deepEp(ExchangeStep step, int nodes) {
    Experts experts = new Experts(128, 8, 768, 0, 0, 1, Optional.empty(), 1, 1);
    ExchangeLoad load =
        new ExchangeLoad(TOKENS, 2 * HIDDEN, experts.partsHit(RANKS), experts.partsHit(nodes), experts.count());
    return ExchangeModels.bundled().get(ExchangeKernel.DEEPEP_NORMAL, step).model()
        .seconds(load, new ExchangeSite(nodes, RANKS / nodes, 132, 20, FAST, FAST));
  }

  @ParameterizedTest
  @CsvSource({"8", "16"})
  void shouldTakeTheTimeOfDeepEpsKernelsOnFastLinks(int nodeSize) {
    Training job = job("deepep");
    StageOps dispatch = ops(job);
    exchange(job, nodeSize).dispatch(dispatch, false);
    assertThat(seconds(dispatch.build())).isCloseTo(deepEp(ExchangeStep.DISPATCH, RANKS / nodeSize), within(2e-12));
    StageOps combine = ops(job);
    exchange(job, nodeSize).combine(combine, false);
    assertThat(seconds(combine.build())).isCloseTo(deepEp(ExchangeStep.COMBINE, RANKS / nodeSize), within(2e-12));
  }

  // Counts of 8 bytes for each expert, or a byte for each token and expert, of all ranks.
  @ParameterizedTest
  @CsvSource({"all-to-all, 8", "hybridep, 4096"})
  void shouldTellAllRanksWhatTheyReceive(String dispatch, long each) {
    Training job = job(dispatch);
    StageOps ops = ops(job);
    exchange(job, RANKS).announce(ops);
    assertThat(ops.build()).containsExactly(new StageOp.Blocking(
        Activity.EXPERT, GroupKind.EXPERT, CollectiveOp.ALL_GATHER, each * 128 * RANKS));
  }

  // Rows of 4,096 bytes, of all_to_all one for each of 8 experts and 4 bytes for each apart, of HybridEP one for each
  // rank that has any, with 4 bytes for each of 128 experts in the domain.
  @ParameterizedTest
  @CsvSource({"all-to-all, 32768, 32", "hybridep, 4096, 512"})
  void shouldSendProbabilitiesToExpertsAndTheirGradientsBack(String dispatch, long row, long probability) {
    Training job = job(dispatch);
    double copies = dispatch.equals("hybridep") ? job.shape().experts().orElseThrow().partsHit(RANKS) : 1;
    for (boolean backward : new boolean[] {false, true}) {
      StageOps to = ops(job);
      exchange(job, RANKS).dispatch(to, backward);
      StageOps back = ops(job);
      exchange(job, RANKS).combine(back, backward);
      assertThat(bytes(to)).isEqualTo(Math.round(TOKENS * copies * (backward ? row : row + probability)));
      assertThat(bytes(back)).isEqualTo(Math.round(TOKENS * copies * (backward ? row + probability : row)));
    }
  }

  private static long bytes(StageOps ops) {
    return ops.build().stream().mapToLong(op -> op instanceof StageOp.Begin each ? each.bytes() : 0).sum();
  }

  @Test
  void shouldHideTheKernelsBesideLongerComputation() {
    Training job = job("deepep");
    StageOps ops = ops(job);
    exchange(job, 8).dispatch(ops, false, () -> ops.move("long", 1, 5));
    assertThat(seconds(ops.build())).isCloseTo(5e-3, within(1e-12));
  }

  @Test
  void shouldWaitForTheKernelsBesideShorterComputation() {
    Training job = job("deepep");
    StageOps ops = new StageOps(kernel -> 1e-5, job.execution());
    exchange(job, 8).combine(ops, false, () -> ops.move("short", 1));
    assertThat(seconds(ops.build())).isCloseTo(deepEp(ExchangeStep.COMBINE, 2), within(2e-12));
  }

  @ParameterizedTest
  @CsvSource({"4, DEEPEP", "8, DEEPEP", "16, HYBRIDEP", "72, HYBRIDEP"})
  void shouldTakeTheKernelsThatKnowSoManyPeers(int nodeSize, ExpertDispatch expected) {
    assertThat(ExpertDispatch.FLEX.on(nodeSize)).isEqualTo(expected);
    assertThat(ExpertDispatch.ALL_TO_ALL.on(nodeSize)).isEqualTo(ExpertDispatch.ALL_TO_ALL);
  }

  @Test
  void shouldSendTheSameCopiesWhateverTheKernels() {
    Training job = job("deepep");
    Training other = job("hybridep");
    StageOps first = ops(job);
    StageOps second = ops(other);
    exchange(job, 8).dispatch(first, true);
    exchange(other, 8).dispatch(second, true);
    List<StageOp> sent = first.build().stream().filter(StageOp.Begin.class::isInstance).toList();
    assertThat(sent).isEqualTo(second.build().stream().filter(StageOp.Begin.class::isInstance).toList())
        .extracting(op -> ((StageOp.Begin) op).group())
        .isEqualTo(List.of(GroupKind.EXPERT_NODE, GroupKind.EXPERT_RAIL));
  }
}
