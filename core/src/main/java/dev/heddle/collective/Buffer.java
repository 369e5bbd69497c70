package dev.heddle.collective;

/** A buffer of a rank. */
public enum Buffer {
  /** The caller's contribution; read-only, unless the schedule is in place. */
  INPUT("i"),
  /** The caller's result. */
  OUTPUT("o"),
  /** Temporary storage of the schedule. */
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
