package dev.heddle.workload.megatron.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.spi.InvalidSettingException;
import dev.heddle.spi.Precision;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

/** Checks that AICB's times become those of the job's kernels, and that malformed files are refused. */
class AicbFileTest {
  private static final String TEXT = """
      train_iter:10
      layernorm:
          time_gpu_max: 84
          time_gpu_min: 43
          time_gpu_avg: 70
      atten_qkv:
          time_gpu_max: 1255
          time_gpu_min: 862
          time_gpu_avg: 889
      warp_drive:
          time_gpu_avg: 1
      """;
  private static final Kernel.Gemm QKV = new Kernel.Gemm("qkv", 1, 8192, 4608, 12288, Precision.BF16, 2);
  private static final Kernel NORM = new Kernel.Memory("norm", 1 << 26);
  private static final Kernel BACKWARD = new Kernel.Memory("norm", 1 << 27);

  @Test
  void shouldTakeTheMeanOfEveryPartItKnows() {
    assertThat(AicbFile.parse("mine.txt", TEXT).seconds()).containsOnlyKeys("layernorm", "atten_qkv");
  }

  @Test
  void shouldTimeTheFirstKernelOfAPartAndAllOfItsShape() {
    KernelTimes times = AicbFile.parse("mine.txt", TEXT).withFallback(List.of(NORM, QKV, BACKWARD), kernel -> 1);
    assertThat(times.seconds(QKV)).isCloseTo(889e-6, Percentage.withPercentage(1e-9));
    assertThat(times.seconds(NORM)).isCloseTo(70e-6, Percentage.withPercentage(1e-9));
    assertThat(times.seconds(new Kernel.Memory("norm2", 1 << 26))).isCloseTo(70e-6, Percentage.withPercentage(1e-9));
    assertThat(times.seconds(BACKWARD)).isEqualTo(1);
  }

  @Test
  void shouldRefuseWhatIsNoComputeFile() {
    assertThatThrownBy(() -> AicbFile.parse("mine.txt", TEXT.replace("889", "many")))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("mine.txt:9: time_gpu_avg is 'many'");
    assertThatThrownBy(() -> AicbFile.parse("mine.txt", "gpu,kernel\n1,2\n"))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("mine.txt holds none of AICB's parts Emb");
    assertThatThrownBy(() -> AicbFile.read(Path.of("no-such-file.txt")))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining("cannot be read");
  }
}
