package dev.heddle.workload.megatron.program;

import dev.heddle.workload.Operation;
import java.util.List;

/** The stream of a rank's copies between device and host memory: a cursor over those of its stage's plan. */
final class CopyStream {
  private final List<StageOp.Copy> copies;
  private final int begun;
  private final int ended;
  private int taken;
  private Step step = Step.AWAIT;

  private enum Step {
    AWAIT, COPY, SIGNAL
  }

  /**
   * Begins before the first copy.
   *
   * @param copies of the iteration, in their order
   * @param begun number of the signal of copies that have begun
   * @param ended number of the signal of copies that have ended
   */
  CopyStream(List<StageOp.Copy> copies, int begun, int ended) {
    this.copies = copies;
    this.begun = begun;
    this.ended = ended;
  }

  /** Fills in the next operation; false at the end. */
  boolean next(Operation operation) {
    switch (step) {
      case AWAIT :
        if (taken == copies.size()) {
          return false;
        }
        taken++;
        operation.await(begun, taken);
        step = Step.COPY;
        return true;
      case COPY :
        operation.compute(copies.get(taken - 1).ps());
        step = Step.SIGNAL;
        return true;
      default :
        operation.signal(ended);
        step = Step.AWAIT;
        return true;
    }
  }
}
