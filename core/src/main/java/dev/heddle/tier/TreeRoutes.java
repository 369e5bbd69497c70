package dev.heddle.tier;

import java.util.Arrays;
import java.util.function.ToIntFunction;

/**
 * The rows of a tree in arrays: a route is computed, so a tree of 16,384 terminals needs memory for its links alone.
 */
final class TreeRoutes {
  private static final int NONE = -1;

  private final int[] placeOf;
  private final int perTree;
  private final int[] first;
  private final int[] span;
  private final int[] size;
  private final int[] divisor;
  private final int[] cables;
  private final int[] ports;
  private final int[] downBase;
  private final int[] upBase;
  private final int[] entries;

  /**
   * Lays out the rows.
   *
   * @param placeOf of each terminal
   * @param perTree leaf positions of each of the disjoint trees
   * @param rows of each device
   * @param choice among several channels
   * @param entry the route entry of a set of channels
   */
  TreeRoutes(int[] placeOf, int perTree, TreeRow[] rows, TreeRow.Choice choice, ToIntFunction<int[]> entry) {
    this.placeOf = placeOf;
    this.perTree = perTree;
    int devices = rows.length;
    first = new int[devices];
    span = new int[devices];
    size = new int[devices];
    divisor = new int[devices];
    cables = new int[devices];
    ports = new int[devices];
    downBase = new int[devices];
    upBase = new int[devices];
    int[] laid = new int[64];
    int count = 0;
    for (int device = 0; device < devices; device++) {
      TreeRow row = rows[device];
      first[device] = row.first();
      span[device] = row.span();
      size[device] = Math.multiplyExact(row.down().length, row.span());
      divisor[device] = row.divisor();
      cables[device] = 1;
      for (int[] channels : row.down()) {
        cables[device] = choice == TreeRow.Choice.DESTINATION ? Math.max(cables[device], channels.length) : 1;
      }
      downBase[device] = count;
      for (int[] channels : row.down()) {
        int[] cells = cells(channels, row.divisor(), choice, entry);
        laid = room(laid, count + cables[device]);
        for (int cable = 0; cable < cables[device]; cable++) {
          laid[count++] = cells[cable % cells.length];
        }
      }
      int[] cells = cells(row.up(), row.divisor(), choice, entry);
      upBase[device] = count;
      ports[device] = cells.length;
      laid = room(laid, count + cells.length);
      System.arraycopy(cells, 0, laid, count, cells.length);
      count += cells.length;
    }
    entries = Arrays.copyOf(laid, count);
  }

  private static int[] room(int[] laid, int needed) {
    return needed <= laid.length ? laid : Arrays.copyOf(laid, Math.max(needed, 2 * laid.length));
  }

  private static int[] cells(int[] channels, int divisor, TreeRow.Choice choice, ToIntFunction<int[]> entry) {
    if (channels.length == 0) {
      return new int[] {NONE};
    }
    if (channels.length == 1 || choice == TreeRow.Choice.DESTINATION) {
      return channels;
    }
    return new int[] {entry.applyAsInt(choice == TreeRow.Choice.SOURCE ? byPlace(channels, divisor) : channels)};
  }

  private static int[] byPlace(int[] channels, int divisor) {
    int[] positions = new int[Math.multiplyExact(divisor, channels.length)];
    Arrays.setAll(positions, place -> channels[place / divisor]);
    return positions;
  }

  /** The route entry of a device towards a terminal. */
  int entry(int device, int terminal) {
    int place = placeOf[terminal];
    int offset = place - first[device];
    if (offset >= 0 && offset < size[device]) {
      return entries[downBase[device] + offset / span[device] * cables[device]
          + place / divisor[device] % cables[device]];
    }
    if (perTree != Integer.MAX_VALUE && place / perTree != first[device] / perTree) {
      return NONE;
    }
    return entries[upBase[device] + place / divisor[device] % ports[device]];
  }

  /** The place of a terminal. */
  int place(int terminal) {
    return placeOf[terminal];
  }
}
