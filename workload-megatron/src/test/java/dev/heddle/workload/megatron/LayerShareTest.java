package dev.heddle.workload.megatron;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.workload.megatron.job.LayerShare;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the layers of each stage. */
class LayerShareTest {
  private static List<Integer> counts(String model, int pipeline, int chunks) {
    LayerShare share = new LayerShare(Jobs.job("{model: {preset: " + model + "}, parallel: {pipeline: " + pipeline
        + ", chunks: " + chunks + "}, batch: {global: 64}, execution: {attention: flash-3}, kernels: {preset: "
        + "kernels-hopper}}"));
    List<Integer> counts = new ArrayList<>();
    for (int chunk = 0; chunk < chunks; chunk++) {
      for (int stage = 0; stage < pipeline; stage++) {
        int[] range = share.layers(stage, chunk);
        counts.add(range[1] - range[0]);
      }
    }
    return counts;
  }

  /** The layouts of DeepSeek-V3 in Megatron-Bridge's recipes, recipes/deepseek/deepseek_v3.py and perf_recipes. */
  @ParameterizedTest
  @CsvSource({"4, 1, 16, 16, 13", "8, 1, 8, 8, 5", "4, 2, 8, 8, 5", "16, 1, 4, 4, 1", "8, 2, 4, 4, 1", "4, 4, 4, 4, 1",
      "2, 8, 4, 4, 1", "8, 4, 1, 2, 0"})
  void shouldBalancePredictionOfFurtherTokens(int pipeline, int chunks, int first, int middle, int last) {
    List<Integer> counts = counts("deepseek-v3-mtp", pipeline, chunks);
    assertThat(counts.get(0)).isEqualTo(first);
    assertThat(counts.subList(1, counts.size() - 1)).containsOnly(middle);
    assertThat(counts.get(counts.size() - 1)).isEqualTo(last);
  }

  // The last stage but one holds no embedding and the fewest activations: none before it has more layers.
  @ParameterizedTest
  @ValueSource(ints = {6, 10, 12, 15, 18, 30})
  void shouldLeaveFewerLayersToTheFirstStagesWhereTheOthersDoNotDivide(int pipeline) {
    List<Integer> counts = counts("deepseek-v3-mtp", pipeline, 1);
    List<Integer> others = counts.subList(0, pipeline - 1);
    assertThat(counts.stream().mapToInt(count -> count).sum()).isEqualTo(61);
    assertThat(others).isSorted();
    assertThat(others.get(pipeline - 2) - others.get(0)).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"llama3-405b, 16, 8, 0, 1, 0", "gpt3-175b, 8, 1, 12, 12, 12", "qwen3-235b-a22b, 8, 4, 2, 3, 2"})
  void shouldLeaveFewerLayersBesideEmbeddings(
      String model, int pipeline, int chunks, int first, int middle, int last) {
    List<Integer> counts = counts(model, pipeline, chunks);
    assertThat(counts.get(0)).isEqualTo(first);
    assertThat(counts.subList(1, counts.size() - 1)).containsOnly(middle);
    assertThat(counts.get(counts.size() - 1)).isEqualTo(last);
  }
}
