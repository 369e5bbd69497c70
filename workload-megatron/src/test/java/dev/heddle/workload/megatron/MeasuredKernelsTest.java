package dev.heddle.workload.megatron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.workload.megatron.job.Training;
import dev.heddle.workload.megatron.kernel.Kernel;
import dev.heddle.workload.megatron.kernel.KernelDatabase;
import dev.heddle.workload.megatron.program.Iteration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that a job uses the times of the files that it names. */
class MeasuredKernelsTest {
  private static Iteration iteration(String kernels) {
    Training job =
        Jobs.job("{model: {name: small, hidden: 1024, layers: 8, heads: 16, vocabulary: 32000, sequence: 1024},"
            + " parallel: {tensor: 2, pipeline: 2}, batch: {global: 16}, execution: {},"
            + " kernels: {preset: kernels-ampere" + kernels + "}}");
    return new Iteration(job, Jobs.nodes(2, 4));
  }

  @Test
  void shouldTakeMeasuredTimesWhenTheJobNamesADatabase(@TempDir Path folder) throws IOException {
    Iteration modelled = iteration("");
    Path file = folder.resolve("measured.csv");
    StringBuilder text = new StringBuilder();
    KernelDatabase.write("A100", modelled.kernels(), kernel -> 3 * modelled.times().seconds(kernel), text);
    Files.writeString(file, text);
    Iteration measured = iteration(", database: '" + file + "'");
    assertThat(modelled.kernels()).hasSizeGreaterThan(100).extracting(Kernel::name).contains("qkv", "down-weights",
        "adam");
    assertThat(modelled.kernels()).allSatisfy(kernel -> assertThat(measured.times().seconds(kernel)).as("%s", kernel)
        .isCloseTo(3 * modelled.times().seconds(kernel), Percentage.withPercentage(0.1)));
  }

  @Test
  void shouldTakeTheDatabaseBeforeAicbAndBothBeforeTheModel(@TempDir Path folder) throws IOException {
    Iteration modelled = iteration("");
    Kernel qkv = modelled.kernels().stream().filter(kernel -> kernel.name().equals("qkv")).findFirst().orElseThrow();
    Kernel down = modelled.kernels().stream().filter(kernel -> kernel.name().equals("down")).findFirst().orElseThrow();
    Path aicb = Files.writeString(
        folder.resolve("aicb.txt"), "atten_qkv:\n    time_gpu_avg: 500\nmlp_linear_2:\n    time_gpu_avg: 700\n");
    StringBuilder text = new StringBuilder();
    KernelDatabase.write("A100", List.of(qkv), kernel -> 1e-3, text);
    Path database = Files.writeString(folder.resolve("measured.csv"), text);
    Iteration measured = iteration(", database: '" + database + "', aicb: '" + aicb + "'");
    assertThat(measured.times().seconds(qkv)).isCloseTo(1e-3, Percentage.withPercentage(1e-6));
    assertThat(measured.times().seconds(down)).isCloseTo(7e-4, Percentage.withPercentage(1e-6));
    Kernel other = new Kernel.Memory("other", 12345);
    assertThat(measured.times().seconds(other)).isEqualTo(modelled.times().seconds(other));
  }

  @Test
  void shouldRefuseADatabaseOfAnotherAccelerator(@TempDir Path folder) throws IOException {
    Path file =
        Files.writeString(folder.resolve("other.csv"), "gpu,kernel,precision,shape,us\nH20,gemm,bf16,1x1x1,1\n");
    assertThatThrownBy(() -> iteration(", database: '" + file + "'")).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("no kernel of A100").hasMessageContaining("H20");
  }
}
