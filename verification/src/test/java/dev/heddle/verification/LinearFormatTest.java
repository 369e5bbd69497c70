package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.fabric.Fabric;
import dev.heddle.registry.Registry;
import dev.heddle.scenario.ScenarioReader;
import dev.heddle.spi.InvalidSettingException;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.kernel.LinearFormat;
import dev.heddle.workload.megatron.program.Iteration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LinearFormatTest {
  private static Iteration iteration(String cluster, String precision) {
    return iteration(cluster, "llama3-8b", 1, "{attention: flash-3, precision: " + precision + "}");
  }

  private static Iteration iteration(String cluster, String model, int micro, String execution) {
    return iteration("preset: " + cluster, "kernels-blackwell", model, micro, execution);
  }

  private static Iteration iteration(String cluster, String kernels, String model, int micro, String execution) {
    try (Registry registry = Registry.discover(LinearFormatTest.class.getClassLoader(), List.of())) {
      ScenarioReader reader = new ScenarioReader(registry);
      Fabric fabric = reader.parse("test", "{name: machine, cluster: {" + cluster
          + "}, workload: {type: collective, size: 1 B}}", Map.of()).points().get(0).scenario().fabric();
      return new Iteration(reader.record(Training.class, "test", "{model: {preset: " + model + "}, parallel: {}, "
          + "batch: {global: " + 8 * micro + ", micro: " + micro + "}, ranks: 8, check-memory: false, "
          + "kernels: {preset: " + kernels + ", clock: boost}, execution: " + execution + "}"), fabric);
    }
  }

  private static double productSeconds(Iteration iteration) {
    return iteration.kernels().stream()
        .filter(kernel -> kernel instanceof Kernel.BlockScaled
            || kernel instanceof Kernel.Gemm gemm && gemm.precision() == dev.heddle.spi.Precision.FP8)
        .mapToDouble(kernel -> iteration.times().seconds(kernel)).sum();
  }

  @Test
  void shouldMultiplyAsManyOperationsWhateverTheFormat() {
    double wide = operations("bf16");
    assertThat(operations("mxfp8")).isCloseTo(wide, within(1e-6 * wide));
    assertThat(operations("nvfp4")).isCloseTo(wide, within(1e-6 * wide));
  }

  private static double operations(String precision) {
    return iteration("hgx-b200", precision).kernels().stream().mapToDouble(Kernel::flops).sum();
  }

  @Test
  void shouldMultiplyFasterInFewerBits() {
    double eight = productSeconds(iteration("hgx-b200", "mxfp8"));
    assertThat(productSeconds(iteration("hgx-b200", "nvfp4"))).isBetween(0.45 * eight, 0.85 * eight);
    assertThat(productSeconds(iteration("hgx-b200", "fp8"))).isBetween(0.85 * eight, 1.15 * eight);
  }

  // Transformer Engine's cast of 8192 x 8192 to both layouts on B200 [ROCm/TransformerEngine, pull request 598].
  @Test
  void shouldCastAsTransformerEngineDoes() {
    Iteration iteration = iteration("hgx-b200", "mxfp8");
    double elements = 8192.0 * 8192;
    double seconds =
        iteration.times().seconds(new Kernel.Cast("quantise", LinearFormat.MXFP8.quantisedBytes() * elements));
    assertThat(seconds).isCloseTo(52.34e-6, within(0.07 * 52.34e-6));
    assertThat(iteration.kernels()).anyMatch(kernel -> kernel instanceof Kernel.Cast);
    assertThat(iteration("hgx-b200", "bf16").kernels()).noneMatch(kernel -> kernel instanceof Kernel.Cast);
  }

  @Test
  void shouldRefuseScalesOfBlocksWhereMatrixUnitsDoNotApplyThem() {
    assertThatThrownBy(() -> iteration("hgx-h100", "mxfp8")).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("mxfp8").hasMessageContaining("H100");
    assertThatThrownBy(() -> iteration("hgx-h100", "mxfp4")).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("mxfp4 needs matrix units").hasMessageContaining("H100");
    assertThatThrownBy(() -> amd("mi300x-node", "mxfp4")).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("mxfp4 needs matrix units").hasMessageContaining("MI300X");
  }

  @Test
  void shouldRefuseFourBitsOfTheOtherVendor() {
    assertThatThrownBy(() -> iteration("hgx-b200", "mxfp4")).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("mxfp4 is trained on CDNA 4 alone; on B200 products in 4 bits are nvfp4");
    assertThatThrownBy(() -> amd("mi355x-node", "nvfp4")).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("nvfp4 is trained on Blackwell alone; on MI355X products in 4 bits are mxfp4");
  }

  // Forward and both gradients of the linear layers; logits and attention stay in 16 bits.
  @Test
  void shouldMultiplyInMxfp4OnCdna4() {
    Iteration narrow = amd("mi355x-node", "mxfp4");
    double seconds = productSeconds(narrow);
    assertThat(seconds).isBetween(0.4 * productSeconds(amd("mi355x-node", "fp8")),
        0.85 * productSeconds(amd("mi355x-node", "fp8")));
    assertThat(narrow.kernels()).filteredOn(Kernel.BlockScaled.class::isInstance).isNotEmpty()
        .allSatisfy(kernel -> assertThat(((Kernel.BlockScaled) kernel).format()).isEqualTo(LinearFormat.MXFP4))
        .anyMatch(kernel -> kernel.name().endsWith("-inputs")).anyMatch(kernel -> kernel.name().endsWith("-weights"));
    assertThat(narrow.kernels()).filteredOn(kernel -> kernel.name().startsWith("logits"))
        .noneMatch(Kernel.BlockScaled.class::isInstance);
    assertThat(narrow.kernels()).noneMatch(Kernel.QuantisedAttention.class::isInstance);
  }

  private static Iteration amd(String node, String precision) {
    return iteration("tiers: [{preset: " + node + "}]", "kernels-" + (node.equals("mi300x-node") ? "cdna3" : "cdna4"),
        "llama3-8b", 1, "{attention: flash-2, precision: " + precision + "}");
  }

  @Test
  void shouldCountTheBytesOfScalesWhenQuantising() {
    assertThat(LinearFormat.FP8.quantisedBytes()).isEqualTo(4);
    assertThat(LinearFormat.MXFP8.quantisedBytes()).isEqualTo(2 + 2 * (1 + 1.0 / 32));
    assertThat(LinearFormat.NVFP4.quantisedBytes()).isEqualTo(2 + 2 + 2 * (0.5 + 1.0 / 16));
    assertThat(LinearFormat.MXFP4.quantisedBytes()).isEqualTo(2 + 2 * (0.5 + 1.0 / 32));
  }

  // cuDNN's gradients in 8 bits work out all pairs of a causal mask, whatever the window, in 1.07 of the time of 16
  // bits [cudnn-frontend, benchmark/sdpa_benchmark_training/results/gpt_oss, 2026-05-29; by heads of 128].
  @ParameterizedTest
  @ValueSource(strings = {"gb200-nvl72", "gb300-nvl72"})
  void shouldWorkOutAllPairsOfGradientsInEightBitsWhateverTheWindow(String cluster) {
    Iteration iteration = iteration(
        cluster, "gpt-oss-120b", 4, "{attention: flash-3, precision: mxfp8, quantised-attention: true}");
    List<Kernel.QuantisedAttention> gradients = iteration.kernels().stream()
        .filter(Kernel.QuantisedAttention.class::isInstance).map(Kernel.QuantisedAttention.class::cast)
        .filter(kernel -> kernel.wide().backward()).distinct().toList();
    assertThat(gradients).isNotEmpty().allSatisfy(kernel -> {
      Kernel.Attention wide = kernel.wide();
      Kernel all = new Kernel.Attention(wide.name(), wide.kernel(), wide.sequences(), wide.heads(), wide.keyHeads(),
          wide.queries(), wide.queries(), 0, wide.keySize(), wide.valueSize(), true, true);
      double ratio = iteration.times().seconds(kernel) / iteration.times().seconds(all);
      assertThat(ratio).isCloseTo(1.07, within(1e-6));
    });
  }

  // Logits of 8,192 tokens, 128,256 words and 4,096 columns, their two gradients, and the casts of what they multiply,
  // in each of the passes that are listed.
  @Test
  void shouldQuantiseTheOutputWhereItIsTold() {
    List<Kernel> plain = iteration("hgx-b200", "mxfp8").kernels();
    List<Kernel> narrow =
        iteration("hgx-b200", "llama3-8b", 1, "{attention: flash-3, precision: mxfp8, quantised-output: true}")
            .kernels();
    int passes = (int) plain.stream().filter(kernel -> kernel.name().equals("logits")).count();
    assertThat(plain).filteredOn(kernel -> kernel.name().startsWith("logits")).hasSize(3 * passes)
        .noneMatch(Kernel.BlockScaled.class::isInstance);
    assertThat(narrow).filteredOn(kernel -> kernel.name().startsWith("logits")).hasSize(3 * passes)
        .allMatch(Kernel.BlockScaled.class::isInstance);
    assertThat(castBytes(narrow) - castBytes(plain))
        .isEqualTo(passes * LinearFormat.MXFP8.quantisedBytes() * 8192 * (128256 + 4096.0));
    assertThatThrownBy(() -> iteration("hgx-b200", "llama3-8b", 1, "{precision: bf16, quantised-output: true}"))
        .hasMessageContaining("quantised-output");
  }

  private static double castBytes(List<Kernel> kernels) {
    return kernels.stream().filter(Kernel.Cast.class::isInstance).mapToDouble(Kernel::bytes).sum();
  }
}
