package dev.heddle.collective;

/** What a step does, with MSCCL's name of it. */
public enum StepKind {
  /** Sends the source. */
  SEND("s", false, true, true, false),
  /** Writes what it receives to the target. */
  RECEIVE("r", true, false, false, true),
  /** Writes what it receives to the target and sends it on. */
  RECEIVE_COPY_SEND("rcs", true, true, false, true),
  /** Writes the sum of what it receives and the source to the target. */
  RECEIVE_REDUCE_COPY("rrc", true, false, true, true),
  /** Sends the sum of what it receives and the source on, and keeps nothing. */
  RECEIVE_REDUCE_SEND("rrs", true, true, true, false),
  /** Writes the sum of what it receives and the source to the target and sends it on. */
  RECEIVE_REDUCE_COPY_SEND("rrcs", true, true, true, true),
  /** Writes the source to the target. */
  COPY("cpy", false, false, true, true),
  /** Adds the source to the target. */
  REDUCE("re", false, false, true, true),
  /** Waits for what it depends on. */
  NO_OP("nop", false, false, false, false);

  private final String letters;
  private final boolean receives;
  private final boolean sends;
  private final boolean readsSource;
  private final boolean writesTarget;

  StepKind(String letters, boolean receives, boolean sends, boolean readsSource, boolean writesTarget) {
    this.letters = letters;
    this.receives = receives;
    this.sends = sends;
    this.readsSource = readsSource;
    this.writesTarget = writesTarget;
  }

  /** The letters by which MSCCL's XML names it. */
  public String letters() {
    return letters;
  }

  /** Whether it takes a message of its thread block's receive peer. */
  public boolean receives() {
    return receives;
  }

  /** Whether it sends a message to its thread block's send peer. */
  public boolean sends() {
    return sends;
  }

  /** Whether it reads its source. */
  public boolean readsSource() {
    return readsSource;
  }

  /** Whether it writes its target. */
  public boolean writesTarget() {
    return writesTarget;
  }

  /** Whether it adds. */
  public boolean reduces() {
    return this == REDUCE || receives && readsSource;
  }
}
