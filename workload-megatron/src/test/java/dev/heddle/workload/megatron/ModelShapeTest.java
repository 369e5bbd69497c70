package dev.heddle.workload.megatron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.workload.megatron.model.ModelShape;
import java.util.stream.IntStream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares shapes with published counts of parameters and operations. */
class ModelShapeTest {
  // Counts of the released checkpoints: LLaMA and Llama as Hugging Face's files hold them, Mixtral by its paper's code,
  // DeepSeek-V3 without the prediction module, MPT as Mosaic's benchmark tables print them.
  @ParameterizedTest
  @CsvSource({
      "llama-7b, 6738415616", "llama-65b, 65285660672", "llama2-13b, 13015864320", "llama2-70b, 68976648192",
      "llama3-8b, 8030261248", "llama3-70b, 70553706496", "llama3-405b, 405853388800", "mixtral-8x7b, 46702792704",
      "mixtral-8x22b, 140620634112", "mpt-125m, 125311488", "mpt-1b, 1315950592", "mpt-7b, 6658859008",
      "mpt-30b, 29975214080"})
  void shouldCountParametersAsPublished(String preset, long parameters) {
    assertThat(Jobs.model(preset).parameters()).isEqualTo(parameters);
  }

  @ParameterizedTest
  @CsvSource({
      "gpt3-6b7, 6.7e9", "gpt3-13b, 13e9", "gpt3-175b, 175e9", "gpt-22b, 22e9", "gpt-530b, 530e9", "gpt-1t, 1.008e12",
      "gpt-145b, 145.6e9", "deepseek-v3, 671e9", "llama4-scout, 109e9", "llama4-maverick, 400e9",
      "qwen3-235b-a22b, 235e9",
      "qwen3-30b-a3b, 30.5e9", "kimi-k2, 1.04e12", "gpt-oss-120b, 116.8e9", "nemotron-h-8b, 8.1e9",
      "nemotron-h-56b, 56.3e9", "nemotron3-nano-30b-a3b, 31.6e9",
      "nemotron3-super-120b-a12b, 123.6e9"})
  void shouldCountAboutTheParametersOfItsName(String preset, double parameters) {
    assertThat((double) Jobs.model(preset).parameters()).isCloseTo(parameters, Percentage.withPercentage(3));
  }

  @ParameterizedTest
  @CsvSource({"mixtral-8x7b, 12.9e9", "mixtral-8x22b, 39e9", "deepseek-v3, 37e9", "llama4-scout, 17e9",
      "llama4-maverick, 17e9", "qwen3-235b-a22b, 22e9", "kimi-k2, 32.6e9", "nemotron3-nano-30b-a3b, 3.6e9"})
  void shouldCountActiveParametersAsPublished(String preset, double parameters) {
    assertThat((double) Jobs.model(preset).activeParameters()).isCloseTo(parameters, Percentage.withPercentage(3));
  }

  // The counts of its name leave the prediction module out.
  @Test
  void shouldCountExpertsOnSmallVectorsAsPublished() {
    ModelShape model = Jobs.model("nemotron3-super-120b-a12b");
    double prediction = model.predictionParameters() + 512.0 * model.expertParameters();
    assertThat(model.expertParameters()).isEqualTo(2L * 1024 * 2688);
    assertThat(model.parameters() - prediction).isCloseTo(120.6e9, Percentage.withPercentage(0.5));
    double active = model.activeParameters() - model.predictionParameters() - 22.0 * model.expertParameters();
    assertThat(active).isCloseTo(12.0e9, Percentage.withPercentage(7));
  }

  @Test
  void shouldRepeatPredictionWithoutMoreParameters() {
    String model = "{model: {name: m, hidden: 1024, layers: 4, heads: 16, vocabulary: 32000, sequence: 1024, pattern:"
        + " '*-*-', prediction-layers: 1, prediction-pattern: '*-', prediction-repeats: %d}, parallel: {}, batch:"
        + " {global: 1}, execution: {}, kernels: {preset: kernels-ampere}}";
    ModelShape once = Jobs.job(model.formatted(1)).shape();
    ModelShape twice = Jobs.job(model.formatted(2)).shape();
    assertThat(twice.parameters()).isEqualTo(once.parameters());
    // A module has both blocks, a projection of two vectors to one, and the logits.
    double module = 3 * (2.0 * 12 * 1024 * 1024 + 4.0 * 1024 * 1024 + 2.0 * 1024 * 2 * 1024 + 2.0 * 32000 * 1024);
    assertThat(twice.flopsPerToken() - once.flopsPerToken()).isCloseTo(module, Percentage.withPercentage(1e-9));
  }

  @Test
  void shouldAlternateDenseLayersAndLayersOfExperts() {
    ModelShape model = Jobs.model("llama4-maverick");
    assertThat(IntStream.range(0, model.layers()).filter(model::mixes)).hasSize(24).startsWith(1, 3, 5).endsWith(47);
  }

  // [Korthikanti et al. appendix A].
  @ParameterizedTest
  @CsvSource({"gpt-22b", "gpt3-175b", "gpt-530b", "gpt-1t"})
  void shouldCountOperationsByTheClosedFormOfPlainModels(String preset) {
    ModelShape model = Jobs.model(preset);
    double h = model.hidden();
    double s = model.sequence();
    double l = model.layers();
    double perToken = 72 * l * h * h * (1 + s / (6 * h) + model.vocabulary() / (12 * l * h));
    assertThat(model.flopsPerToken()).isCloseTo(perToken, within(perToken * 1e-12));
  }

  // cuDNN's forward pass on GB200 takes 0.30 and 0.48 to 0.50 of its time without a window of 512 and 1,024 of 4,096
  // tokens [cudnn-frontend, pull request 505].
  @ParameterizedTest
  @CsvSource({"512, 0.30", "1024, 0.49"})
  void shouldComputeWholeTilesOfAWindow(int window, double share) {
    ModelShape model = Jobs.job("{model: {name: windowed, hidden: 1024, layers: 2, heads: 16, vocabulary: 32000,"
        + " sequence: 4096, window: {tokens: " + window + "}}, parallel: {}, batch: {global: 1},"
        + " execution: {}, kernels: {preset: kernels-ampere}}").shape();
    assertThat(model.computedPairs(0, 128)).isCloseTo(share, within(0.03)).isGreaterThan(model.seenPairs(0));
    assertThat(model.computedPairs(0, 1)).isCloseTo(model.seenPairs(0), Percentage.withPercentage(0.1));
    assertThat(model.computedPairs(1, 128)).isEqualTo(1);
  }
}
