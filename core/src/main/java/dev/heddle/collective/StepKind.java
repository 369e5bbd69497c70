package dev.heddle.collective;

/** Kind of a step, with MSCCL's name for it. */
public enum StepKind {
  /** Sends the source. */
  SEND("s", false, true, true, false),
  /** Stores the received data in the target. */
  RECEIVE("r", true, false, false, true),
  /** Stores the received data in the target and forwards it. */
  RECEIVE_COPY_SEND("rcs", true, true, false, true),
  /** Stores the sum of the received data and the source in the target. */
  RECEIVE_REDUCE_COPY("rrc", true, false, true, true),
  /** Forwards the sum of the received data and the source, and stores nothing. */
  RECEIVE_REDUCE_SEND("rrs", true, true, true, false),
  /** Stores the sum of the received data and the source in the target and forwards it. */
  RECEIVE_REDUCE_COPY_SEND("rrcs", true, true, true, true),
  /** Writes the source to the target. */
  COPY("cpy", false, false, true, true),
  /** Adds the source to the target. */
  REDUCE("re", false, false, true, true),
  /** Waits for its dependencies. */
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
