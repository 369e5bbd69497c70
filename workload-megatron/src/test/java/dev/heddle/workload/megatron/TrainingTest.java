package dev.heddle.workload.megatron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.scenario.ScenarioException;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.LinearFormat;
import dev.heddle.workload.megatron.parallel.Recompute;
import dev.heddle.workload.megatron.program.Iteration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks that jobs which Megatron-LM refuses are refused, with the reason. */
class TrainingTest {
  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "tensor: 3 | parallel.tensor: 3 does not divide the 16 attention heads",
      "sequence-parallel: true | needs tensor of at least 2",
      "chunks: 2 | need a pipeline",
      "pipeline: 2, chunks: 2, order: gpipe | one-f-one-b alone",
      "pipeline: 6, chunks: 2 | 8 layers, the embedding and the loss are fewer",
      "tensor: 4, expert-tensor: 2 | must be 1 or that of tensor, 4",
      "expert: 2 | small has no experts",
      "pipeline: 2, sharding: parameters | with a pipeline use optimizer",
      "replicas: 2 | sharding must be optimizer, gradients or parameters, not none",
      "context-exchange: a2a | is between the ranks of context, which is 1",
      "context: 4, context-heads: 2 | takes effect with context-exchange a2a-p2p alone",
      "context: 4, context-exchange: a2a-p2p | is needed by context-exchange a2a-p2p",
      "context: 4, context-exchange: a2a-p2p, context-heads: 4 | must divide that of context, 4, from 2 to half of it",
      "context: 4, tensor: 8, context-exchange: a2a | has 2 heads of queries and 2 of keys",
      "context: 3 | 1024 tokens are not divided by 6"})
  void shouldRefuseParallelismThatDoesNotFit(String parallel, String reason) {
    assertThatThrownBy(() -> Jobs.small(parallel, "global: 16", "")).isInstanceOf(ScenarioException.class)
        .hasMessageContaining(reason);
  }

  @ParameterizedTest
  @CsvSource(delimiter = ';', value = {
      "Ettt|tttL; has 2 fields with 6 layers",
      "Exx|tttttttt|L; must begin with E", "Et*2|(t|)*5tL; has 7 fields with 8 layers"})
  void shouldRefuseLayoutThatIsNotTheJobs(String layout, String reason) {
    assertThatThrownBy(() -> Jobs.small("pipeline: 2, layout: '" + layout + "'", "global: 16", ""))
        .isInstanceOf(ScenarioException.class).hasMessageContaining(reason);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "precision: fp32 | write one of fp16, bf16, fp8, fp8-current, mxfp8, nvfp4, mxfp4",
      "gradient-bytes: 3 | must be 2 or 4",
      "parameter-bytes: 1 | 1 needs products in 8 bits with one scale a tensor",
      "'precision: mxfp8, parameter-bytes: 1' | 1 needs products in 8 bits with one scale a tensor",
      "accumulation: converted, gradient-bytes: 2 | gradient-bytes must be 4, but is 2",
      "launch-blocking: true | lets nothing overlap",
      "offload-layers: 4, recompute: full | recompute must be none",
      "elementwise: operators, operation-fuser: true | leave out operation-fuser",
      "elementwise: operators, fused-rotation: true | leave out fused-rotation",
      "offload-layers: 8 | 8 must be fewer than the 8 layers"})
  void shouldRefuseExecutionThatDoesNotFit(String execution, String reason) {
    assertThatThrownBy(() -> Jobs.small("", "global: 16", execution)).isInstanceOf(ScenarioException.class)
        .hasMessageContaining(reason);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "positions: yarn | fused-rotation | the positions of fused are yarn, not rotary",
      "positions: learned | fused-rotation | the positions of fused are learned, not rotary",
      "positions: rotary, head-norm: true | fused-rotation | fused normalises heads before they are rotated",
      "positions: rotary, latent: {query-rank: 64, key-rank: 64, rope-size: 64, plain-size: 64, value-size: 64}"
          + " | fused-rotation | fused has latent attention",
      "activation: clamped-swiglu | operation-fuser | has no operation that clamps its gate"})
  void shouldRefuseFusedKernelsThatDoNotExist(String model, String setting, String reason) {
    String job = "{model: {name: fused, hidden: 1024, layers: 8, heads: 16, vocabulary: 32000, sequence: 1024, %s},"
        + " parallel: {}, batch: {global: 16}, execution: {attention: flash-3%s},"
        + " kernels: {preset: kernels-hopper}}";
    assertThat(Jobs.job(job.formatted(model, "")).execution().fusedRotation()).isFalse();
    assertThatThrownBy(() -> Jobs.job(job.formatted(model, ", " + setting + ": true")))
        .isInstanceOf(ScenarioException.class).hasMessageContaining("execution." + setting)
        .hasMessageContaining(reason);
  }

  @ParameterizedTest
  @CsvSource({"p2p, false", "all-gather, true", "a2a, true"})
  void shouldRefuseWindowsInTheStepsOfARing(String exchange, boolean allowed) {
    String job = "{model: {name: windowed, hidden: 1024, layers: 8, heads: 16, vocabulary: 32000, sequence: 1024,"
        + " window: {tokens: 128}}, parallel: {context: 4, context-exchange: " + exchange
        + "}, batch: {global: 16}, execution: {}, kernels: {preset: kernels-ampere}}";
    if (allowed) {
      assertThat(Jobs.job(job).parallel().context()).isEqualTo(4);
    } else {
      assertThatThrownBy(() -> Jobs.job(job)).isInstanceOf(ScenarioException.class)
          .hasMessageContaining("take a2a or all-gather");
    }
  }

  @ParameterizedTest
  @CsvSource({"FP8, 1", "MXFP8, 2", "BF16, 2"})
  void shouldGatherParametersAsAnotherPrecisionAllows(LinearFormat precision, int bytes) {
    Training job = Jobs.small("", "global: 16", "precision: fp8-current, parameter-bytes: 1");
    assertThat(job.execution().with(precision, Recompute.NONE).parameterBytes()).isEqualTo(bytes);
  }

  @Test
  void shouldRefuseMuonWhereMatricesAreDivided() {
    assertThatThrownBy(() -> Jobs.small("sharding: parameters", "global: 16", "optimizer: muon"))
        .isInstanceOf(ScenarioException.class).hasMessageContaining("sharding must be none or optimizer");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "tensor: 4 | global: 6 | 6 sequences are no multiple of 1 of a micro-batch x 4 data-parallel ranks = 4",
      "tensor: 16, pipeline: 2 | global: 16 | 16 ranks are not divided",
      "tensor: 4 | global: 2097156 | 2097156 sequences are 524289 micro-batches of each rank; an iteration has at most",
      "pipeline: 4, chunks: 2 | global: 12 | 3 micro-batches are fewer than the 4 stages"})
  void shouldRefuseBatchAndRanksThatDoNotFit(String parallel, String batch, String reason) {
    Training training = Jobs.small(parallel, batch, "");
    assertThatThrownBy(() -> new Iteration(training, Jobs.nodes(4, 4))).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining(reason);
  }

  // Operations are counted before the collectives of all passes are listed.
  @Test
  void shouldRefuseMoreOperationsThanAreSimulated() {
    Training training = Jobs.job("{model: {name: deep, hidden: 1024, layers: 100, heads: 16, vocabulary: 32000,"
        + " sequence: 1024}, parallel: {tensor: 16, sequence-parallel: true}, batch: {global: 524288}, execution: {},"
        + " kernels: {preset: kernels-ampere}, check-memory: false}");
    assertThatThrownBy(() -> new Iteration(training, Jobs.nodes(4, 4))).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("524288 micro-batches of 100 layers are ")
        .hasMessageContaining("an iteration has at most 400000000: take larger micro-batches");
  }
}
