package dev.heddle.workload.megatron.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.workload.megatron.Jobs;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.parallel.GroupKind;
import dev.heddle.workload.megatron.parallel.RankGrid;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares the exchange of DeepSpeed's pipeline and of ZeRO's first stage with its source of 2022. */
class DeepSpeedPipelineTest {
  private static final int HIDDEN = 1024;
  private static final int TOKENS = 512;
  private static final int TENSOR = 4;
  private static final int STAGES = 3;
  private static final int RANKS = 2 * TENSOR * STAGES;

  private static Training job(String execution, String more) {
    return Jobs.job("{model: {name: small, hidden: 1024, layers: 6, heads: 16, vocabulary: 32000, sequence: 512},"
        + " parallel: {tensor: 4, pipeline: 3, sharding: optimizer}, batch: {global: 4}, execution: {" + execution
        + "}, kernels: {preset: kernels-ampere}" + more + "}");
  }

  private static StagePlan plan(Training job, int stage, List<Kernel> kernels) {
    return new StagePlanner(job, new RankGrid(job.parallel(), RANKS, 1), kernel -> {
      kernels.add(kernel);
      return 0;
    }, Contention.NONE, TENSOR, new HostWork(0, HostCopies.NONE)).plan(stage);
  }

  private static List<StageOp.Blocking> gathers(List<StageOp> pass) {
    return pass.stream().filter(StageOp.Blocking.class::isInstance).map(StageOp.Blocking.class::cast)
        .filter(each -> each.op() == CollectiveOp.ALL_GATHER).toList();
  }

  // Parts that came, and for the gradients those that were sent as well.
  @ParameterizedTest
  @CsvSource({"'', 1", "', deepspeed: {}', 2"})
  void shouldGatherWhatWasSentForTheGradientsToo(String software, int gathered) {
    StagePlan plan = plan(job("precision: fp16", software), 1, new ArrayList<>());
    assertThat(gathers(plan.forward().plain().get(0))).hasSize(1);
    assertThat(gathers(plan.backward().plain().get(0))).hasSize(gathered)
        .allMatch(each -> each.bytes() == 2L * TOKENS * HIDDEN);
  }

  // Zeros (2 bytes an element), each part out of the collective's buffer (2 + 2), the whole (2 + 2), as two equal
  // kernels; first, other and paired passes are planned apart.
  @Test
  void shouldCopyEachMessageAsPartitionedTensorsDo() {
    List<Kernel> kernels = new ArrayList<>();
    plan(job("precision: fp16", ", deepspeed: {}"), 2, kernels);
    assertThat(kernels.stream().filter(kernel -> kernel.name().equals("message")).mapToDouble(Kernel::bytes).sum())
        .isEqualTo(3 * 10.0 / 2 * TOKENS * HIDDEN);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "'' | precision: fp16, gradient-bytes: 2 | REDUCE_SCATTER | 2",
      "', deepspeed: {}' | precision: fp16, gradient-bytes: 2, accumulation: added | ALL_REDUCE | 2",
      "', deepspeed: {}' | precision: bf16, accumulation: converted | ALL_REDUCE | 2",
      "'' | precision: bf16, accumulation: converted | REDUCE_SCATTER | 4"})
  void shouldReduceWholeBucketsInSixteenBits(String software, String execution, CollectiveOp op, int width) {
    Training job = job(execution, software);
    StageOps ops = new StageOps(kernel -> 0, job.execution());
    new GradientReduction(job, new RankGrid(job.parallel(), RANKS, 1), Contention.NONE)
        .begin(ops, GroupKind.DATA, 1000);
    assertThat(ops.build()).filteredOn(StageOp.Begin.class::isInstance)
        .containsExactly(new StageOp.Begin(GroupKind.DATA, op, 1000L * width));
  }
}
