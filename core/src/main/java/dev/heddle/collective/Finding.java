package dev.heddle.collective;

/**
 * A fault in a schedule, with its position.
 *
 * @param fault kind of the fault
 * @param rank whose steps are at fault
 * @param channel of the thread block, or {@link RankSteps#NONE}
 * @param threadBlock of the rank, or {@link RankSteps#NONE} where no step is at fault
 * @param step of the rank, or {@link RankSteps#NONE} where no step is at fault
 * @param message description of the fault
 */
public record Finding(Fault fault, int rank, int channel, int threadBlock, int step, String message) {
  /** Kind of a fault. */
  public enum Fault {
    /** A message without a matching receive. */
    UNMATCHED_SEND,
    /** A receive without a matching message. */
    UNMATCHED_RECEIVE,
    /** A message of another length than its receive, or a source of another length than its target. */
    LENGTH,
    /** Thread blocks that wait for each other. */
    DEADLOCK,
    /** A chunk that is read before anything is written to it. */
    READ_BEFORE_WRITE,
    /** A write to the caller's input, though the schedule is not in place. */
    INPUT_OVERWRITTEN,
    /** Two steps of which at least one writes a chunk, in no order. */
    RACE,
    /** An output that does not hold the operation's result. */
    WRONG_RESULT
  }

  static Finding at(Fault fault, RankSteps rank, int step, String message) {
    int block = rank.threadBlock(step);
    return new Finding(
        fault, rank.rank(), rank.channel(block), block, step, rank.step(step) + ": " + message);
  }

  /** The position and the message, in one line. */
  @Override
  public String toString() {
    String place = step == RankSteps.NONE ? "rank " + rank
        : "rank " + rank + ", channel " + channel + ", thread block " + threadBlock + ", step " + step;
    return place + ": " + message;
  }
}
