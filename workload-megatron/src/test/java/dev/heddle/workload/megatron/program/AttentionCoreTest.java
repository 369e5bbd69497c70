package dev.heddle.workload.megatron.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.heddle.collective.CollectiveOp;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.parallel.GroupKind;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests attention in 8 bits, its casts and the pairs that it works out with a window, and the steps of a ring. */
class AttentionCoreTest {
  private static final int TOKENS = 2048;
  private static final int HEADS = 16;
  private static final int KEY_HEADS = 4;
  private static final int SIZE = 64;

  private static Training job(String execution) {
    return job(execution, 1);
  }

  private static Training job(String execution, int context) {
    return job(execution, "context: " + context);
  }

  private static Training job(String execution, String parallel) {
    try (Registry registry = Registry.discover(AttentionCoreTest.class.getClassLoader(), List.of())) {
      return new ScenarioReader(registry).record(Training.class, "test",
          "{model: {name: windowed, hidden: 1024, layers: 2, heads: " + HEADS + ", kv-heads: " + KEY_HEADS
              + ", head-size: " + SIZE + ", vocabulary: 32000, sequence: " + TOKENS
              + (parallel.equals("context: 1") ? ", window: {tokens: 128}" : "") + "}, parallel: {" + parallel
              + "}, batch: {global: 1}, execution: {" + execution
              + "}, kernels: {preset: kernels-blackwell}}");
    }
  }

  private static List<Kernel> kernels(String execution, int layer, boolean backward) {
    return kernels(job(execution), layer, backward);
  }

  private static List<Kernel> kernels(Training job, int layer, boolean backward) {
    List<Kernel> kernels = new ArrayList<>();
    pass(job, layer, backward, kernels);
    return kernels;
  }

  private static List<StageOp> pass(Training job, int layer, boolean backward, List<Kernel> kernels) {
    StageOps ops = new StageOps(kernel -> {
      kernels.add(kernel);
      return 0;
    }, job.execution());
    AttentionCore core = new AttentionCore(LayerSizes.of(job));
    if (backward) {
      core.backward(ops, layer);
    } else {
      core.forward(ops, layer);
    }
    return ops.build();
  }

  private static List<StageOp.Begin> exchanges(Training job, boolean backward) {
    return pass(job, 1, backward, new ArrayList<>()).stream()
        .filter(StageOp.Begin.class::isInstance).map(StageOp.Begin.class::cast).toList();
  }

  // Of 136 tiles of 128 x 128 of a causal mask a window of 128 tokens reaches 31.
  @ParameterizedTest
  @CsvSource({"0, false, false, 31", "0, true, false, 31", "0, false, true, 31", "0, true, true, 136",
      "1, false, false, 136", "1, true, true, 136"})
  void shouldWorkOutAllPairsForGradientsInEightBits(int layer, boolean backward, boolean quantised, int tiles) {
    List<Kernel> kernels =
        kernels("attention: flash-3, precision: mxfp8, quantised-attention: " + quantised, layer, backward);
    Kernel last = kernels.get(kernels.size() - 1);
    assertThat(last instanceof Kernel.QuantisedAttention).isEqualTo(quantised);
    Kernel.Attention attention =
        quantised ? ((Kernel.QuantisedAttention) last).wide() : (Kernel.Attention) last;
    assertThat(attention.keys()).isEqualTo(Math.round(TOKENS * tiles / 136.0));
    assertThat(attention.window()).isEqualTo(tiles < 136 ? 128 : 0);
  }

  // Read in 16 bits and written in both layouts: queries, keys and values, or the gradients of the result. Scales of
  // blocks are a byte for 32 elements and layout. With one scale a tensor there is one layout; the largest value is
  // read before, or the scale is that of earlier iterations, and the results in 8 bits become 16.
  @ParameterizedTest
  @CsvSource({"mxfp8, 4.0625, 0, 0", "nvfp4, 4.0625, 0, 0", "fp8-current, 3, 2, 0", "fp8, 3, 0, 3"})
  void shouldCastWhatItMultiplies(String precision, double cast, double largest, double result) {
    long factors = (long) TOKENS * SIZE * (HEADS + 2 * KEY_HEADS);
    long results = (long) TOKENS * SIZE * HEADS;
    for (boolean backward : new boolean[] {false, true}) {
      long elements = backward ? results : factors;
      List<Kernel> kernels =
          kernels("attention: flash-3, precision: " + precision + ", quantised-attention: true", 1, backward);
      assertThat(kernels).filteredOn(kernel -> kernel.name().equals("attention-cast"))
          .extracting(Kernel::bytes).containsExactly(cast * elements);
      assertThat(kernels.stream().filter(kernel -> kernel.name().equals("attention-scale"))
          .mapToDouble(Kernel::bytes).sum()).isEqualTo(largest * elements);
      assertThat(kernels.stream().filter(kernel -> kernel.name().equals("attention-result"))
          .mapToDouble(Kernel::bytes).sum()).isEqualTo(result * (backward ? factors : results));
    }
  }

  // Three quarters of the queries in the mean; copied elements of 16 bits move twice, merged ones three times.
  @Test
  void shouldCopyHalvesAndMergeResultsWhenRanksShareASequence() {
    Training job = job("attention: flash-3", 4);
    double queries = TOKENS / 4.0 * SIZE * HEADS;
    double keys = TOKENS / 4.0 * SIZE * 2 * KEY_HEADS;
    assertThat(kernels(job, 1, false)).filteredOn(kernel -> kernel.name().startsWith("ring"))
        .extracting(Kernel::name, Kernel::bytes).containsExactly(tuple("ring-keys", 4 * keys),
            tuple("ring-copy", queries + keys), tuple("ring-sums", 12 * TOKENS / 4.0 * HEADS),
            tuple("ring-merge", 4.5 * queries));
    assertThat(kernels(job, 1, true)).filteredOn(kernel -> kernel.name().startsWith("ring"))
        .extracting(Kernel::name, Kernel::bytes).containsExactly(
            tuple("ring-copy", (3 * queries + keys) / 2), tuple("ring-queries", 4.5 * queries),
            tuple("ring-keys", 4.5 * keys));
    assertThat(kernels("attention: flash-3", 1, false)).noneMatch(kernel -> kernel.name().startsWith("ring"));
  }

