package dev.heddle.kernel.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.kernel.GpuCatalog;
import dev.heddle.kernel.KernelKind;
import dev.heddle.kernel.KernelTable;
import dev.heddle.kernel.NumberFormat;
import dev.heddle.spi.InvalidSettingException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Holds readers of measured kernels to formats as they are found, and to one message for malformed ones. */
class KernelFileTest {
  private static final GpuCatalog GPUS = GpuCatalog.bundled();

  private static MeasuredRow only(String text) {
    List<MeasuredRow> rows = KernelFile.parse("mine.csv", text, GPUS).rows();
    assertThat(rows).hasSize(1);
    return rows.get(0);
  }

  @Test
  void shouldReadTheProjectsOwnColumns() {
    MeasuredRow row =
        only("# source: me\ngpu,kernel,precision,shape,us,variant\nh100-sxm,gemm,bf16,64x32x16,4.5,cublas\n");
    assertThat(row.table().kind()).isEqualTo(KernelKind.GEMM);
    assertThat(row.table().variant()).isEqualTo("cublas");
    assertThat(row.shape()).containsExactly(64, 32, 16);
    assertThat(row.seconds()).isEqualTo(4.5e-6);
  }

  @Test
  void shouldTellBatchesFromProductsByTheirShape() {
    assertThat(only("gpu,kernel,precision,shape,us\nH100 SXM,gemm,bf16,8x64x32x16,4.5\n").table().kind())
        .isEqualTo(KernelKind.BATCHED_GEMM);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "h100-sxm,gemm,bf61,8x64x32,4.5,|mine.csv:2: there is no number format 'bf61'",
      "h100-sxm,gem,bf16,8x64x32,4.5,|mine.csv:2: ",
      "h010-sxm,gemm,bf16,8x64x32,4.5,|mine.csv:2: ",
      "h100-sxm,grouped-gemm,bf16,8x64x32x16,4.5,power-law-x|mine.csv:2: variant is 'power-law-x'; it must be"})
  void shouldNameTheLineWhenAWordIsUnknown(String line, String message) {
    assertThatThrownBy(() -> only("gpu,kernel,precision,shape,us,variant\n" + line + "\n"))
        .isInstanceOf(InvalidSettingException.class).hasMessageStartingWith(message);
  }

  @Test
  void shouldReadLoadsOfGroupsFromTheVariant() {
    MeasuredRow row =
        only("gpu,kernel,precision,shape,us,variant\nh100-sxm,grouped-gemm,bf16,8x64x32x16,4.5,power-law-1.2\n");
    assertThat(row.shape()).containsExactly(8, 64, 32, 16, 120);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "system,engine,dtype,m,n,k,ms|a100_sxm,trtllm/1.0.0,bfloat16,8,16,32,0.01|gemm|bf16|8x16x32",
      "system,engine,dtype,m,n,k,ms|b200_sxm,trtllm/1.0.0,fp8_block,8,16,32,0.01|linear|fp8-block|8x16x32",
      "system,engine,attn_dtype,kv_dtype,batch,isl,heads,kv_heads,ms|h100_sxm,x/1,bfloat16,fp8,2,512,8,1,1"
          + "|attention-forward|bf16-cache8|2x8x1x512x512x128x128",
      "system,engine,attn_dtype,kv_dtype,batch,context,heads,kv_heads,ms|h100_sxm,x/1,bfloat16,bfloat16,2,512,8,1,1"
          + "|attention-decode|bf16|2x8x1x512x128x128",
      "system,engine,dtype,kernel,tokens,hidden,inter,topk,experts,tp,ep,distribution,ms"
          + "|h100_sxm,x/1,fp8,moe,4,64,32,2,8,1,4,power_law_1.01,1|experts|fp8|4x64x32x2x8x1x4x101",
      "system,engine,kernel_source,mla_dtype,kv_cache_dtype,num_heads,batch_size,isl,tp_size,step,ms"
          + "|h100_sxm,x/1,default,bfloat16,fp8,64,2,1,1,127,1|latent-decode|bf16-cache8|2x64x128",
      "system,engine,kernel_source,bmm_dtype,num_tokens,num_heads,ms|h100_sxm,x/1,default,fp8,64,2,1"
          + "|latent-projection|fp8|64x2"})
  void shouldReadTablesOfAiConfigurator(String columns, String row, String kind, String format, String shape) {
    MeasuredRow read = only(columns + "\n" + row + "\n");
    assertThat(read.table().kind().id()).isEqualTo(kind);
    assertThat(read.table().format().id()).isEqualTo(format);
    assertThat(java.util.Arrays.stream(read.shape()).mapToObj(Long::toString)
        .collect(java.util.stream.Collectors.joining("x"))).isEqualTo(shape);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "gpu,kernel,precision,shape,us|h100-sxm,gemm,bf16,64x32,4|mine.csv:2|shape is '64x32'",
      "gpu,kernel,precision,shape,us|h100-sxm,gemm,bf16,64x32xb,4|mine.csv:2|whole numbers",
      "gpu,kernel,precision,shape,us|h100-sxm,gemm,bf16,64x32x0,4|mine.csv:2|positive",
      "gpu,kernel,precision,shape,us|h100-sxm,gemm,bf16,64x32x16,-4|mine.csv:2|us is '-4'",
      "gpu,kernel,precision,shape,us|h100-sxm,gemm,bf16,64x32x16,1e99|mine.csv:2|us is '1e99'",
      "gpu,kernel,precision,shape,us|h100-sxm,gemm,bf16,64x32x16|mine.csv:2|4 cells, but 5 columns",
      "gpu,kernel,precision,shape,us|h10,gemm,bf16,64x32x16,4|no GPU 'h10'|did you mean",
      "gpu,kernel,precision,shape|h100-sxm,gemm,bf16,64x32x16|no column 'us'|must have",
      "gpu,gpu,kernel,precision,shape,us|a,b,gemm,bf16,64x32x16,4|mine.csv:1|two columns",
      "system,engine,ms,what|h100_sxm,x/1,1,2|columns|no table of kernels that is known",
      "system,engine,dtype,m,n,k,ms|h100_sxm,x/1,bfloat16,8,16,9999999999999999999,1|mine.csv:2|k is"})
  void shouldSayWhatIsWrong(String columns, String row, String place, String message) {
    assertThatThrownBy(() -> KernelFile.parse("mine.csv", columns + "\n" + row + "\n", GPUS))
        .isInstanceOf(InvalidSettingException.class).hasMessageContainingAll(place, message);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "bf16_tuned_gemm.csv|dtype|torch.bfloat16|bf16",
      "bf16_tuned_gemm.csv|dtype|torch.float16|fp16",
      "a8w8_bpreshuffle_tuned_gemm.csv|q_dtype_w|torch.float8_e4m3fnuz|fp8-row",
      "a8w8_tuned_gemm.csv|q_dtype_w|torch.int8|int8",
      "my-a8w8-blockscale-tuned-gemm.csv|kernelId|7|fp8-block",
      "dsv3_a4w4_blockscale_tuned_gemm.csv|kernelId|7|mxfp4"})
  void shouldReadTunedProductsOfAiter(String file, String column, String value, String format) {
    String text = "# licence: MIT\ngfx,cu_num,M,N,K," + column + ",us,tflops\ngfx950,256,64,32,16," + value
        + ",2.0,0.03\ngfx942,304,64,32,16," + value + ",4.0,0.02\n";
    List<MeasuredRow> rows = KernelFile.parse(file, text, GPUS).rows();
    assertThat(rows).extracting(row -> row.table().gpu()).containsExactly("mi355x", "mi300x");
    assertThat(rows.get(1).seconds()).isEqualTo(4e-6);
    assertThat(rows.get(0).shape()).containsExactly(64, 32, 16);
    assertThat(rows.get(0).table().kind()).isEqualTo(KernelKind.GEMM);
    assertThat(rows.get(0).table().format().id()).isEqualTo(format);
    assertThat(rows.get(0).table().variant()).isEqualTo("aiter");
  }

  // 2 x 4096 x 4096 x 4096 operations in 200 us are 687.2 Tflop/s; the fourth row states those of 2048 rows.
  @Test
  void shouldLeaveOutWhatAiterTunedForOthersOrDidNotTime() {
    String text = "gfx,cu_num,M,N,K,dtype,outdtype,us,tflops\n"
        + "gfx942,304,4096,4096,4096,torch.bfloat16,torch.bfloat16,200.0,687.19\n"
        + "gfx942,80,4096,4096,4096,torch.bfloat16,torch.bfloat16,900.0,152.71\n"
        + "gfx942,304,4096,4096,4096,torch.bfloat16,torch.float32,200.0,687.19\n"
        + "gfx942,304,4096,4096,4096,torch.bfloat16,torch.bfloat16,200.0,343.6\n"
        + "gfx942,304,4096,4096,4096,torch.bfloat16,torch.bfloat16,nan,0\n";
    KernelFile file = KernelFile.parse("mine.csv", text, GPUS);
    assertThat(file.rows()).hasSize(1);
    assertThat(file.unknown()).hasSize(4).containsValue(1).doesNotContainValue(2)
        .containsKey("the GPU 'gfx942' with 80 compute units, which is not known");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "mine.csv|gfx,cu_num,M,N,K,us|gfx950,256,1,1,1,1|must have a8w8_blockscale or a4w4 in it",
      "mine.csv|gfx,cu_num,M,N,K,dtype,us|gfx950,256,1,1,1,torch.int4,1|mine.csv:2: dtype is 'torch.int4'",
      "mine.csv|gfx,cu_num,M,N,K,q_dtype_w,us|gfx950,256,1,1,1,fp8,1|mine.csv:2: q_dtype_w is 'fp8'",
      "a4w4.csv|gfx,cu_num,M,N,K,us|gfx950,256,1,0,1,1|a4w4.csv:2: N is '0'",
      "a4w4.csv|gfx,cu_num,M,N,K,us|gfx950,256,1,1,1,-1|a4w4.csv:2: us is '-1'",
      "a4w4.csv|gfx,cu_num,M,N,K,us|gfx942,80,1,1,1,1|holds no kernel, only rows of the GPU 'gfx942' with 80"})
  void shouldSayWhatIsWrongWithTunedProducts(String file, String columns, String row, String message) {
    assertThatThrownBy(() -> KernelFile.parse(file, columns + "\n" + row + "\n", GPUS))
        .isInstanceOf(InvalidSettingException.class).hasMessageContaining(message);
  }

  @Test
  void shouldSayWhyWhenAFileCannotBeRead(@TempDir Path folder) {
    assertThatThrownBy(() -> KernelFile.read(folder.resolve("none.csv"), GPUS))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage(folder.resolve("none.csv") + ": cannot be read: there is no such file");
    assertThatThrownBy(() -> KernelFile.read(folder, GPUS)).isInstanceOf(InvalidSettingException.class)
        .hasMessage(folder + ": cannot be read: it is a folder");
  }

  @Test
  void shouldMakeOneTableOfEachAcceleratorKindFormatAndVariant() {
    String text = "# source: me\n# licence: none\ngpu,kernel,precision,shape,us\nh100-sxm,gemm,bf16,64x32x16,4.5\n"
        + "h100-sxm,gemm,bf16,128x32x16,4.6\nh100-sxm,gemm,fp16,64x32x16,4.5\nb200,adam,fp32,1000000,20\n";
    List<KernelTable> tables =
        KernelConverter.tables(List.of(KernelFile.parse("mine.csv", text, GPUS)), GPUS);
    assertThat(tables).extracting(table -> table.id().format())
        .containsExactly(NumberFormat.BF16, NumberFormat.FP16, NumberFormat.FP32);
    assertThat(tables.get(0).rows()).isEqualTo(2);
    assertThat(tables.get(0).provenance().source()).isEqualTo("me");
  }
}
