package dev.heddle.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Paged tables against flat ones. */
class PagedTableTest {
  private static final int COLUMNS = 96;

  @Test
  void shouldHaveTheEntriesOfTheFlatTable() {
    for (int seed = 0; seed < 50; seed++) {
      Random random = new Random(seed);
      int rows = random.nextInt(40);
      int columns = random.nextInt(COLUMNS);
      int kinds = 1 + random.nextInt(4);
      int[] flat = new int[rows * columns];
      for (int at = 0; at < flat.length; at++) {
        boolean repeats = at > 0 && random.nextInt(8) > 0;
        flat[at] =
            repeats ? flat[at - 1] : random.nextInt(kinds) == 0 ? random.nextInt(1 << 30) : -random.nextInt(1000);
      }
      PagedTable paged = new PagedTable(rows, columns, (row, column) -> flat[row * columns + column]);
      for (int at = 0; at < flat.length; at++) {
        assertThat(paged.entry(at / columns, at % columns)).as("seed %s, entry %s", seed, at).isEqualTo(flat[at]);
      }
    }
  }

  @Test
  void shouldKeepEqualPagesOnceAndUniformOnesInTheirRows() {
    assertThat(new PagedTable(9, COLUMNS, (row, column) -> row).pages()).isZero();
    assertThat(new PagedTable(9, COLUMNS, (row, column) -> column % 8).pages()).isEqualTo(1);
    assertThat(new PagedTable(9, COLUMNS, (row, column) -> row % 3 + column % 8).pages()).isEqualTo(3);
    assertThat(new PagedTable(9, COLUMNS, (row, column) -> row == column ? -1 : 5).pages()).isEqualTo(8);
  }

  @Test
  void shouldTakeAllEntriesFromTheLeastOn() {
    int[] extremes = {PagedTable.LEAST, Integer.MAX_VALUE, -1, 0};
    PagedTable paged = new PagedTable(1, extremes.length, (row, column) -> extremes[column]);
    for (int column = 0; column < extremes.length; column++) {
      assertThat(paged.entry(0, column)).isEqualTo(extremes[column]);
    }
    assertThat(new PagedTable(1, 1, (row, column) -> PagedTable.LEAST).entry(0, 0)).isEqualTo(PagedTable.LEAST);
    assertThatThrownBy(() -> new PagedTable(1, 1, (row, column) -> PagedTable.LEAST - 1))
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("too small");
  }
}
