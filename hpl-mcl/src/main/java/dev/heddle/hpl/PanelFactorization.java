package dev.heddle.hpl;

/** Factorisation of a panel, or of its recursive halves; in the order of HPL.dat's numbers. */
public enum PanelFactorization {
  /** Left-looking. */
  LEFT('L'),
  /** Crout. */
  CROUT('C'),
  /** Right-looking. */
  RIGHT('R');

  private final char letter;

  PanelFactorization(char letter) {
    this.letter = letter;
  }

  /** The letter in HPL's result lines. */
  public char letter() {
    return letter;
  }
}
