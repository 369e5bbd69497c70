package dev.heddle.workload.megatron.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Precision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Checks that measured kernels are taken from a file, all others from the model, and that malformed files are refused.
 */
class KernelDatabaseTest {
  private static final String TEXT = """
      # source: my own
      gpu,kernel,precision,shape,us,driver
      H100 SXM,gemm,bf16,4096x1024x512,12.5,570
      H100 SXM,gemm,bf16,64x2048x2048x128,300,570
      H100 SXM,gemm-add,bf16,4096x1024x512,20,570
      H100 SXM,attention-forward,bf16,2x16x4x2048x2048x128x128,90,570
      H100 SXM,attention-backward,bf16,2x16x4x2048x2048x128x128,250,570
      H100 SXM,memory,fp16,1048576,7,570
      H20,gemm,bf16,4096x1024x512,80,570
      """;
  private static final KernelTimes MODEL = kernel -> 1;

  private static KernelTimes times(String gpu) {
    return KernelDatabase.parse("mine.csv", TEXT).withFallback(gpu, MODEL);
  }

  private static Kernel gemm(long batch, long m, long n, long k, int resultBytes) {
    return new Kernel.Gemm("up", batch, m, n, k, Precision.BF16, resultBytes);
  }

  private static Kernel attention(AttentionKernel kernel, boolean backward) {
    return new Kernel.Attention("attention", kernel, 2, 16, 4, 2048, 2048, 0, 128, 128, true, backward);
  }

  @Test
  void shouldTakeWhatWasMeasuredOnTheAccelerator() {
    assertThat(times("H100 SXM").seconds(gemm(1, 4096, 1024, 512, 2))).isCloseTo(12.5e-6,
        Percentage.withPercentage(1e-9));
    assertThat(times("h20").seconds(gemm(1, 4096, 1024, 512, 2))).isCloseTo(80e-6, Percentage.withPercentage(1e-9));
    assertThat(times("H100 SXM").seconds(gemm(64, 2048, 2048, 128, 2))).isCloseTo(3e-4,
        Percentage.withPercentage(1e-9));
    assertThat(times("H100 SXM").seconds(gemm(1, 4096, 1024, 512, 8))).isCloseTo(2e-5, Percentage.withPercentage(1e-9));
    assertThat(times("H100 SXM").seconds(attention(AttentionKernel.FLASH_3, false)))
        .isCloseTo(9e-5, Percentage.withPercentage(1e-9));
    assertThat(times("H100 SXM").seconds(attention(AttentionKernel.FLASH_2, true)))
        .isCloseTo(2.5e-4, Percentage.withPercentage(1e-9));
    assertThat(times("H100 SXM").seconds(new Kernel.Memory("norm", 1 << 20))).isCloseTo(7e-6,
        Percentage.withPercentage(1e-9));
  }

  @Test
  void shouldModelWhatWasNotMeasured() {
    assertThat(times("H100 SXM").seconds(gemm(1, 4096, 1024, 513, 2))).isEqualTo(1);
    assertThat(times("H100 SXM").seconds(gemm(1, 1024, 4096, 512, 2))).isEqualTo(1);
    assertThat(times("H100 SXM").seconds(gemm(1, 4096, 1024, 512, 4))).isEqualTo(1);
    assertThat(times("H20").seconds(gemm(64, 2048, 2048, 128, 2))).isEqualTo(1);
    assertThat(times("H100 SXM").seconds(new Kernel.Memory("norm", 1 << 21))).isEqualTo(1);
  }

  @Test
  void shouldReadWhatItWrites() {
    long seed = System.getProperty("seed") == null ? 7 : Long.getLong("seed");
    Random random = new Random(seed);
    List<Kernel> kernels = random.ints(50, 0, 4).mapToObj(kind -> switch (kind) {
      case 0 -> gemm(1 + random.nextInt(3), 1 + random.nextInt(9999), 8, 64, random.nextBoolean() ? 2 : 8);
      case 1 -> attention(AttentionKernel.FLASH_2, random.nextBoolean());
      case 2 -> new Kernel.Norm("norm", NormKernel.FUSED, 1 + random.nextInt(9999), 1024, true, random.nextBoolean());
      default -> new Kernel.Memory("move", 1 + random.nextInt(1 << 30));
    }).toList();
    StringBuilder out = new StringBuilder();
    KernelTimes model = kernel -> 1e-3 + kernel.bytes() * 1e-12;
    KernelDatabase.write("mine", kernels, model, out);
    KernelTimes read = KernelDatabase.parse("out.csv", out.toString()).withFallback("mine", kernel -> -1);
    assertThat(kernels).as("seed %d", seed).allSatisfy(
        kernel -> assertThat(read.seconds(kernel)).isCloseTo(model.seconds(kernel), Percentage.withPercentage(0.1)));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "12.5 | soon | mine.csv:3: us is 'soon'; it must be a positive number",
      "12.5 | -1 | mine.csv:3: us is '-1'",
      "gemm,bf16,4096x1024x512,12.5 | gem,bf16,4096x1024x512,12.5 | mine.csv:3: kernel 'gem' is none of gemm, gemm-add",
      "gemm,bf16,4096x1024x512,12.5 | gemm,half,4096x1024x512,12.5 | mine.csv:3: precision 'half' is none of fp64",
      "4096x1024x512,12.5 | 4096x1024,12.5 | mine.csv:3: the shape of a product is m x n x k",
      "gemm,bf16,4096x1024x512,12.5 | norm-forward,fp16,4096,12.5 | the shape of normalisation is tokens x hidden size",
      "4096x1024x512,12.5 | 4096x1024xk,12.5 | must be whole numbers with x between them",
      "4096x1024x512,12.5 | 4096x0x512,12.5 | sizes must be positive",
      "2x16x4x2048x2048x128x128 | 2x16x4x2048x2048x2147483648x128 | mine.csv:6: hidden and head sizes must be at most",
      "12.5,570 | 12.5 | mine.csv:3: 5 cells, but 6 columns",
      "shape,us | shape,time | mine.csv:2: there is no column 'us'"})
  void shouldNameTheLineOfWhatIsMalformed(String what, String by, String message) {
    assertThatThrownBy(() -> KernelDatabase.parse("mine.csv", TEXT.replaceFirst(what, by)))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining(message);
  }

  @Test
  void shouldSayWhoseKernelsThereAreWhenTheAcceleratorHasNone() {
    assertThatThrownBy(() -> times("B200")).isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("no kernel of B200").hasMessageContaining("H100 SXM, H20");
  }

  @Test
  void shouldRefuseFilesThatAreNone(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("mine.csv");
    assertThatThrownBy(() -> KernelDatabase.read(file)).hasMessageContaining("cannot be read");
    Files.write(file, new byte[] {(byte) 0xff, (byte) 0xfe, 0x41});
    assertThatThrownBy(() -> KernelDatabase.read(file)).hasMessageContaining("no text of UTF-8");
    Files.writeString(file, "# nothing\n");
    assertThatThrownBy(() -> KernelDatabase.read(file)).hasMessageContaining("holds no kernel");
  }
}
