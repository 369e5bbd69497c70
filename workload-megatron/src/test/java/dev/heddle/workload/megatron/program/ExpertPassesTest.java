package dev.heddle.workload.megatron.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioException;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.parallel.RankGrid;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Counts the bytes that a layer of experts moves as its software does, tensor by tensor. */
class ExpertPassesTest {
  private static final int RANKS = 8;
  private static final int HIDDEN = 1024;
  private static final int INNER = 512;
  /** Rows of a rank's experts: 2,048 tokens of 8 ranks, 4 experts each, on 8 ranks. */
  private static final long ROWS = 4 * 2048;
  private static final long PERMUTATION_PS = 1_000_000_000_000L;

  private static Map<String, Double> moved(String precision, String dispatch, boolean backward) {
    return moved(job(precision, dispatch, "swiglu"), backward);
  }

  private static Map<String, Double> moved(Training job, boolean backward) {
    LayerSizes sizes = LayerSizes.of(job);
    ExpertPasses passes = new ExpertPasses(sizes, new Products(sizes, Optional.empty()),
        job.shape().experts().orElseThrow(), new RankGrid(job.parallel(), RANKS, RANKS), RANKS);
    Map<String, Double> bytes = new LinkedHashMap<>();
    StageOps ops = new StageOps(kernel -> {
      if (kernel instanceof Kernel.Memory || kernel instanceof Kernel.Elementwise || kernel instanceof Kernel.Cast) {
        bytes.merge(kernel.name(), kernel.bytes(), Double::sum);
      }
      return 0;
    }, job.execution());
    if (backward) {
      passes.backward(ops, () -> {}, false);
    } else {
      passes.forward(ops, () -> {}, false);
    }
    return bytes;
  }

  private static Training job(String precision, String dispatch, String activation) {
    return job(precision, dispatch, activation, "");
  }

  private static Training job(String precision, String dispatch, String activation, String experts) {
    try (Registry registry = Registry.discover(ExpertPassesTest.class.getClassLoader(), List.of())) {
      return new ScenarioReader(registry).record(Training.class, "test",
          "{model: {name: sparse, hidden: " + HIDDEN + ", layers: 2, heads: 16, vocabulary: 32000, sequence: 2048,"
              + " activation: " + activation + ", bias: true, experts: {count: 32, top-k: 4, ffn: " + INNER + experts
              + "}},"
              + " parallel: {expert: " + RANKS + "}, batch: {global: 8}, execution: {precision: " + precision
              + ", dispatch: " + dispatch + "}, kernels: {preset: kernels-hopper}}");
    }
  }

  // Experts on a quarter of the vector move a quarter of the rows' bytes and have two projections more, of a rank's own
  // tokens.
  @Test
  void shouldProjectTokensBesideExpertsOnSmallVectors() {
    Training wide = job("bf16", "all-to-all", "swiglu");
    Training small = job("bf16", "all-to-all", "swiglu", ", latent: " + HIDDEN / 4);
    assertThat(moved(small, false).get("permute")).isEqualTo(moved(wide, false).getOrDefault("permute", 0.0) / 4);
    assertThat(small.shape().layerParameters(0) - 32 * small.shape().expertParameters()
        - (wide.shape().layerParameters(0) - 32 * wide.shape().expertParameters()))
        .isEqualTo(2L * HIDDEN * HIDDEN / 4 + HIDDEN + HIDDEN / 4);
  }

  // Of 32 bits: product written (4); sum (2 + 4 read, 4 written); concatenation (4 + 4); cast (4 + 2). Gradients: cast
  // (2 + 4); products with probability and with bias (4 + 4 each) and their sums (4 each); cast (4 + 2);
  // concatenation (2 + 2). Of 16 bits the same without casts.
  @ParameterizedTest
  @CsvSource({"deepep, false, 28", "deepep, true, 40", "hybridep, false, 28", "all-to-all, false, 12",
      "all-to-all, true, 16"})
  void shouldAddBiasesOutsideTheProducts(String dispatch, boolean backward, double perElement) {
    assertThat(moved("bf16", dispatch, backward)).containsEntry("expert-bias", perElement * ROWS * HIDDEN);
  }

  @ParameterizedTest
  @CsvSource({"fp8, deepep, 8", "fp8, all-to-all, 8", "fp8, hybridep, 0", "bf16, deepep, 0", "bf16, all-to-all, 0"})
  void shouldCopyRowsToPaddedPlacesAndBackInBothPasses(String precision, String dispatch, double perElement) {
    for (boolean backward : new boolean[] {false, true}) {
      assertThat(moved(precision, dispatch, backward).getOrDefault("expert-padding", 0.0))
          .isEqualTo(perElement * ROWS * HIDDEN);
    }
  }

  @ParameterizedTest
  @CsvSource({"fp8, 2", "bf16, 0"})
  void shouldReadTheLargestValuesBeforeTheCastWithOneScaleATensor(String precision, double perElement) {
    double inputs = perElement * ROWS * (HIDDEN + INNER);
    assertThat(moved(precision, "flex", false).getOrDefault("expert-scale", 0.0)).isEqualTo(inputs);
    assertThat(moved(precision, "flex", true).getOrDefault("expert-scale", 0.0)).isEqualTo(2 * inputs);
  }

  @Test
  void shouldLeaveOutTheKernelsThatFusedProductsHaveInThem() {
    Map<String, Double> separate = moved("fp8", "hybridep", false);
    Map<String, Double> fused = moved("fp8, expert-kernels: fused", "hybridep", false);
    assertThat(separate).containsKeys("activation", "expert-bias");
    assertThat(fused).doesNotContainKeys("activation", "expert-bias");
    double cast = Objects.requireNonNull(fused.get("quantise"));
    assertThat(Objects.requireNonNull(separate.get("quantise")) * HIDDEN).isEqualTo(cast * (HIDDEN + INNER));
    assertThat(moved("fp8, expert-kernels: fused", "hybridep", true)).doesNotContainKeys(
        "expert-activation", "expert-bias");
    assertThat(moved("fp8, expert-kernels: fused", "hybridep", true)).containsEntry("quantise", cast);
  }

