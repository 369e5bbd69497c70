package dev.heddle.tier;

import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The route entries of all devices of a tier, by destination terminal. Neighbouring terminals mostly have the same
 * route, or one that other devices have too: a device's row is divided into pages of 16 terminals, equal pages are kept
 * once. A row of 1,024 terminals then takes four cache lines in place of 64.
 */
final class RouteTable {
  private static final int SHIFT = 4;
  private static final int PAGE = 1 << SHIFT;

  private final int pagesPerRow;
  // Per device and 16 terminals the place of their page.
  private final int[] places;
  private final int[] pages;

  /**
   * The entries of a table.
   *
   * @param entries by device, then by terminal
   */
  RouteTable(int[] entries, int terminals) {
    pagesPerRow = terminals + PAGE - 1 >> SHIFT;
    int devices = terminals == 0 ? 0 : entries.length / terminals;
    places = new int[devices * pagesPerRow];
    Map<IntBuffer, Integer> known = new LinkedHashMap<>();
    for (int device = 0; device < devices; device++) {
      for (int page = 0; page < pagesPerRow; page++) {
        int first = page << SHIFT;
        int from = device * terminals + first;
        int count = Math.min(PAGE, terminals - first);
        IntBuffer wanted = IntBuffer.wrap(entries, from, count);
        Integer place = known.get(wanted);
        if (place == null) {
          place = known.size() << SHIFT;
          known.put(IntBuffer.wrap(Arrays.copyOfRange(entries, from, from + count)), place);
        }
        places[device * pagesPerRow + page] = place;
      }
    }
    pages = new int[known.size() << SHIFT];
    known.forEach((page, place) -> System.arraycopy(page.array(), 0, pages, place, page.remaining()));
  }

  /** The entry of a device for a terminal. */
  int entry(int device, int terminal) {
    return pages[places[device * pagesPerRow + (terminal >> SHIFT)] + (terminal & PAGE - 1)];
  }
}
