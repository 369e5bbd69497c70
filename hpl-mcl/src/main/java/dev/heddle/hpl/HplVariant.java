package dev.heddle.hpl;

import dev.heddle.spi.Setting;

/**
 * The variant of the algorithm that HPL's result lines name in their first column.
 *
 * @param columnMajor whether ranks fill the process grid column by column
 * @param depth of look-ahead, 0 or more
 * @param broadcast of panels
 * @param recursive factorisation of a panel's parts
 * @param divisions into which a panel is divided at each recursion, at least 2
 * @param panel factorisation where recursion stops
 * @param stop columns at which recursion stops (NBMIN), at least 1
 */
public record HplVariant(
    @Setting(value = "whether ranks fill the process grid column by column (PMAP)", def = "false") boolean columnMajor,
    @Setting(value = "look-ahead: panels that are factorised before the update with the current one is done",
        def = "1", min = "0", max = "8") int depth,
    @Setting(value = "broadcast of panels along rows of processes", def = "ring-modified") PanelBroadcast broadcast,
    @Setting(value = "recursive factorisation", def = "crout") PanelFactorization recursive,
    @Setting(value = "parts of a panel at each recursion (NDIV)", def = "2", min = "2", max = "1024") int divisions,
    @Setting(value = "factorisation where recursion stops", def = "right") PanelFactorization panel,
    @Setting(value = "columns at which recursion stops (NBMIN)", def = "32", min = "1", max = "65536") int stop) {
  /** The first column of a result line, such as {@code WR11C2R4}: wall time, row-major, depth 1, and so on. */
  public String code() {
    return "W" + (columnMajor ? 'C' : 'R') + depth + broadcast.ordinal() + recursive.letter() + divisions
        + panel.letter() + stop;
  }
}