  // Each rank keeps its tokens' bytes of every tensor; attention then has all tokens of a quarter of the heads.
  @Test
  void shouldExchangeTokensForHeadsWhenRanksShareThem() {
    Training job = job("attention: flash-3", "context: 4, context-exchange: a2a");
    long head = TOKENS / 4 * SIZE * 2;
    assertThat(exchanges(job, false)).extracting(StageOp.Begin::group, StageOp.Begin::op, StageOp.Begin::bytes)
        .containsExactly(heads(head * HEADS), heads(head * KEY_HEADS), heads(head * KEY_HEADS), heads(head * HEADS));
    assertThat(exchanges(job, true)).extracting(StageOp.Begin::group, StageOp.Begin::op, StageOp.Begin::bytes)
        .containsExactly(heads(head * HEADS), heads(head * HEADS), heads(head * HEADS), heads(head * KEY_HEADS),
            heads(head * KEY_HEADS));
    Kernel.Attention attention = attention(job);
    assertThat(attention.heads()).isEqualTo(HEADS / 4);
    assertThat(attention.keyHeads()).isEqualTo(KEY_HEADS / 4);
    assertThat(attention.queries()).isEqualTo(TOKENS);
    // Each of four tensors is copied before and after, with a read and a write of each element.
    assertThat(kernels(job, 1, false)).filteredOn(kernel -> kernel.name().equals("heads-copy"))
        .hasSize(8).extracting(Kernel::bytes).contains(2.0 * head * HEADS, 2.0 * head * KEY_HEADS);
  }

  // With scales of earlier iterations tensors are quantised before they are exchanged, and the others after.
  @ParameterizedTest
  @CsvSource({"fp8, 1", "fp8-current, 2", "mxfp8, 2"})
  void shouldExchangeEightBitsWhereAttentionWritesThem(String precision, int bytes) {
    Training job = job("attention: flash-3, quantised-attention: true, precision: " + precision,
        "context: 4, context-exchange: a2a");
    long head = (long) TOKENS / 4 * SIZE * bytes;
    for (boolean backward : new boolean[] {false, true}) {
      assertThat(exchanges(job, backward)).extracting(StageOp.Begin::bytes)
          .containsOnly(head * HEADS, head * KEY_HEADS);
    }
    assertThat(kernels(job, 1, false)).filteredOn(kernel -> kernel.name().equals("heads-copy"))
        .extracting(Kernel::bytes).containsOnly(2.0 * head * HEADS, 2.0 * head * KEY_HEADS);
  }

  private static Tuple heads(long bytes) {
    return tuple(GroupKind.CONTEXT_HEADS, CollectiveOp.ALL_TO_ALL, bytes);
  }

  private static Kernel.Attention attention(Training job) {
    return kernels(job, 1, false).stream().filter(Kernel.Attention.class::isInstance)
        .map(Kernel.Attention.class::cast).findFirst().orElseThrow();
  }

  @Test
  void shouldHaveTheSameArithmeticWhateverRanksExchange() {
    double ring = attention(job("attention: flash-3", "context: 4")).flops();
    for (String exchange : List.of("all-gather", "a2a", "a2a-p2p, context-heads: 2")) {
      assertThat(attention(job("attention: flash-3", "context: 4, context-exchange: " + exchange)).flops())
          .as(exchange).isEqualTo(ring);
    }
  }

  // The keys and values of half of the heads of all tokens.
  @Test
  void shouldPassHalfTheHeadsRoundTheRingWhenNeighboursExchangeHeads() {
    Training job = job("attention: flash-3", "context: 4, context-exchange: a2a-p2p, context-heads: 2");
    assertThat(exchanges(job, false)).filteredOn(each -> each.group() == GroupKind.CONTEXT)
        .extracting(StageOp.Begin::bytes).containsExactly(2L * TOKENS * SIZE * KEY_HEADS / 2 * 2);
  }

  @Test
  void shouldGatherKeysAndScatterTheirGradientsWhenTheyAreGathered() {
    Training job = job("attention: flash-3", "context: 4, context-exchange: all-gather");
    long tensor = 2L * TOKENS * SIZE * KEY_HEADS;
    assertThat(exchanges(job, false)).extracting(StageOp.Begin::op, StageOp.Begin::bytes)
        .containsExactly(tuple(CollectiveOp.ALL_GATHER, tensor), tuple(CollectiveOp.ALL_GATHER, tensor));
    assertThat(exchanges(job, true)).extracting(StageOp.Begin::op, StageOp.Begin::bytes).containsExactly(
        tuple(CollectiveOp.ALL_GATHER, tensor), tuple(CollectiveOp.ALL_GATHER, tensor),
        tuple(CollectiveOp.REDUCE_SCATTER, tensor), tuple(CollectiveOp.REDUCE_SCATTER, tensor));
  }

  @ParameterizedTest
  @ValueSource(strings = {"precision: bf16", "precision: mxfp8, attention: unfused"})
  void shouldRefuseEightBitsWhereNothingIsQuantisedOrFused(String execution) {
    assertThatThrownBy(() -> job("quantised-attention: true, " + execution)).isInstanceOf(ScenarioException.class);
  }
}
