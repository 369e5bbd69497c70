package dev.heddle.fabric;

import com.google.common.base.Preconditions;
import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntBinaryOperator;

/**
 * A table whose rows are much alike, such as routes by device and terminal: a row is divided into pages of 8 columns. A
 * page of equal entries is that entry; others are kept once for all rows. Of a fat tree with 1,024 terminals and 16
 * ports, a device's row takes eight cache lines in place of 64, and nearly every look-up reads one word.
 */
final class PagedTable {
  /** The least entry that a table may hold. */
  static final int LEAST = Integer.MIN_VALUE / 2;

  private static final int SHIFT = 3;
  private static final int PAGE = 1 << SHIFT;

  private final int pagesPerRow;
  // Of each row and 8 columns their entry, or, below the least of entries, the place of their page.
  private final int[] cells;
  private final int[] pages;

  /**
   * Reads a table.
   *
   * @param entries by row and column, each at least {@link #LEAST}
   */
  PagedTable(int rows, int columns, IntBinaryOperator entries) {
    pagesPerRow = columns + PAGE - 1 >> SHIFT;
    cells = new int[Math.multiplyExact(rows, pagesPerRow)];
    Map<IntBuffer, Integer> places = new LinkedHashMap<>();
    int[] page = new int[PAGE];
    for (int at = 0; at < cells.length; at++) {
      int first = at % pagesPerRow << SHIFT;
      boolean uniform = true;
      for (int i = 0; i < PAGE; i++) {
        // The last page of a row goes on with its last entry.
        page[i] = first + i < columns ? entries.applyAsInt(at / pagesPerRow, first + i) : page[i - 1];
        Preconditions.checkArgument(page[i] >= LEAST, "entry %s is too small", page[i]);
        uniform &= page[i] == page[0];
      }
      cells[at] = uniform ? page[0] : Integer.MIN_VALUE + place(page, places);
    }
    pages = new int[places.size() << SHIFT];
    places.forEach((each, place) -> System.arraycopy(each.array(), 0, pages, place, PAGE));
  }

  private static int place(int[] page, Map<IntBuffer, Integer> places) {
    Integer known = places.get(IntBuffer.wrap(page));
    if (known != null) {
      return known;
    }
    int place = places.size() << SHIFT;
    places.put(IntBuffer.wrap(Arrays.copyOf(page, PAGE)), place);
    return place;
  }

  /** The entry of a row and a column. */
  int entry(int row, int column) {
    int cell = cells[row * pagesPerRow + (column >> SHIFT)];
    return cell >= LEAST ? cell : pages[cell - Integer.MIN_VALUE + (column & PAGE - 1)];
  }

  /** The least entry. */
  int least() {
    int least = Arrays.stream(pages).min().orElse(Integer.MAX_VALUE);
    return Arrays.stream(cells).filter(cell -> cell >= LEAST).reduce(least, Math::min);
  }

  /** The number of different pages of unequal entries. */
  int pages() {
    return pages.length >> SHIFT;
  }
}
