package dev.heddle.verification;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cli.kernels.KernelsCommands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the commands for kernels on the shipped tables. */
class KernelsCommandsTest {
  @RegisterExtension
  static final InstalledCommands COMMANDS = new InstalledCommands(new KernelsCommands());

  private static int run(String... args) {
    return COMMANDS.run(args);
  }

  @Test
  void shouldExplainAProduct() {
    assertThat(run("kernels", "explain", "gemm", "--gpu", "b200", "--m", "4096", "--n", "4096", "--k", "4096",
        "--dtype", "fp8")).isZero();
    assertThat(COMMANDS.out().toString()).contains("gemm fp8 4096x4096x4096 on B200", "nine of ten times within",
        "bound by compute", "interpolated: b200 linear fp8", "less the cast of activations", " W of 1000");
  }

  @Test
  void shouldSayWhatIsMissingOrUnknown() {
    refused("needs the size 'k'", "kernels", "explain", "gemm", "--gpu", "b200", "--m", "1", "--n", "1");
    refused("did you mean 'gb200'", "kernels", "explain", "gemm", "--gpu", "gb20", "--shape", "1x1x1");
    refused("there is no kernel 'gemmm'", "kernels", "explain", "gemmm", "--gpu", "b200", "--shape", "1x1x1");
    refused("has no size 'tokns'", "kernels", "explain", "norm-forward", "--gpu", "b200", "--size", "tokns=3");
    refused("did you mean 'cudnn'", "kernels", "explain", "gemm", "--gpu", "h100", "--shape", "1x1x1", "--variant",
        "cudn");
    refused("whole numbers", "kernels", "explain", "gemm", "--gpu", "b200", "--shape", "1x1xa");
    refused("takes the folder, made", "kernels", "list", "--tables", "made/h100-sxm-gemm-bf16-measured.hkt");
  }

  private static void refused(String message, String... args) {
    assertThat(run(args)).isEqualTo(2);
    assertThat(COMMANDS.failure()).contains(message);
  }

  @Test
  void shouldConvertTablesAndTakeThemBeforeTheShipped(@TempDir Path folder) throws IOException {
    Path csv = folder.resolve("mine.csv");
    Files.writeString(csv, "# source: me\ngpu,kernel,precision,shape,us\nh100-sxm,gemm,bf16,4096x4096x4096,199.5\n"
        + "h100-sxm,gemm,bf16,8192x4096x4096,399\n");
    assertThat(run("kernels", "convert", csv.toString(), "--out", folder.resolve("made").toString())).isZero();
    assertThat(COMMANDS.out().toString()).contains("h100-sxm gemm bf16 measured: 2 rows");
    assertThat(run("kernels", "explain", "gemm", "--gpu", "h100", "--shape", "4096x4096x4096", "--variant", "measured",
        "--tables", folder.resolve("made").toString())).isZero();
    assertThat(COMMANDS.out().toString()).contains("199.5", "measured: h100-sxm gemm bf16 measured: me");
  }

  @Test
  void shouldTakeAGpuFromItsDataSheet(@TempDir Path folder) throws IOException {
    Path sheet = folder.resolve("sheets.csv");
    Files.writeString(sheet,
        "id,name,vendor,architecture,units,clock,bandwidth,cache,watts,bits16,share16,bits8,share8\n"
            + "x100,X100,nvidia,rubin,224,2300,20000,200,1800,4000,0.75,16000,0.7\n");
    assertThat(run("kernels", "explain", "gemm", "--gpu", "x100", "--shape", "8192x8192x8192", "--data-sheets",
        sheet.toString())).isZero();
    assertThat(COMMANDS.out().toString()).contains("on X100", "transferred: ", "carried over by the data sheets");
  }

  @Test
  void shouldListTables() {
    assertThat(run("kernels", "list", "--gpu", "a100", "--sources")).isZero();
    assertThat(COMMANDS.out().toString()).contains("a100-sxm", "aiconfigurator", "Apache-2.0", "m x n x k")
        .doesNotContain("gb200");
  }
}
