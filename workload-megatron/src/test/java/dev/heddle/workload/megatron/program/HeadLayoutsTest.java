package dev.heddle.workload.megatron.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.workload.megatron.Jobs;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.parallel.RankGrid;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests copies between the projection and attention. */
class HeadLayoutsTest {
  private static final int TOKENS = 2048;
  private static final int HEADS = 16;
  private static final int SIZE = 64;

  private static double copied(String positions, int keyHeads, String execution, int micro, boolean backward) {
    Training job = Jobs.job("{model: {name: small, hidden: 1024, layers: 2, heads: " + HEADS + ", kv-heads: " + keyHeads
        + ", vocabulary: 32000, sequence: " + TOKENS + ", positions: " + positions + "}, parallel: {}, batch: {global: "
        + micro + ", micro: " + micro + "}, execution: {" + execution + "}, kernels: {preset: kernels-hopper}}");
    double[] bytes = new double[1];
    LayerPasses passes = new LayerPasses(job, kernel -> {
      if (kernel instanceof Kernel.Memory && kernel.name().equals("layout")) {
        bytes[0] += kernel.bytes();
      }
      return 0;
    }, new RankGrid(job.parallel(), 1, 1), 1, 0);
    if (backward) {
      passes.backward(0, 0, StageOps.Part.ALL, false);
    } else {
      passes.forward(0, false);
    }
    return bytes[0];
  }

  // Heads that are copied: those of queries, of keys and values, or of attention's result.
  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "rotary  | 16 | attention: flash-3              | 1 | 16      | 16 + 32",
      "rotary  | 4  | attention: flash-3              | 1 | 16 + 4  | 16 + 8",
      "rotary  | 1  | attention: flash-3              | 1 | 1       | 16 + 2",
      "yarn    | 4  | attention: flash-3              | 1 | 16 + 4  | 16 + 8",
      "rotary  | 4  | fused-rotation: true            | 1 | 0       | 0",
      "rotary  | 16 | fused-rotation: true            | 1 | 0       | 0",
      "rotary  | 4  | attention: flash-2              | 1 | 16 + 4  | 16 + 8",
      "rotary  | 4  | attention: flash-2              | 2 | 20 + 24 | 16 + 8",
      "learned | 16 | attention: flash-3              | 1 | 0       | 0",
      "learned | 16 | attention: flash-2              | 1 | 16 + 32 | 16 + 32",
      "none    | 4  | attention: flash-3              | 1 | 16 + 8  | 16 + 8",
      "learned | 16 | attention: unfused              | 1 | 16      | 16 + 32",
      "learned | 16 | attention: unfused, norm: fused | 1 | 16      | 16 + 32",
      "alibi   | 16 | attention: flash-1, norm: fused | 1 | 0       | 16 + 32",
      "rotary  | 4  | attention: flash-2, norm: fused | 1 | 0       | 0"})
  void shouldCopyWhatNoLayoutCovers(
      String positions,
      int keyHeads,
      String execution,
      int micro,
      String forward,
      String backward) {
    double head = 4.0 * micro * TOKENS * SIZE;
    assertThat(copied(positions, keyHeads, execution, micro, false)).isEqualTo(head * sum(forward));
    assertThat(copied(positions, keyHeads, execution, micro, true)).isEqualTo(head * sum(backward));
  }

  private static int sum(String heads) {
    int sum = 0;
    for (String each : heads.split(" \\+ ")) {
      sum += Integer.parseInt(each);
    }
    return sum;
  }
}
