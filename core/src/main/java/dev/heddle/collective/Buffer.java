package dev.heddle.collective;

/** A buffer of a rank. */
public enum Buffer {
  /** What the caller contributes; read only, unless the schedule is in place. */
  INPUT("i"),
  /** What the caller gets. */
  OUTPUT("o"),
  /** What the schedule needs besides. */
  SCRATCH("s");

  private final String letter;

  Buffer(String letter) {
    this.letter = letter;
  }

  /** The letter by which MSCCL and our listings name it. */
  public String letter() {
    return letter;
  }
}
