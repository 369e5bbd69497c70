package dev.heddle.collectives.nccl.timing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.collectives.nccl.NcclVersion;
import dev.heddle.collectives.nccl.Protocol;
import dev.heddle.collectives.nccl.env.NcclConfig;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Steps and chunks against NCCL's documented sizes. */
class BuffersTest {
  private static final long KIB = 1024;

  private static Buffers of(String version, Map<String, String> variables) {
    return Buffers.of(NcclConfig.of(NcclVersion.parse(version), variables));
  }

  @ParameterizedTest
  @CsvSource({"SIMPLE, 524288, 2097152, 524288", "LL, 32768, 32768, 32768", "LL128, 576000, 576000, 576000"})
  void shouldCutBuffersInEightSteps(Protocol protocol, long step, long chunk, long rooted) {
    Buffers buffers = of("2.30", Map.of());
    assertThat(buffers).isEqualTo(Buffers.DEFAULT);
    assertThat(buffers.step(protocol)).isEqualTo(step);
    assertThat(buffers.ringChunk(protocol, false)).isEqualTo(chunk);
    assertThat(buffers.ringChunk(protocol, true)).isEqualTo(rooted);
  }

  @Test
  void shouldFollowTheVariables() {
    Buffers buffers = of("2.30", Map.of("NCCL_BUFFSIZE", "8388608", "NCCL_LL_BUFFSIZE", "262144",
        "NCCL_LL128_BUFFSIZE", "2457600", "NCCL_NVLS_CHUNKSIZE", "524288"));
    assertThat(buffers.step(Protocol.SIMPLE)).isEqualTo(1024 * KIB);
    assertThat(buffers.step(Protocol.LL)).isEqualTo(16 * KIB);
    assertThat(buffers.step(Protocol.LL128)).isEqualTo(288_000);
    RankLayout one = new RankLayout(8, 1);
    assertThat(buffers.nvlsChunk(1L << 40, 128, one, false)).isEqualTo(512 * KIB);
    RankLayout four = new RankLayout(32, 4);
    assertThat(buffers.nvlsChunk(1L << 40, 128, four, true)).isEqualTo(64 * KIB);
    Buffers most = of("2.30", Map.of("NCCL_NVLS_CHUNKSIZE", "524288", "NCCL_NVLSTREE_MAX_CHUNKSIZE", "262144"));
    assertThat(most.nvlsChunk(1L << 40, 128, four, true)).isEqualTo(256 * KIB);
  }

  @Test
  void shouldShrinkChunksOfTreesInOldVersionsOnly() {
    RankLayout layout = new RankLayout(16, 2);
    // Depth 9; 16 channels of 4 MiB hold eight chunks of 512 KiB, and no 72 of any.
    assertThat(of("2.20", Map.of()).treeChunk(Protocol.SIMPLE, 64L << 20, 16, layout)).isEqualTo(64 * KIB);
    assertThat(of("2.21", Map.of()).treeChunk(Protocol.SIMPLE, 64L << 20, 16, layout)).isEqualTo(512 * KIB);
    // LL128 at any version: (1 + 1 + .8) / 8 * 64 = 22.4 chunks above 128 KiB, 5.6 above 32 KiB.
    assertThat(Buffers.DEFAULT.treeChunk(Protocol.LL128, 8L << 20, 8, layout)).isEqualTo(72_000);
    assertThat(Buffers.DEFAULT.treeChunk(Protocol.LL128, 1L << 20, 8, layout)).isEqualTo(18_000);
  }

  @Test
  void shouldShrinkChunksOfTreesInAllVersionsOfRccl() {
    Buffers rccl = Buffers.ofRccl(NcclConfig.of(NcclVersion.parse("2.22.3"), Map.of("NCCL_BUFFSIZE", "8388608")));
    RankLayout layout = new RankLayout(16, 2);
    // Depth 9; 32 channels of 512 KiB hold eight chunks of 64 KiB, fewer than nine.
    assertThat(rccl.treeChunk(Protocol.SIMPLE, 16L << 20, 32, layout)).isEqualTo(32 * KIB);
    assertThat(rccl.treeChunk(Protocol.SIMPLE, 1L << 40, 32, layout)).isEqualTo(1024 * KIB);
    assertThat(rccl.ringChunk(Protocol.SIMPLE, false)).isEqualTo(4096 * KIB);
  }

  @Test
  void shouldRefuseBuffersWithoutAStep() {
    assertThatThrownBy(() -> new Buffers(4, 1 << 19, 1 << 20, Buffers.DEFAULT.nvls(), false))
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("4");
  }
}
