package dev.heddle.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.fabric.Fabric;
import dev.heddle.results.Results;
import dev.heddle.sim.Fidelity;
import dev.heddle.sim.Simulation;
import dev.heddle.sim.SimulationOptions;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.workload.Operation;
import dev.heddle.workload.Program;
import dev.heddle.workload.megatron.MegatronWorkloadProvider;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.program.Activity;
import dev.heddle.workload.megatron.program.Iteration;
import org.assertj.core.data.Offset;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares estimates by representative ranks with runs of all ranks, and both with closed forms. */
class RepresentativeRanksTest {
  private static final Fabric FABRIC = SmallJobs.nodes(4, 4);

  private static Results whole(Training training, Fidelity fidelity) {
    return whole(training, FABRIC, fidelity);
  }

  private static Results whole(Training training, Fabric fabric, Fidelity fidelity) {
    return new Simulation(
        "test", fabric, new MegatronWorkloadProvider().create(training), SimulationOptions.defaults(), 1)
        .with(SmallJobs.algorithm()).at(fidelity)
        .run();
  }

  private static void requireAgreement(Training training) {
    double seconds = whole(training, Fidelity.FLOW).run().simulatedPs() / 1e12;
    assertThat(estimate(training).seconds()).isCloseTo(seconds, Percentage.withPercentage(5));
  }

