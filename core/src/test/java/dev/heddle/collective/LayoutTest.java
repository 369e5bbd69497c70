package dev.heddle.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LayoutTest {
  @ParameterizedTest
  @EnumSource(value = CollectiveOp.class, names = "ALL_TO_ALL_V", mode = EnumSource.Mode.EXCLUDE)
  void shouldCutBuffersWithoutGapWhenSizesDoNotDivide(CollectiveOp op) {
    for (int ranks : new int[] {1, 2, 3, 7, 16}) {
      for (long bytes : new long[] {0, 1, 5, 1000, 1_000_003, Long.MAX_VALUE / 4}) {
        Layout layout = Layout.of(Collective.of(op, ranks, bytes), 3);
        for (int rank = 0; rank < ranks; rank++) {
          for (Buffer buffer : new Buffer[] {Buffer.INPUT, Buffer.OUTPUT}) {
            assertNoGap(layout, rank, buffer);
          }
        }
        assertThat(IntStream.range(0, ranks).mapToLong(rank -> Math.max(size(layout, rank, Buffer.INPUT),
            size(layout, rank, Buffer.OUTPUT))).max()).as("%s", layout.collective()).hasValue(bytes);
      }
    }
  }

  private static void assertNoGap(Layout layout, int rank, Buffer buffer) {
    assertThat(layout.start(rank, buffer, 0)).isZero();
    int slots = layout.slots(rank, buffer);
    for (int slot = 0; slot < slots; slot++) {
      assertThat(layout.bytes(rank, new ChunkRange(buffer, slot, 1))).isNotNegative();
    }
  }

  private static long size(Layout layout, int rank, Buffer buffer) {
    return layout.start(rank, buffer, layout.slots(rank, buffer));
  }

  @Test
  void shouldGiveBothSidesOfPairTheSameBytesWhenAllToAllDoesNotDivide() {
    Layout layout = Layout.of(Collective.of(CollectiveOp.ALL_TO_ALL, 5, 1003), 2);
    for (int s = 0; s < 5; s++) {
      assertThat(size(layout, s, Buffer.INPUT)).isEqualTo(1003);
      for (int d = 0; d < 5; d++) {
        for (int chunk = 0; chunk < 2; chunk++) {
          assertThat(layout.bytes(s, ChunkRange.input(d * 2 + chunk, 1)))
              .isEqualTo(layout.bytes(d, ChunkRange.output(s * 2 + chunk, 1)));
        }
      }
    }
  }

  @Test
  void shouldTakePairSizesWhenAllToAllV() {
    Layout layout = Layout.of(Collective.allToAllV(new long[][] {{1, 20}, {300, 4000}}), 1);
    assertThat(layout.bytes(0, ChunkRange.input(1, 1))).isEqualTo(20);
    assertThat(layout.bytes(1, ChunkRange.output(0, 1))).isEqualTo(20);
    assertThat(layout.bytes(0, ChunkRange.output(1, 1))).isEqualTo(300);
    assertThat(layout.collective().bytes()).isEqualTo(4300);
  }

  @Test
  void shouldRefuseSenselessCollectivesAndGroups() {
    assertThatThrownBy(() -> Collective.of(CollectiveOp.REDUCE, 0, 1)).hasMessageContaining("at least 1 rank: 0");
    assertThatThrownBy(() -> Collective.of(CollectiveOp.REDUCE, 2, -1)).hasMessageContaining("at least 0 bytes: -1");
    assertThatThrownBy(() -> Collective.of(CollectiveOp.REDUCE, 2, 1).withRoot(2)).hasMessageContaining("root 2");
    assertThatThrownBy(() -> Collective.of(CollectiveOp.ALL_REDUCE, 2, 1).withRoot(0)).hasMessageContaining("no root");
    assertThatThrownBy(() -> Collective.allToAllV(new long[][] {{1, 2}, {3}})).hasMessageContaining("square");
    assertThatThrownBy(() -> Group.of(3, 1, 3)).hasMessageContaining("3 occurs twice");
    assertThatThrownBy(() -> Group.of()).hasMessageContaining("at least one");
    assertThatThrownBy(() -> Group.of(-1)).hasMessageContaining("-1");
  }
}
