package dev.heddle.workload.megatron.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.workload.megatron.Jobs;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.parallel.RankGrid;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares the kernels of the loss in a micro-batch with those that each software starts. */
class LossKernelsTest {
  private static final int TOKENS = 512;
  private static final int WORDS = 32000;

  private static List<Kernel> kernels(String software) {
    Training job = Jobs.job("{model: {name: small, hidden: 1024, layers: 2, heads: 16, vocabulary: " + WORDS
        + ", sequence: " + TOKENS + "}, parallel: {}, batch: {global: 1}, execution: {norm: fused, cross-entropy: "
        + software + "}, kernels: {preset: kernels-hopper}}");
    List<Kernel> kernels = new ArrayList<>();
    StagePlanner planner = new StagePlanner(job, new RankGrid(job.parallel(), 1, 1), kernel -> {
      if (kernel.name().equals("loss")) {
        kernels.add(kernel);
      }
      return 0;
    }, Contention.NONE, 1, new HostWork(0, HostCopies.NONE));
    planner.plan(0);
    return kernels;
  }

  // Passes are planned as the first, as the others and as paired ones, which are the same here. Composer's metrics
  // compute the loss twice again and have no gradients.
  @ParameterizedTest
  @CsvSource({"megatron, 8, 52, 0, 0", "transformer-engine, 3, 10, 0, 0", "pytorch, 0, 0, 1, 1",
      "composer, 2, 6, 2, 0"})
  void shouldStartTheKernelsOfEachSoftware(
      String software, int own, int ownBytes, int forwardOfPyTorch, int backwardOfPyTorch) {
    List<Kernel> kernels = kernels(software);
    List<Kernel> moves = kernels.stream().filter(Kernel.Memory.class::isInstance).toList();
    List<Kernel.Loss> losses =
        kernels.stream().filter(Kernel.Loss.class::isInstance).map(Kernel.Loss.class::cast).toList();
    assertThat(moves).hasSize(3 * own);
    assertThat(moves.stream().mapToDouble(Kernel::bytes).sum()).isEqualTo(3.0 * ownBytes * TOKENS * WORDS);
    assertThat(losses.stream().filter(loss -> !loss.backward())).hasSize(3 * forwardOfPyTorch);
    assertThat(losses.stream().filter(Kernel.Loss::backward)).hasSize(3 * backwardOfPyTorch);
    assertThat(losses).allSatisfy(loss -> {
      assertThat(loss.tokens()).isEqualTo(TOKENS);
      assertThat(loss.words()).isEqualTo(WORDS);
    });
  }
}