  private static Estimate estimate(Training training) {
    Iteration iteration = new Iteration(training, FABRIC);
    return RepresentativeRanks.of(iteration, new ProfiledCommTimes(iteration, FABRIC, SmallJobs.algorithm()));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "tensor: 4, sequence-parallel: true | global: 16 | tensor-overlap: products",
      "tensor: 4, pipeline: 4 | global: 8 | attention: unfused, dropout: true, recompute: full",
      "tensor: 2, pipeline: 2, chunks: 2 | global: 16 | reduce-overlap: false",
      "sharding: optimizer | global: 64, micro: 2 | gather-overlap: false",
      "tensor: 2, pipeline: 2, placement: [tensor, context, pipeline, data] | global: 16 | reduce-overlap: false",
      "tensor: 4, pipeline: 4, order: zero-bubble | global: 8 | ''",
      "pipeline: 4 | global: 32 | scatter-messages: false",
      "sharding: parameters | global: 32 | ''",
      "sharding: parameters, replicas: 4 | global: 32 | ''",
      "sharding: optimizer, tensor: 2 | global: 32 | optimizer: muon",
      "sharding: optimizer, replicas: 2, tensor: 2 | global: 32 | reduce-overlap: false",
      "context: 4, context-exchange: all-gather | global: 16 | ''",
      "context: 4, context-exchange: a2a | global: 16 | ''",
      "context: 4, context-exchange: a2a-p2p, context-heads: 2 | global: 16 | recompute: selective"})
  void shouldAgreeWithTheRunOfAllRanksWhenCommunicationDoesNotContend(String parallel, String batch, String execution) {
    requireAgreement(SmallJobs.small(parallel, batch, execution));
  }

  @ParameterizedTest
  @CsvSource(delimiter = ';', value = {
      "expert: 8, sharding: optimizer ; global: 32 ; dispatch: all-to-all",
      "expert: 8, sharding: optimizer ; global: 32 ; dispatch: flex",
      "expert: 4, pipeline: 2, chunks: 2, sharding: optimizer ; global: 32 ; expert-overlap: true",
      "expert: 8, sharding: parameters ; global: 32 ; ''",
      "expert: 4, sharding: parameters, replicas: 2 ; global: 32 ; ''",
      "expert: 8, sharding: optimizer, replicas: 2 ; global: 32 ; ''",
      "expert: 4, tensor: 2, sequence-parallel: true ; global: 16 ; ''",
      "expert: 4, tensor: 2, sequence-parallel: true, expert-tensor: 2 ; global: 16 ; ''",
      "pipeline: 4, chunks: 2, layout: 'Et|t|t|t|t|t|t|tmL' ; global: 24 ; ''"})
  void shouldAgreeWithTheRunOfAllRanksWhenThereAreExperts(String parallel, String batch, String execution) {
    requireAgreement(SmallJobs.experts(parallel, batch, execution));
  }

  // Four accelerators copy over the one link of their processor: no copy begins before the last has ended, and what no
  // computation hides is waited for.
  @ParameterizedTest
  @ValueSource(ints = {1, 3, 7})
  void shouldWaitForCopiesToTheHostThatComputationDoesNotHide(int layers) {
    Fabric fabric = SmallJobs.nodes(4, 4, 1);
    Training training = SmallJobs.small("sharding: parameters", "global: 32", "offload-layers: " + layers);
    Iteration iteration = new Iteration(training, fabric);
    Estimate estimate =
        RepresentativeRanks.of(iteration, new ProfiledCommTimes(iteration, fabric, SmallJobs.algorithm()));
    double plain = estimate(SmallJobs.small("sharding: parameters", "global: 32", "")).seconds();
    // Of a layer and token: both norms with their inputs, queries, keys, values and the result, four times four
    // for the block, of 1,024 elements in 16 bits.
    double layer = 1024.0 * 2 * 1024 * (4 + 4 + 2 * 4);
    double copies = iteration.micros() * 2 * layers * layer * 4 * 8 / 2400e9;
    assertThat(estimate.seconds()).isBetween(Math.max(plain, copies), plain + copies);
    assertThat(estimate.seconds(Activity.OFFLOAD)).isCloseTo(estimate.seconds() - plain, Offset.offset(0.02 * plain));
    assertThat(whole(training, fabric, Fidelity.FLOW).run().simulatedPs() / 1e12)
        .isCloseTo(estimate.seconds(), Percentage.withPercentage(2));
  }

  @Test
  void shouldRefuseCopiesToTheHostWhereThereIsNone() {
    Training training = SmallJobs.small("sharding: parameters", "global: 32", "offload-layers: 2");
    assertThatThrownBy(() -> new Iteration(training, FABRIC)).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("cpu");
  }

  @Test
  void shouldHideTheExchangeOfTokensWhenItRunsBesideComputation() {
    String parallel = "expert: 8, pipeline: 2, chunks: 2, sharding: optimizer";
    double plain = estimate(SmallJobs.experts(parallel, "global: 64", "")).seconds(Activity.EXPERT);
    double overlapped =
        estimate(SmallJobs.experts(parallel, "global: 64", "expert-overlap: true")).seconds(Activity.EXPERT);
    assertThat(overlapped).isLessThan(0.9 * plain);
  }

  @Test
  void shouldSendLessBetweenNodesWhenEachNodeGetsOneCopyOfAToken() {
    String parallel = "expert: 8, sharding: optimizer";
    double copies = exposed(parallel, "hybridep");
    assertThat(copies).isLessThan(exposed(parallel, "all-to-all"));
    assertThat(exposed(parallel, "deepep")).as("channels beside the same copies").isGreaterThan(copies);
  }

  private static double exposed(String parallel, String dispatch) {
    return estimate(SmallJobs.experts(parallel, "global: 32", "dispatch: " + dispatch)).seconds(Activity.EXPERT);
  }

  // Stages that began their gathers one after the other made jobs with overlap slower than those without.
  @ParameterizedTest
  @CsvSource({"'pipeline: 4, sharding: optimizer'", "'pipeline: 4, chunks: 2, sharding: optimizer'",
      "'tensor: 2, pipeline: 2, chunks: 4, sharding: optimizer'"})
  void shouldNotTakeLongerWhenParametersAreGatheredDuringTheForwardPass(String parallel) {
    double overlapped = estimate(SmallJobs.small(parallel, "global: 32", "gather-overlap: true")).seconds();
    double apart = estimate(SmallJobs.small(parallel, "global: 32", "gather-overlap: false")).seconds();
    assertThat(overlapped).isLessThanOrEqualTo(1.001 * apart);
  }

  @Test
  void shouldTakeAMessageAsLongAsThePortThatTheNodesRanksShareWhenAllOfThemSend() {
    Iteration iteration = new Iteration(SmallJobs.small("pipeline: 4", "global: 32", ""), FABRIC);
    long bytes = 1 << 24;
    double seconds =
        new ProfiledCommTimes(iteration, FABRIC, SmallJobs.algorithm()).messagePs(0, 4, bytes) / 1e12;
    assertThat(seconds).isCloseTo(4 * bytes * 8 / 400e9, Percentage.withPercentage(5));
  }

  @Test
  void shouldAccountForAllTimeOfEveryRank() {
    Training training = SmallJobs.small("tensor: 4, pipeline: 4", "global: 8", "");
    Results results = whole(training, Fidelity.FLOW);
    double spent = 0;
    for (Activity activity : Activity.values()) {
      spent += results.metric("activity." + activity.id()).orElseThrow().value();
    }
    // Ranks of the first stage end last, apart from the norm that all ranks wait for.
    assertThat(spent).isCloseTo(results.run().simulatedPs() / 1e6, Percentage.withPercentage(1));
  }

  @Test
  void shouldComputeTheSameWhateverTheFabricDoes() {
    Training training = SmallJobs.small("tensor: 4, pipeline: 2", "global: 8", "overlap-slowdown: 0");
    double whole = whole(training, Fidelity.FLOW).metric("activity.compute").orElseThrow().value();
    assertThat(estimate(training).seconds(Activity.COMPUTE) * 1e6).isCloseTo(whole, Percentage.withPercentage(0.01));
  }

  @Test
  void shouldAgreeAcrossFidelities() {
    Training training = SmallJobs.small("pipeline: 2", "global: 4", "");
    Fabric alone = SmallJobs.nodes(4, 1);
    double flow = whole(training, alone, Fidelity.FLOW).run().simulatedPs();
    double packet = whole(training, alone, Fidelity.PACKET).run().simulatedPs();
    assertThat(packet).isCloseTo(flow, Percentage.withPercentage(15));
  }

  @Test
  void shouldTakeLongerWhenMoreIsRecomputedOrLessIsHidden() {
    String parallel = "tensor: 4, pipeline: 4";
    double least = estimate(SmallJobs.small(parallel, "global: 8", "")).seconds();
    assertThat(estimate(SmallJobs.small(parallel, "global: 8", "recompute: full")).seconds())
        .isGreaterThan(1.15 * least);
    assertThat(estimate(SmallJobs.small(parallel, "global: 8", "tensor-overlap: none, overlap-slowdown: 0")).seconds())
        .isGreaterThan(least);
  }

  @Test
  void shouldScaleKernelsWhenTheyAreAnotherAccelerators() {
    // Kernels measured on an accelerator of half the arithmetic and memory rate of the cluster's A100 take half as long
    // here.
    String half =
        "kernels-of: {preset: a100-sxm-80, memory-bandwidth: 1019500 MB/s, peak: {bf16: 156 Tflop/s}}";
    double scaled = estimate(SmallJobs.small("", "global: 16", "host-per-kernel: 0 s", half)).seconds(Activity.COMPUTE);
    String whole = "kernels-of: {preset: a100-sxm-80}";
    double same = estimate(SmallJobs.small("", "global: 16", "host-per-kernel: 0 s", whole)).seconds(Activity.COMPUTE);
    double own = estimate(SmallJobs.small("", "global: 16", "host-per-kernel: 0 s")).seconds(Activity.COMPUTE);
    assertThat(same).isCloseTo(own, Percentage.withPercentage(1e-6));
    // The launch time of a kernel is halved too, though it is equal on both accelerators.
    assertThat(scaled).isBetween(0.9 * own, own);
  }

  private static double hostSeconds(Training training) {
    Program program = new Iteration(training, FABRIC).program(0);
    Operation operation = new Operation();
    long ps = 0;
    while (program.next(program.streams() - 1, operation)) {
      ps += operation.kind() == Operation.Kind.COMPUTE ? operation.timePs() : 0;
    }
    return ps / 1e12;
  }

  @Test
  void shouldTakeAsLongAsTheHostWhenKernelsAreShorterThanTheirLaunch() {
    Training training = SmallJobs.small("", "global: 16", "host-per-kernel: 20 ms");
    Estimate estimate = estimate(training);
    assertThat(estimate.seconds()).isCloseTo(hostSeconds(training), Percentage.withPercentage(0.1));
    assertThat(estimate.seconds(Activity.HOST)).isGreaterThan(0.9 * estimate.seconds());
  }

  @Test
  void shouldNotWaitForTheHostWhenItRunsAheadOfLongKernels() {
    double none = estimate(SmallJobs.small("", "global: 16", "host-per-kernel: 0 us")).seconds();
    Training training = SmallJobs.small("", "global: 16", "host-per-kernel: 1 us");
    // The first kernel of the iteration and of the update, which begins behind the norm that the host reads.
    assertThat(estimate(training).seconds() - none).isBetween(0.0, 20e-6);
  }

  // Stages that pass on by batched messages have their hosts wait for the device between passes.
  @ParameterizedTest
  @CsvSource({"'', 0.1 us", "'', 1 ms", "'pipeline: 2', 100 us", "'pipeline: 2', 1 ms", "'tensor: 4', 1 ms"})
  void shouldAgreeWithTheWholeJobWhateverTheHostTakes(String parallel, String host) {
    Training training = SmallJobs.small(parallel, "global: 32", "host-per-kernel: " + host);
    assertThat(estimate(training).seconds() * 1e12)
        .isCloseTo(whole(training, Fidelity.FLOW).run().simulatedPs(), Percentage.withPercentage(2));
  }

  // With a slow host an iteration takes as long as its launches: those of each micro-batch, and those of the optimizer,
  // in proportion to the tensors. With norms of queries' and keys' heads a layer has 2 more; with latent vectors of
  // both 3 matrices and 2 norms more, with a bias each: five times as many.
  @Test
  void shouldLaunchTheOptimizerForEachTensorOfALayer() {
    double plain = oncePerIteration("head-norm: false");
    double norms = oncePerIteration("head-norm: true") - plain;
    double latent = oncePerIteration(
        "latent: {query-rank: 256, key-rank: 128, plain-size: 64, rope-size: 32, value-size: 64}") - plain;
    assertThat(norms).isPositive();
    assertThat(latent / norms).isCloseTo(5, Percentage.withPercentage(1));
  }

  private static double oncePerIteration(String attention) {
    String host = "host-per-kernel: 1 ms";
    double one = estimate(SmallJobs.attention(attention, 16, host)).seconds();
    return 2 * one - estimate(SmallJobs.attention(attention, 32, host)).seconds();
  }

  @ParameterizedTest
  @ValueSource(strings = {"sharding: none", "pipeline: 2, context: 2"})
  void shouldRefuseAnIterationThatPassesTheEndOfSimulatedTime(String parallel) {
    Training training = SmallJobs.small(parallel, "global: 64", "", "sequence: 1073741824, check-memory: false");
    assertThatThrownBy(() -> estimate(training)).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("an iteration of 64 sequences of 1073741824 tokens passes the end of simulated time");
  }
}
