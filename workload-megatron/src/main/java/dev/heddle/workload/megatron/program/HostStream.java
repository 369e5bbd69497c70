package dev.heddle.workload.megatron.program;

import dev.heddle.workload.Operation;
import java.util.List;

/**
 * The stream of a rank's host: a cursor over its stage's plan that launches the device's work in order, ahead of it,
 * and waits for the device where the software does.
 */
final class HostStream {
  /** Signal of launches, by their number. */
  static final int LAUNCHED = 0;
  /** Signal of the points that the device has come to. */
  static final int REACHED = 1;

  private final StagePlan plan;
  private final int micros;
  private final boolean synchronous;

  private int place;
  private boolean launching;
  private List<StageOp> ops;
  private int nextOp;
  private long reached;
  private boolean launched;

  /** The host's part in an iteration. */
  enum Kind {
    /** It takes no time, or its time is part of the kernels'. */
    NONE,
    /** It launches the device's work ahead of it. */
    AHEAD,
    /**
     * It also waits for the device between passes, as Megatron's batched messages between stages have it
     * [Megatron-Core, p2p_communication.py: batch_p2p_sync].
     */
    SYNCHRONOUS
  }

  HostStream(StagePlan plan, int micros, Kind kind) {
    this.plan = plan;
    this.micros = micros;
    synchronous = kind == Kind.SYNCHRONOUS;
    ops = List.of();
    place = -1;
  }

  /** Fills in the next operation; false at the end. */
  boolean next(Operation operation) {
    if (launched) {
      launched = false;
      operation.signal(LAUNCHED);
      return true;
    }
    while (true) {
      while (nextOp < ops.size()) {
        StageOp op = ops.get(nextOp++);
        if (op instanceof StageOp.Launch launch) {
          launched = true;
          operation.compute(launch.ps());
          return true;
        }
        reached += op instanceof StageOp.Reach ? 1 : 0;
        if (op instanceof StageOp.Synchronise) {
          operation.await(REACHED, reached);
          return true;
        }
      }
      if (!launching && place == plan.slots().length) {
        return false;
      }
      nextOp = 0;
      launching = !launching;
      if (launching) {
        place++;
        ops = plan.launches(place);
        continue;
      }
      ops = place < plan.slots().length ? plan.ops(place, micros) : plan.end();
      if (synchronous && place < plan.slots().length) {
        reached++;
        operation.await(REACHED, reached);
        return true;
      }
    }
  }
}