  // Forward, projections are read and written by their clamps and by the concatenation (8 bytes of each element).
  // Gradients, of each element of the result: three comparisons (3 each), a mask of two (3), two choices (5 each) and
  // the concatenation (8).
  @Test
  void shouldClampProjectionsByOperatorsOutsideOfTheActivation() {
    Training job = job("bf16", "deepep", "clamped-swiglu");
    assertThat(moved(job, false)).containsEntry("clamp", 8.0 * ROWS * 2 * INNER);
    assertThat(moved(job, true)).containsEntry("clamp", 30.0 * ROWS * INNER);
    assertThat(moved("bf16", "deepep", false)).doesNotContainKey("clamp");
  }

  // Both projections and the activation's gradients are read once more for the gradients of the probabilities.
  @Test
  void shouldReadTheActivationAgainForGradientsOfProbabilities() {
    assertThat(moved("bf16", "deepep", true)).containsEntry("probability-gradients", 2.0 * ROWS * 3 * INNER);
    assertThat(moved("bf16", "deepep", false)).doesNotContainKey("probability-gradients");
  }

  // Each row is read and written: inputs of both products in 16 bits, or in 8 with a byte of scale for 32, the result
  // of the first in 16, a probability in 32.
  @ParameterizedTest
  @CsvSource({"bf16, 2", "mxfp8, 1.03125", "'mxfp8, expert-kernels: fused', 1.03125"})
  void shouldCopyWhatGradientsNeedToPagesAndBack(String precision, double element) {
    double row = element * (HIDDEN + INNER) + 2 * 2 * INNER + 4;
    for (boolean backward : new boolean[] {false, true}) {
      assertThat(moved(precision + ", expert-stash: true", "hybridep", backward))
          .containsEntry("expert-stash", 2 * row * ROWS);
      assertThat(moved(precision, "hybridep", backward)).doesNotContainKey("expert-stash");
    }
  }

  @Test
  void shouldReadGradientsOnceForThoseOfBiasesOutsideOfFusedProducts() {
    String fused = "mxfp8, expert-kernels: fused";
    assertThat(moved(fused, "hybridep", true)).containsEntry("expert-bias-sums", 2.0 * ROWS * HIDDEN);
    assertThat(moved(fused, "hybridep", false)).doesNotContainKey("expert-bias-sums");
  }

  // Rows are permuted behind the counts of tokens that the host waits for, or before them where a graph holds both.
  // The backward pass has the maps of the forward pass, six kernels of 4 bytes a token and expert; gradients of the
  // router are eight.
  @ParameterizedTest
  @CsvSource({"'bf16', true", "'bf16, graphs: [moe-router, moe-preprocess]', false"})
  void shouldPermuteInTheGraphOfWhatPrecedesTheDispatch(String execution, boolean after) {
    List<StageOp> built = built(execution, false, false);
    int reached = built.indexOf(new StageOp.Reach());
    assertThat(busy(built.subList(0, reached))).isEqualTo(after ? 0 : PERMUTATION_PS);
    assertThat(busy(built)).isEqualTo(PERMUTATION_PS);
    assertThat(moved("bf16", "all-to-all", false)).containsEntry("routing", 4.0 * (16 + 11 + 6) * 2048 * 32);
    assertThat(moved("bf16", "all-to-all", true)).containsEntry("routing", 4.0 * 8 * 2048 * 32);
  }

  // Of 10 us a kernel: 27 calls in C++ forward, 15 and four operators backward; an operator takes 1 / 2.7 of a kernel,
  // a call a third of that.
  @ParameterizedTest
  @CsvSource({"false, 9", "true, 9"})
  void shouldCallTheNodesOfOverlappingPasses(boolean backward, double operators) {
    double more = launched(built("bf16", backward, true)) - launched(built("bf16", backward, false));
    assertThat(more).isCloseTo(operators * 10e6 / 2.7, Offset.offset(10.0));
  }

  private static List<StageOp> built(String execution, boolean backward, boolean paired) {
    Training job = job(execution + ", host-per-kernel: 10 us", "all-to-all", "swiglu");
    LayerSizes sizes = LayerSizes.of(job);
    ExpertPasses passes = new ExpertPasses(sizes, new Products(sizes, Optional.empty()),
        job.shape().experts().orElseThrow(), new RankGrid(job.parallel(), RANKS, RANKS), RANKS);
    StageOps ops = new StageOps(kernel -> kernel.name().equals("permute") ? 1 : 0, job.execution());
    if (backward) {
      passes.backward(ops, () -> {}, paired);
    } else {
      passes.forward(ops, () -> {}, paired);
    }
    return ops.build();
  }

  private static long busy(List<StageOp> ops) {
    return ops.stream().mapToLong(op -> op instanceof StageOp.Compute compute ? compute.ps() : 0).sum();
  }

  private static double launched(List<StageOp> ops) {
    return ops.stream().mapToDouble(op -> op instanceof StageOp.Launch launch ? launch.ps() : 0).sum();
  }

  @Test
  void shouldRefuseToStashWhatIsRecomputed() {
    assertThatThrownBy(() -> job("bf16, expert-stash: true, recompute: selective, recompute-modules: [moe]", "flex",
        "swiglu")).isInstanceOf(ScenarioException.class).hasMessageContaining("expert-stash");
  }
}
