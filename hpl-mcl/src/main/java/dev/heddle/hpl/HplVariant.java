package dev.heddle.hpl;

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
    boolean columnMajor, int depth, PanelBroadcast broadcast, PanelFactorization recursive, int divisions,
    PanelFactorization panel, int stop) {
  /** The first column of a result line, such as {@code WR11C2R4}: wall time, row-major, depth 1, and so on. */
  public String code() {
    return "W" + (columnMajor ? 'C' : 'R') + depth + broadcast.ordinal() + recursive.letter() + divisions
        + panel.letter() + stop;
  }
}
